#include "cluster/yarn/waiting/fair_reasons.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::cluster::yarn {
namespace {

namespace rm = hadoop::yarn;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The numbers of a real resource manager: a queue of 2500 MB, of which 2048 are in use.
WaitFacts facts() {
  WaitFacts made;
  made.application.queue = "root.tiny";
  made.application.state = rm::ApplicationState::Running;
  made.largest_ask = {.memory_mb = 1024, .vcores = 1};
  rm::QueueLoad load;
  load.path = "root.tiny";
  load.pending_containers = 1;
  load.resources_used = {.memory_mb = 2048, .vcores = 2};
  load.master_limit = {.memory_mb = 350, .vcores = 2};
  load.fair = rm::FairLimits{.most = {.memory_mb = 2500, .vcores = 3},
                             .share = {.memory_mb = 2500},
                             .applications_max = 1};
  made.load = load;
  return made;
}

TEST(FairReasons, SayNothingOfAnotherScheduler) {
  WaitFacts waits = facts();
  waits.load->fair.reset();
  std::vector<WaitReason> reasons;
  add_fair_reasons(waits, reasons);
  EXPECT_THAT(reasons, IsEmpty());
}

TEST(FairReasons, NameWhatIsLeftOfAQueue) {
  const auto reasons = explain_wait(facts());
  ASSERT_EQ(reasons.size(), 1U);
  EXPECT_EQ(reasons[0].text,
            "queue root.tiny may use 2500 MB and 3 vcores in total and uses 2048 MB and 2 vcores: "
            "a container of 1024 MB and 1 vcores is more than what is left");
  EXPECT_THAT(reasons[0].advice, HasSubstr("yarn.queue"));
}

TEST(FairReasons, NameAQueueAboveThatIsFull) {
  WaitFacts waits = facts();
  waits.load->resources_used = {};
  rm::QueueLoad above = *facts().load;
  above.path = "root.group";
  rm::QueueLoad root = above;
  root.path = "root";
  waits.above = {root, above};
  const auto reasons = explain_wait(waits);
  ASSERT_EQ(reasons.size(), 1U);
  EXPECT_THAT(reasons[0].text, HasSubstr("queue root.group may use 2500 MB"));
}

TEST(FairReasons, NameTheLimitOfMastersWithItsNumbers) {
  WaitFacts waits = facts();
  waits.application.state = rm::ApplicationState::Accepted;
  waits.application.diagnostics =
      "[Sat Nov 21 18:26:18 +0000 2026] Application is added to the scheduler and is not yet "
      "activated.  (Resource request: <memory:1024, vCores:1> exceeds maximum AM resource "
      "allowed).";
  const auto reasons = explain_wait(waits);
  ASSERT_EQ(reasons.size(), 1U);
  EXPECT_EQ(reasons[0].text,
            "queue root.tiny allows its masters 350 MB and 2 vcores in total; 0 MB and 0 vcores is "
            "in use, and this job's master requests memory:1024, vCores:1");
  EXPECT_THAT(reasons[0].advice, HasSubstr("maxAMShare"));
}

TEST(FairReasons, NameTheLimitOfJobsAtOnce) {
  WaitFacts waits = facts();
  waits.application.state = rm::ApplicationState::Accepted;
  const std::string begin =
      "[Sat Nov 21 18:26:13 +0000 2026] Application is added to the scheduler "
      "and is not yet activated. The ";
  waits.application.diagnostics =
      begin + "queue \"root.tiny\" has reached the maximum limit of runnable applications.";
  auto reasons = explain_wait(waits);
  ASSERT_EQ(reasons.size(), 1U);
  EXPECT_EQ(reasons[0].text, "queue root.tiny already runs as many jobs as it may: 1");
  waits.application.diagnostics =
      begin + "user \"alice\" has reached the maximum limit of runnable applications.";
  reasons = explain_wait(waits);
  ASSERT_EQ(reasons.size(), 1U);
  EXPECT_THAT(reasons[0].text, HasSubstr("limits how many jobs a user may run at once"));
}

TEST(FairReasons, SayThatTheShareIsUsedUp) {
  WaitFacts waits = facts();
  waits.load->fair->most = {.memory_mb = 49152, .vcores = 48};
  waits.load->fair->share.memory_mb = 2000;
  const auto reasons = explain_wait(waits);
  ASSERT_EQ(reasons.size(), 1U);
  EXPECT_EQ(reasons[0].text,
            "queue root.tiny uses its fair share of the cluster: 2048 MB of 2000 MB");
}

TEST(FairReasons, SayThatALabelIsNeverMet) {
  WaitFacts waits = facts();
  waits.label = "gpu";
  const auto reasons = explain_wait(waits);
  ASSERT_EQ(reasons.size(), 1U);
  EXPECT_THAT(reasons[0].text, HasSubstr("has no node labels: gpu can never be satisfied"));
}

}  // namespace
}  // namespace muster::cluster::yarn
