#include "cluster/yarn/waiting/wait_reasons.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::cluster::yarn {
namespace {

namespace rm = hadoop::yarn;
using ::testing::HasSubstr;

constexpr std::string_view kMasterLimit =
    "[Sat Nov 21 11:12:06 +0000 2026] Application is added to the scheduler and is not yet "
    "activated. Queue's AM resource limit exceeded.  Details : AM Partition = <DEFAULT_PARTITION>; "
    "AM Resource Request = <memory:256, vCores:1>; Queue Resource Limit for AM = <memory:512, "
    "vCores:1>; User AM Resource Limit of the queue = <memory:512, vCores:1>; Queue AM Resource "
    "Usage = <memory:512, vCores:2>; ";

rm::NodeReport node(int32_t port, int64_t used_mb) {
  rm::NodeReport report;
  report.id = {.host = "h", .port = port};
  report.state = rm::NodeState::Running;
  report.capacity = {.memory_mb = 4096, .vcores = 4};
  report.used = {.memory_mb = used_mb, .vcores = 1};
  return report;
}

WaitFacts facts() {
  WaitFacts made;
  made.application.queue = "default";
  made.application.state = rm::ApplicationState::Accepted;
  made.largest_ask = {.memory_mb = 1024, .vcores = 1};
  made.nodes = {node(1, 0)};
  return made;
}

TEST(WaitReasons, NameTheLimitOfMastersWithItsNumbers) {
  WaitFacts waits = facts();
  waits.application.diagnostics = kMasterLimit;
  const auto reasons = explain_wait(waits);
  ASSERT_EQ(reasons.size(), 1U);
  EXPECT_THAT(reasons[0].text, HasSubstr("queue default allows its masters memory:512"));
  EXPECT_THAT(reasons[0].text, HasSubstr("requests memory:256"));
  EXPECT_THAT(reasons[0].advice, HasSubstr("yarn.queue"));
  EXPECT_EQ(short_wait(kMasterLimit),
            "the master limit there is used up (memory:512, vCores:2 of memory:512, vCores:1); see "
            "`muster why`");
}

TEST(WaitReasons, TellNodesWithoutRoomFromNodesThatAreTooSmall) {
  WaitFacts waits = facts();
  waits.nodes = {node(1, 4000), node(2, 3500)};
  auto reasons = explain_wait(waits);
  ASSERT_EQ(reasons.size(), 1U);
  EXPECT_THAT(reasons[0].text, HasSubstr("none of the 2 nodes has room"));
  EXPECT_THAT(reasons[0].text, HasSubstr("h:2, has 596 MB"));
  waits.largest_ask.memory_mb = 9000;
  reasons = explain_wait(waits);
  ASSERT_EQ(reasons.size(), 1U);
  EXPECT_THAT(reasons[0].text, HasSubstr("large enough"));
}

TEST(WaitReasons, NameQueuesLabelsAndNodesThatAreAway) {
  WaitFacts waits = facts();
  waits.label = "gpu";
  waits.queue = rm::QueueInfo();
  waits.queue->name = "default";
  waits.queue->state = rm::QueueState::Stopped;
  waits.nodes.push_back(node(2, 0));
  waits.nodes.back().state = rm::NodeState::Unhealthy;
  waits.nodes.back().health = "1/1 local-dirs have errors";
  const auto reasons = explain_wait(waits);
  ASSERT_EQ(reasons.size(), 4U);
  EXPECT_THAT(reasons[0].text, HasSubstr("queue default is stopped"));
  EXPECT_THAT(reasons[1].text, HasSubstr("may not use nodes with the label gpu"));
  EXPECT_THAT(reasons[2].text, HasSubstr("no running node has the label gpu"));
  EXPECT_THAT(reasons[3].text, HasSubstr("h:2 is unhealthy: 1/1"));
}

TEST(WaitReasons, PassOnWhatTheSchedulerNoted) {
  WaitFacts waits = facts();
  waits.activities = {
      {.state = "SKIPPED", .diagnostic = "Queue hits max-capacity limit", .nodes = {"h:1"}},
      {.state = "ALLOCATED", .diagnostic = "fine"}};
  const auto reasons = explain_wait(waits);
  ASSERT_EQ(reasons.size(), 1U);
  EXPECT_EQ(reasons[0].text, "the scheduler: Queue hits max-capacity limit (1 node)");
  EXPECT_THAT(reasons[0].advice, HasSubstr("full"));
}

TEST(WaitReasons, TellAConstraintFromALabelAndPassOverWhatIsMet) {
  WaitFacts waits = facts();
  waits.activities = {
      {.state = "SKIPPED", .diagnostic = "Request does not need more resource", .nodes = {"h:1"}},
      {.state = "SKIPPED",
       .diagnostic = "Node does not match partition or placement constraints, unsatisfied PC "
                     "expression=\"notin,node,worker\", target-type=ALLOCATION_TAG ",
       .nodes = {"h:1", "h:2"}}};
  waits.activities[1].count = 2;
  const auto reasons = explain_wait(waits);
  ASSERT_EQ(reasons.size(), 1U);
  EXPECT_EQ(reasons[0].text,
            "the scheduler: Node does not match partition or placement constraints, unsatisfied PC "
            "expression=\"notin,node,worker\", target-type=ALLOCATION_TAG (2 nodes)");
  EXPECT_THAT(reasons[0].advice, HasSubstr("loosen the role's `constraint`"));
}

TEST(WaitReasons, SayAtLeastWhatTheClusterSays) {
  WaitFacts waits = facts();
  waits.application.diagnostics = "[Sat Nov 21] AM container is launched, waiting";
  const auto reasons = explain_wait(waits);
  ASSERT_EQ(reasons.size(), 1U);
  EXPECT_EQ(reasons[0].text, "queue default: AM container is launched, waiting");
}

}  // namespace
}  // namespace muster::cluster::yarn
