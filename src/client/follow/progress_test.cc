#include "client/follow/progress.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>

namespace muster::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr uint32_t kTasks = 3;

job::AttemptId worker(uint32_t index, uint32_t number = 1) {
  return {{job::RoleIndex{0}, index}, number};
}

job::Exit exit_of(int32_t code, std::string class_name,
                  job::FailureKind kind = job::FailureKind::Program) {
  job::Exit exit;
  exit.exit_code = code;
  exit.failure = job::Failure{.class_name = std::move(class_name),
                              .kind = kind,
                              .remedy = job::Remedy::Restart,
                              .evidence = {},
                              .hint = {}};
  return exit;
}

/// A job of three running workers, and what people are told about it.
class Narration : public ::testing::Test {
 protected:
  /// The first `granted` of the tasks run; the role needs `least`.
  void start(spec::Membership membership, job::RestartBudget restart, uint32_t least = kTasks,
             uint32_t granted = kTasks) {
    job::Plan plan;
    plan.job = job::JobId("test-1");
    plan.roles.push_back(
        {.name = "worker", .tasks = kTasks, .tasks_min = least, .membership = membership});
    plan.roles[0].restart = restart;
    machine_.emplace(std::move(plan));
    tell(job::JobStarted{});
    for (uint32_t i = 0; i < granted; ++i) {
      const job::ContainerId container("c" + std::to_string(i));
      tell(job::ContainerGranted{job::RequestId(i + 1), container, job::HostName("h1")});
      tell(job::AgentJoined{container, "127.0.0.1:9"});
    }
    for (uint32_t i = 0; i < granted; ++i) {
      tell(job::AttemptJoined{worker(i), {"127.0.0.1", static_cast<uint16_t>(5000 + i), {}}});
    }
    for (uint32_t i = 0; i < granted; ++i) {
      tell(job::AttemptStarted{worker(i), 100});
    }
  }

  std::string tell(const job::Fact& fact) {
    deadlines_.clear();
    for (const job::Action& action : machine_->apply(now_ += milliseconds(1), fact)) {
      if (const auto* set = std::get_if<job::SetDeadline>(&action)) {
        deadlines_.push_back(*set);
      }
    }
    return narrate(*machine_, fact).value_or("");
  }

  std::optional<job::Machine> machine_;
  std::vector<job::SetDeadline> deadlines_;  ///< Set by the last fact.
  Time now_{};
};

TEST_F(Narration, TellsWhatEndsBesideTheTimeSinceTheStart) {
  start(spec::Membership::Static, {.backoff_low = seconds(0)});
  tell(job::StopAsked{.by = "alice"});
  EXPECT_TRUE(phase_line(*machine_, now_).starts_with("stopping: 3 tasks ending ("))
      << phase_line(*machine_, now_);
  EXPECT_EQ(machine_->state().chronicle.waits_for(), "3 tasks to end");
  for (uint32_t i = 0; i < kTasks; ++i) {
    tell(job::AttemptEnded{worker(i), exit_of(0, "")});
  }
  tell(job::ContainerEnded{.container = job::ContainerId("c0"), .diagnostics = ""});
  EXPECT_TRUE(phase_line(*machine_, now_).starts_with("stopping: 2 containers exiting ("))
      << phase_line(*machine_, now_);
  EXPECT_EQ(machine_->state().chronicle.waits_for(), "2 containers to exit");
}

TEST_F(Narration, NamesRungCountAndReasonOfARestart) {
  start(
      spec::Membership::Independent,
      {.process = 1, .container = 1, .host = 0, .window = std::nullopt, .backoff_low = seconds(0)});
  EXPECT_EQ(tell(job::AttemptEnded{worker(1), exit_of(7, "user.exit")}),
            "worker:1 restarts in the same container (1 of 1): exit code 7 (user.exit)");
  tell(job::AttemptJoined{worker(1, 2), {"127.0.0.1", 6000, {}}});
  EXPECT_EQ(tell(job::AttemptStarted{worker(1, 2), 101}), "");
  EXPECT_EQ(tell(job::AttemptEnded{worker(1, 2), exit_of(7, "user.exit")}),
            "worker:1 restarts in a new container (1 of 1): exit code 7 (user.exit)");
}

TEST_F(Narration, SaysWhoRestartsWithItAndWhen) {
  start(spec::Membership::Static,
        {.window = std::chrono::hours(1), .backoff_low = seconds(10), .backoff_high = minutes(1)});
  const std::string line = tell(job::AttemptEnded{worker(1), exit_of(7, "user.exit")});
  EXPECT_TRUE(
      line.starts_with("worker:1 restarts in the same container (1 of 3 within 1 h) after 1"))
      << line;
  EXPECT_TRUE(line.ends_with(" s, 2 others with it: exit code 7 (user.exit)")) << line;
}

