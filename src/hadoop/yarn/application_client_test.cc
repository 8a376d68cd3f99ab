#include "hadoop/yarn/application_client.h"

#include "hadoop/yarn/explanation.h"
#include "hadoop/yarn/fake_cluster_test.h"

namespace muster::hadoop::yarn {
namespace {

class ApplicationClientTest : public FakeClusterTest {
 protected:
  static testing::FakeResourceManager::Options options() {
    return {.queues = {{.name = "default", .state = QueueState::Running},
                       {.name = "night", .state = QueueState::Stopped}},
            .masters_outside = true};
  }
  ApplicationClientTest() : FakeClusterTest(options()) {}

  void expect_refused(const Submission& refused, Errc code, const std::string& word) {
    const auto report = run(client.submit(refused, soon()));
    ASSERT_FALSE(report.has_value());
    EXPECT_EQ(report.error().code, code) << report.error().message;
    EXPECT_EQ(report.error().blame, Blame::User);
    EXPECT_NE(report.error().message.find(word), std::string::npos) << report.error().message;
    EXPECT_EQ(report.error().message.find("org.apache"), std::string::npos)
        << report.error().message;
  }
};

TEST_F(ApplicationClientTest, SubmitsReportsAndKills) {
  const auto submitted = submission();
  const auto report = run(client.submit(submitted, soon()));
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->state, ApplicationState::Accepted);
  EXPECT_EQ(report->tags, std::vector<std::string>{"muster"});

  EXPECT_TRUE(run(client.kill(submitted.id, "enough", soon())).has_value());
  const auto killed = run(client.report(submitted.id, soon()));
  EXPECT_EQ(killed->state, ApplicationState::Killed);
  EXPECT_TRUE(killed->diagnostics.ends_with(" with diagnostic message: enough"));
}

TEST_F(ApplicationClientTest, SubmitsAgainWhatAFailoverLost) {
  const auto submitted = submission();
  cluster.client_side().throw_next("getApplicationReport",
                                   "org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException",
                                   "Application with id doesn't exist in RM");
  EXPECT_TRUE(run(client.submit(submitted, soon())).has_value());
  EXPECT_EQ(cluster.client_side().calls("submitApplication"), 2);
}

TEST_F(ApplicationClientTest, ALostAnswerSubmitsNothingTwice) {
  cluster.client_side().lose_next_reply("submitApplication");
  EXPECT_TRUE(run(client.submit(submission(), soon())).has_value());
  EXPECT_EQ(cluster.applications().size(), 1U);
}

TEST_F(ApplicationClientTest, QueuesThatAreNotThereOrStoppedAreNamed) {
  auto lost = submission();
  lost.queue = "nope";
  expect_refused(lost, Errc::NotFound, "unknown queue: nope");
  auto stopped = submission();
  stopped.queue = "night";
  expect_refused(stopped, Errc::PermissionDenied, "STOPPED");
}

TEST_F(ApplicationClientTest, AMasterThatNeverFitsIsRefusedWithTheNumbers) {
  auto large = submission();
  large.master_resources.memory_mb = 100000;
  expect_refused(large, Errc::NeverFits, "maximum allowed allocation=<memory:8192, vCores:8>");
}

TEST_F(ApplicationClientTest, NoApplicationIsNotFound) {
  const auto report = run(client.report({.cluster_timestamp = 1, .number = 9}, soon()));
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code, Errc::NotFound);
  EXPECT_NE(report.error().message.find("application_1_0009"), std::string::npos);
}

TEST_F(ApplicationClientTest, GivesUpAtTheDeadline) {
  cluster.client_side().set_reachable(false);
  const auto begun = loop.now();
  const auto report = run(client.new_application(begun + std::chrono::seconds(5)));
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code, Errc::Unavailable);
  EXPECT_LE(loop.now() - begun, std::chrono::seconds(5));
}

TEST_F(ApplicationClientTest, ListsByTagAndUser) {
  ASSERT_TRUE(run(client.submit(submission(), soon())).has_value());
  auto other = submission();
  other.tags = {"other"};
  ASSERT_TRUE(run(client.submit(other, soon())).has_value());
  EXPECT_EQ(run(client.applications({}, soon()))->size(), 2U);
  EXPECT_EQ(run(client.applications({.tags = {"muster"}}, soon()))->size(), 1U);
  EXPECT_EQ(run(client.applications({.users = {"bob"}}, soon()))->size(), 0U);
}

TEST_F(ApplicationClientTest, AsksAboutTheCluster) {
  EXPECT_EQ(run(client.metrics(soon()))->active, 2);
  const auto nodes = run(client.nodes({}, soon()));
  ASSERT_EQ(nodes->size(), 2U);
  EXPECT_EQ(nodes->front().id.host, "h1");
  EXPECT_EQ(nodes->front().state, NodeState::Running);
  EXPECT_EQ(run(client.queue("night", soon()))->state, QueueState::Stopped);
  const auto nowhere = run(client.queue("nope", soon()));
  EXPECT_EQ(nowhere.error().code, Errc::NotFound) << nowhere.error().message;
  const auto rights = run(client.queue_rights(soon()));
  ASSERT_EQ(rights->size(), 2U);
  EXPECT_TRUE(rights->front().submit);
}

TEST(Explanation, NamesTheCauseThatAnExceptionWraps) {
  const auto error = explain_exception(
      "org.apache.hadoop.yarn.exceptions.YarnException",
      "org.apache.hadoop.security.AccessControlException: User bob does not have permission to "
      "submit application_1_0001 to queue default\n\tat org.apache.hadoop...",
      "cannot submit");
  EXPECT_EQ(error.code, Errc::PermissionDenied);
  EXPECT_EQ(
      error.message,
      "cannot submit: User bob does not have permission to submit application_1_0001 to queue "
      "default; choose a queue that you may submit to, or ask the cluster's administrators");
}

TEST(Explanation, AClassWithoutAWordIsBetterThanNothing) {
  EXPECT_EQ(explain_exception("java.lang.NullPointerException", "", "cannot submit").message,
            "cannot submit: java.lang.NullPointerException");
}

}  // namespace
}  // namespace muster::hadoop::yarn
