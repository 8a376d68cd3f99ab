#include "client/follow/follower.h"

#include "client/follow/console_files_test.h"
#include "client/follow/played_master_test.h"
#include "client/follow/run_events.h"
#include "testing/fake_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace muster::client {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

class FollowerTest : public ::testing::Test {
 protected:
  FollowerTest() {
    secret_.fill(7);
    log_.header = {.job_id = "digits-1", .plan_json = "{}"};
    log_.records = {{.index = 0, .at = Time{}, .wall = {}, .fact = job::JobStarted{}},
                    {.index = 1, .at = Time(seconds(1)), .wall = {}, .fact = job::StopAsked{"me"}}};
    follower_.emplace(FollowerDeps{.loop = loop_,
                                   .transport = transport_,
                                   .console = screen_.console(),
                                   .locate = [this]() -> Result<std::string> {
                                     return address_ ? Result<std::string>(*address_)
                                                     : cluster_error("nobody", Errc::NotFound);
                                   },
                                   .make_plan = plan_of,
                                   .read_end = [this] { return found_; },
                                   .take_output = {},
                                   .files = nullptr,
                                   .events = &events_},
                      FollowerOptions{.job_id = "digits-1", .secret = secret_, .narrate = false});
  }

  static Result<job::Plan> plan_of(const std::string&, const std::string& job_id, uint64_t) {
    job::Plan plan;
    plan.job = job::JobId(job_id);
    plan.roles.push_back({.name = "worker", .tasks = 1, .tasks_min = 1});
    return plan;
  }
  void start() {
    follower_->start([this](const FollowEnd& end) { end_ = end; });
  }
  void expect_end() {
    ASSERT_TRUE(loop_.run_until([this] { return end_.has_value(); }, seconds(5)));
  }

  testing::FakeLoop loop_;
  testing::MemoryNetwork network_{loop_};
  testing::MemoryTransport transport_{network_, "client"};
  control::Secret secret_{};
  std::optional<std::string> address_;
  eventlog::Log log_;
  std::optional<FoundEnd> found_;
  ConsoleFiles screen_;
  RunEvents events_{screen_.console(), [] { return WallTime{}; }};
  std::optional<FollowEnd> end_;
  std::optional<Follower> follower_;  ///< Last: it uses all of the above.
};

TEST_F(FollowerTest, TellsAllOfAJobThatWasOverBefore) {
  found_ = FoundEnd{.outcome = job::Outcome{.result = job::JobResult::Stopped}, .log = log_};
  start();
  expect_end();
  EXPECT_EQ(end_->kind, FollowEnd::Kind::Ended);
  EXPECT_EQ(end_->outcome->result, job::JobResult::Stopped);
  ASSERT_NE(follower_->machine(), nullptr);
  EXPECT_EQ(follower_->machine()->state().phase, job::JobPhase::Ended);
  EXPECT_THAT(screen_.out(), HasSubstr(R"("phase":"gathering")"));
  EXPECT_THAT(screen_.out(), HasSubstr(R"("phase":"ended")"));
  EXPECT_THAT(screen_.out(), HasSubstr(R"("task":"worker:0")"));
}

// A master that is killed at the last moment sends nothing more; its log has the rest.
TEST_F(FollowerTest, ReadsWhatItsLastMasterDidNotSend) {
  PlayedMaster master(network_, "m1", secret_);
  address_ = master.address();
  start();
  ASSERT_TRUE(loop_.run_until([&] { return !master.got().empty(); }, seconds(5)));
  master.send(wire::encode(wire::ClientEvent{
      wire::ClientWelcome{.job_id = "digits-1", .epoch = job::Epoch(1), .plan_json = "{}"}}));
  master.send(wire::encode(wire::ClientEvent{wire::FactLogged{.fact = job::JobStarted{}}}));
  ASSERT_TRUE(loop_.run_until(
      [&] {
        return follower_->machine() != nullptr &&
               follower_->machine()->state().phase == job::JobPhase::Gathering;
      },
      seconds(5)));
  EXPECT_THAT(screen_.out(), Not(HasSubstr("ended")));
  found_ = FoundEnd{.outcome = job::Outcome{.result = job::JobResult::Stopped}, .log = log_};
  address_.reset();
  network_.cut("m1");
  expect_end();
  EXPECT_EQ(follower_->machine()->state().phase, job::JobPhase::Ended);
  const std::string out = screen_.out();
  const size_t gathering = out.find(R"("phase":"gathering")");
  EXPECT_EQ(out.find(R"("phase":"gathering")", gathering + 1), std::string::npos)
      << "told twice: " << out;
  EXPECT_THAT(out, HasSubstr(R"("phase":"ended")"));
}

TEST_F(FollowerTest, SaysAtOnceThatNobodyIsLeft) {
  found_ = FoundEnd{.outcome = std::nullopt, .error = "every process was killed", .log = log_};
  start();
  expect_end();
  EXPECT_EQ(end_->kind, FollowEnd::Kind::Lost);
  EXPECT_EQ(end_->error, "every process was killed");
}

}  // namespace
}  // namespace muster::client