TEST_F(Narration, SaysThatAVictimWaitsForItsCauseAndThenWhatThatWas) {
  start(spec::Membership::Static, {.backoff_low = seconds(0)});
  EXPECT_EQ(tell(job::AttemptEnded{worker(0), exit_of(1, "peer.lost", job::FailureKind::PeerLoss)}),
            "worker:0 ended: exit code 1 (peer.lost), waiting for the task that caused it");
  ASSERT_EQ(deadlines_.size(), 1U);
  EXPECT_EQ(tell(job::DeadlinePassed{deadlines_[0].deadline}),
            "worker:0 restarts in the same container (1 of 3 within 1 h), 2 others with it: "
            "exit code 1 (peer.lost)");
}

TEST_F(Narration, SaysWhatWentWithALostContainer) {
  start(spec::Membership::Independent, {.backoff_low = seconds(0)});
  EXPECT_EQ(tell(job::AgentLost{job::ContainerId("c1"), job::LossReason::Silent}),
            "container c1 on h1 is lost (silent); worker:1 restarts in a new container, not "
            "counted against the task (1 of 20 within 1 h): lost (agent.silent)");
}

TEST_F(Narration, TellsTheSizeOfAnElasticRole) {
  start(spec::Membership::Elastic,
        {.process = 0, .container = 0, .host = 0, .backoff_low = seconds(0)}, 1, kTasks - 1);
  tell(job::ContainerGranted{job::RequestId(3), job::ContainerId("c2"), job::HostName("h1")});
  tell(job::AgentJoined{job::ContainerId("c2"), "127.0.0.1:9"});
  tell(job::AttemptJoined{worker(2), {"127.0.0.1", 5002, {}}});
  EXPECT_EQ(tell(job::AttemptStarted{worker(2), 100}),
            "worker:2 joins: worker now has 3 tasks (min 1, max 3)");
  EXPECT_EQ(tell(job::AttemptEnded{worker(0), exit_of(7, "user.exit")}),
            "worker:0 ended: exit code 7 (user.exit), failed for good; worker now has 2 tasks "
            "(min 1, max 3)");
}

TEST_F(Narration, IsSilentOnWhatMusterStoppedItself) {
  start(spec::Membership::Static, {.backoff_low = seconds(0)});
  tell(job::AttemptEnded{worker(1), exit_of(7, "user.exit")});
  EXPECT_EQ(tell(job::AttemptEnded{worker(0),
                                   exit_of(143, "stopped.restart", job::FailureKind::Stopped)}),
            "");
}

TEST_F(Narration, SaysWhatHappensAtTheEnd) {
  start(spec::Membership::Independent, {});
  for (uint32_t i = 0; i < kTasks; ++i) {
    job::Exit success;
    success.exit_code = 0;
    tell(job::AttemptEnded{worker(i), success});
  }
  const std::string line = phase_line(*machine_, now_);
  EXPECT_TRUE(line.starts_with("finishing: 3 containers exiting (")) << line;
}

TEST_F(Narration, SaysThatAJobIsStopped) {
  start(spec::Membership::Independent, {});
  tell(job::StopAsked{"alice"});
  const std::string line = phase_line(*machine_, now_);
  EXPECT_TRUE(line.starts_with("stopping: 3 tasks ending (")) << line;
}

TEST(Waiting, IsTheSameReasonWithOtherNumbers) {
  EXPECT_TRUE(same_but_for_numbers("5 containers from queue a, which could give 96 MB now",
                                   "4 containers from queue a, which could give 8192 MB now"));
  EXPECT_FALSE(same_but_for_numbers("5 containers from queue a", "5 containers from queue b"));
  EXPECT_FALSE(same_but_for_numbers("5 containers", ""));
}

TEST_F(Narration, TellsWhoReachedIntoATask) {
  start(spec::Membership::Independent, {});
  EXPECT_EQ(tell(job::SessionOpened{worker(1), "alice on pts/3", "10.0.0.7", "exec", "ls 'a b'"}),
            "alice on pts/3 opened exec in worker:1 from 10.0.0.7: ls 'a b'");
  EXPECT_EQ(tell(job::SessionOpened{worker(1), "alice", "", "exec", "id"}),
            "alice opened exec in worker:1: id");
  EXPECT_EQ(tell(job::SessionOpened{worker(1), "alice", "10.0.0.7", "join", "shell 2"}),
            "alice joined shell 2 in worker:1 from 10.0.0.7");
  EXPECT_EQ(tell(job::SessionDetached{worker(1), "alice", "10.0.0.7", "shell 2"}),
            "alice detached from shell 2 in worker:1 from 10.0.0.7");
}

TEST_F(Narration, TellsOfAStalledTask) {
  start(spec::Membership::Independent, {});
  EXPECT_EQ(tell(job::AttemptStalled{worker(2), minutes(10)}),
            "worker:2 on h1 is idle: it has done nothing for 10 min");
  EXPECT_EQ(tell(job::AttemptStalled{worker(2, 9), minutes(10)}), "");
}

}  // namespace
}  // namespace muster::client
