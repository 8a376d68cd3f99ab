#include "notice/policy.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace muster::notice {
namespace {

using namespace std::chrono_literals;
using job::NoticeFate;
using job::NoticeWay;
using spec::Occasion;

job::Plan plan() {
  job::Plan plan;
  plan.job = job::JobId("digits-1");
  plan.roles.resize(1);
  plan.roles[0].name = "worker";
  plan.roles[0].tasks = 2;
  return plan;
}

job::AttemptId worker(uint32_t index, uint32_t number = 1) {
  return {.task = {.role = job::RoleIndex(0), .index = index}, .number = number};
}

spec::Notify hook(std::vector<Occasion> on) {
  spec::Notify notify;
  notify.hook = "http://h/";
  notify.on = std::move(on);
  return notify;
}

std::vector<std::string> ids(const Policy& policy, const job::State& state) {
  std::vector<std::string> ids;
  for (const Delivery& delivery : policy.due(state)) {
    ids.push_back(delivery.notice.id);
  }
  return ids;
}

job::State ended() {
  job::State state;
  for (const std::string_view step : {"gathered", "running", "ended"}) {
    state.chronicle.reach(step, {});
  }
  state.phase = job::JobPhase::Ended;
  state.outcome = job::Outcome{.first_cause = job::FirstCause{}};
  state.chronicle.end_fact(state.outcome);
  return state;
}

using Ids = std::vector<std::string>;

TEST(NoticePolicy, TellsWhatWasAskedForOnceItHasHappened) {
  const Policy all(hook({Occasion::End, Occasion::Start, Occasion::FirstCause, Occasion::Stall}));
  job::State state;
  EXPECT_EQ(ids(all, state), Ids{});
  state.chronicle.reach("running", {});
  EXPECT_EQ(ids(all, state), Ids{"start"});
  EXPECT_EQ(ids(all, ended()), (Ids{"start", "first_cause", "end"}));
  EXPECT_EQ(ids(Policy(hook({Occasion::End})), ended()), Ids{"end"});
  EXPECT_EQ(ids(Policy(spec::Notify{}), ended()), Ids{}) << "there is no way to tell it";
}

TEST(NoticePolicy, AnOutcomeIsNoEndBeforeEverythingIsReleased) {
  job::State state = ended();
  state.phase = job::JobPhase::Stopping;
  EXPECT_EQ(ids(Policy(hook({Occasion::End})), state), Ids{});
}

TEST(NoticePolicy, EveryWayHasADeliveryOfItsOwn) {
  spec::Notify notify = hook({Occasion::End});
  notify.command = "true";
  notify.mail = {"me@example.com"};
  Policy policy(notify);
  ASSERT_EQ(policy.due(ended()).size(), 3U);
  policy.take(plan(), job::NoticeTold{"end", NoticeWay::Hook, NoticeFate::Delivered, 1, ""});
  const std::vector<Delivery> due = policy.due(ended());
  ASSERT_EQ(due.size(), 2U);
  EXPECT_EQ(due[0].way, NoticeWay::Command);
  EXPECT_EQ(due[1].way, NoticeWay::Mail);
}

TEST(NoticePolicy, AFailingNoticeStaysDueUntilItIsGivenUp) {
  Policy policy(hook({Occasion::End}));
  policy.take(plan(), job::NoticeTold{"end", NoticeWay::Hook, NoticeFate::Failing, 1, "500"});
  EXPECT_EQ(ids(policy, ended()), Ids{"end"});
  policy.take(plan(), job::NoticeTold{"end", NoticeWay::Hook, NoticeFate::GivenUp, 9, "500"});
  EXPECT_EQ(ids(policy, ended()), Ids{});
}

TEST(NoticePolicy, AStallIsToldOnceForEachAttemptAndSeldom) {
  Policy policy(hook({Occasion::Stall}));
  const auto stalled = [](job::AttemptId attempt, Duration silent) {
    return job::AttemptStalled{attempt, silent, job::Sureness::Unsure};
  };
  policy.take(plan(), stalled(worker(0), 0s));  // A stall that is over.
  policy.take(plan(), job::AttemptStalled{worker(0), 600s, job::Sureness::Sign});  // It is idle.
  EXPECT_EQ(ids(policy, {}), Ids{});
  policy.take(plan(), stalled(worker(0), 600s));
  policy.take(plan(), stalled(worker(0), 660s));
  policy.take(plan(), stalled(worker(1, 2), 600s));
  EXPECT_EQ(ids(policy, {}), (Ids{"stall:worker:0#1", "stall:worker:1#2"}));
  for (uint32_t number = 3; number < 100; ++number) {
    policy.take(plan(), stalled(worker(1, number), 600s));
  }
  EXPECT_EQ(ids(policy, {}).size(), kStallsMax);
}

TEST(NoticePolicy, WaitsDoubleAndEnd) {
  EXPECT_EQ(wait_before(1, 0s, false), Duration(1s));
  EXPECT_EQ(wait_before(2, 1s, false), Duration(2s));
  EXPECT_EQ(wait_before(3, 3s, false), Duration(4s));
  EXPECT_EQ(wait_before(30, 5min, false), Duration(1min));
  EXPECT_EQ(wait_before(30, 5min, true), Duration(2s)) << "the job is ending";
  EXPECT_EQ(wait_before(30, 9min + 30s, false), std::nullopt);
}

}  // namespace
}  // namespace muster::notice
