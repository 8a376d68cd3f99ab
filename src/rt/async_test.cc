#include "rt/async.h"

#include "rt/running.h"
#include "rt/scope.h"
#include "rt/wait.h"
#include "rt/wait_until.h"
#include "testing/run_async.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace muster::rt {
namespace {

using namespace std::chrono_literals;
using testing::FakeLoop;

Async<int> number(int value) { co_return value; }

Async<int64_t> sum_to(int last) {
  int64_t sum = 0;
  for (int i = 1; i <= last; ++i) {
    sum += co_await number(i);
  }
  co_return sum;
}

Async<Result<int>> slow(Loop& loop, Duration delay) {
  co_await pause_for(loop, delay);
  co_return 7;
}

/// Counts destructions.
struct Guard {
  explicit Guard(int& counter) : count(&counter) {}
  Guard(Guard&&) = delete;
  ~Guard() { ++*count; }
  int* count;
};

Async<> guarded_sleep(Loop& loop, int& destroyed, int& finished) {
  const Guard guard(destroyed);
  co_await pause_for(loop, 1s);
  ++finished;
}

TEST(Async, GivesItsValueWithoutGrowingTheStack) {
  FakeLoop loop;
  EXPECT_EQ(testing::run_async(loop, sum_to(100'000)), 5'000'050'000);
}

TEST(Async, StartsInTheNextTurn) {
  FakeLoop loop;
  int result = 0;
  const Running running = start(loop, number(3), [&](int value) { result = value; });
  EXPECT_TRUE(running.active());
  EXPECT_EQ(result, 0);
  loop.run_ready();
  EXPECT_EQ(result, 3);
  EXPECT_FALSE(running.active());
}

TEST(Async, IsDestroyedWithItsOwner) {
  FakeLoop loop;
  int destroyed = 0;
  int finished = 0;
  {
    Running running = start(loop, guarded_sleep(loop, destroyed, finished), [] {});
    loop.advance(500ms);
    EXPECT_EQ(destroyed, 0);
    const Running moved = std::move(running);
  }
  EXPECT_EQ(destroyed, 1);
  loop.advance(10s);
  EXPECT_EQ(finished, 0);
  EXPECT_EQ(loop.pending(), 0U);
}

TEST(Async, MayLoseItsOwnerInItsCallback) {
  FakeLoop loop;
  auto owner = std::make_unique<Running>();
  bool called = false;
  *owner = start(loop, number(1), [&](int) {
    owner.reset();
    called = true;
  });
  loop.run_ready();
  EXPECT_TRUE(called);
}

TEST(Async, IsDroppedUnstarted) {
  FakeLoop loop;
  int destroyed = 0;
  int finished = 0;
  {
    const auto work = guarded_sleep(loop, destroyed, finished);
  }
  {
    const Running running = start(loop, guarded_sleep(loop, destroyed, finished), [] {});
  }
  loop.advance(5s);
  EXPECT_EQ(finished, 0);
}

Async<Result<int>> doubled(Loop& loop, Result<int> input) {
  co_await next_turn(loop);
  MUSTER_CO_TRY(const int value, std::move(input));
  MUSTER_CO_TRY_STATUS(Status());
  co_return value * 2;
}

TEST(Async, PassesErrorsUp) {
  FakeLoop loop;
  EXPECT_EQ(testing::run_async(loop, doubled(loop, 4))->value(), 8);
  EXPECT_EQ(testing::run_async(loop, doubled(loop, user_error("no")))->error().message, "no");
}

TEST(Deadline, LeavesWhatIsInTime) {
  FakeLoop loop;
  const auto result =
      testing::run_async(loop, with_deadline(loop, loop.now() + 2s, "seven", slow(loop, 1s)));
  EXPECT_EQ(result->value(), 7);
  EXPECT_EQ(loop.pending(), 0U);
}

TEST(Deadline, NamesWhatWasWaitedFor) {
  FakeLoop loop;
  const auto result = testing::run_async(
      loop, with_deadline(loop, loop.now() + 2s, "nn1:8020 to answer", slow(loop, 1min)));
  EXPECT_EQ(result->error(), cluster_error("gave up waiting for nn1:8020 to answer after 2.0 s",
                                           Errc::DeadlineExceeded));
  EXPECT_EQ(loop.pending(), 0U);
}

TEST(Deadline, IsForgottenWithItsOwner) {
  FakeLoop loop;
  bool called = false;
  {
    const Running running =
        start(loop, with_deadline(loop, loop.now() + 2s, "it", slow(loop, 1min)),
              [&](const Result<int>&) { called = true; });
    loop.advance(1s);
  }
  loop.advance(1h);
  EXPECT_FALSE(called);
}

Async<> note(Event& event, std::string& order, char name) {
  co_await event.wait();
  order += name;
}

TEST(Event, WakesInOrderAndStaysSet) {
  FakeLoop loop;
  Event event(loop);
  std::string order;
  Scope scope(loop);
  scope.spawn(note(event, order, 'a'));
  scope.spawn(note(event, order, 'b'));
  loop.run_ready();
  EXPECT_EQ(order, "");
  event.set();
  EXPECT_EQ(order, "");
  loop.run_ready();
  EXPECT_EQ(order, "ab");
  scope.spawn(note(event, order, 'c'));
  loop.run_ready();
  EXPECT_EQ(order, "abc");
}

TEST(Event, PulsesOnlyThoseThatWait) {
  FakeLoop loop;
  Event event(loop);
  std::string order;
  Scope scope(loop);
  scope.spawn(note(event, order, 'a'));
  loop.run_ready();
  event.pulse();
  scope.spawn(note(event, order, 'b'));
  loop.run_ready();
  EXPECT_EQ(order, "a");
  EXPECT_EQ(scope.size(), 1U);
}

TEST(Event, ForgetsDestroyedWaiters) {
  FakeLoop loop;
  Event event(loop);
  std::string order;
  {
    Scope scope(loop);
    scope.spawn(note(event, order, 'a'));
    loop.run_ready();
    event.set();  // Posted, but destroyed before its turn.
  }
  loop.run_ready();
  EXPECT_EQ(order, "");
}

Async<int> ask(Loop& loop, std::optional<Answer<int>>& asked, int& kept) {
  auto begin = [&](Answer<int> answer) {
    asked = std::move(answer);
    return std::make_unique<Guard>(kept);
  };
  co_return co_await from_callback<int>(loop, std::move(begin));
}

Async<> note_wait(Loop& loop, Event& event, std::optional<bool>& came) {
  came = co_await wait_until(loop, loop.now() + 1s, event);
}

TEST(WaitUntil, ReturnsWhenTheEventComes) {
  FakeLoop loop;
  Event event(loop);
  std::optional<bool> came;
  const Running running = start(loop, note_wait(loop, event, came), [] {});
  loop.advance(500ms);
  EXPECT_FALSE(came.has_value());
  event.pulse();
  loop.run_ready();
  EXPECT_EQ(came, true);
  EXPECT_EQ(loop.pending(), 0U);
}

TEST(WaitUntil, ReturnsWhenItsTimeIsOver) {
  FakeLoop loop;
  Event event(loop);
  std::optional<bool> came;
  const Running running = start(loop, note_wait(loop, event, came), [] {});
  loop.advance(1s);
  EXPECT_EQ(came, false);
  event.set();
  loop.run_ready();
  EXPECT_EQ(came, false);
}

TEST(WaitUntil, DoesNotWaitForAnEventThatIsSet) {
  FakeLoop loop;
  Event event(loop);
  event.set();
  std::optional<bool> came;
  const Running running = start(loop, note_wait(loop, event, came), [] {});
  loop.run_ready();
  EXPECT_EQ(came, true);
}

TEST(FromCallback, TakesTheFirstAnswerInALaterTurn) {
  FakeLoop loop;
  std::optional<Answer<int>> asked;
  int kept = 0;
  int result = 0;
  const Running running = start(loop, ask(loop, asked, kept), [&](int value) { result = value; });
  loop.run_ready();
  ASSERT_TRUE(asked.has_value());
  (*asked)(5);
  (*asked)(6);
  EXPECT_EQ(result, 0);
  EXPECT_EQ(kept, 0);
  loop.run_ready();
  EXPECT_EQ(result, 5);
  EXPECT_EQ(kept, 1);
}

TEST(FromCallback, IgnoresAnAnswerAfterItsEnd) {
  FakeLoop loop;
  std::optional<Answer<int>> asked;
  int kept = 0;
  {
    const Running running = start(loop, ask(loop, asked, kept), [](int) {});
    loop.run_ready();
  }
  EXPECT_EQ(kept, 1);
  (*asked)(5);
  loop.run_ready();
}

TEST(FromCallback, TakesAnAnswerAtOnce) {
  FakeLoop loop;
  const auto at_once = [](Loop& on) -> Async<int> {
    auto begin = [](const Answer<int>& answer) { answer(9); };
    co_return co_await from_callback<int>(on, begin);
  };
  EXPECT_EQ(testing::run_async(loop, at_once(loop)), 9);
}

TEST(RunBlocking, ReturnsWhatTheWorkReturns) {
  IoLoop loop;
  const auto text = testing::run_async(loop, run_blocking(loop, [] { return std::string("x"); }));
  EXPECT_EQ(text, "x");
}

TEST(Scope, EndsAllOfItsCoroutines) {
  FakeLoop loop;
  int destroyed = 0;
  int finished = 0;
  {
    Scope scope(loop);
    scope.spawn(guarded_sleep(loop, destroyed, finished));
    scope.spawn(guarded_sleep(loop, destroyed, finished));
    loop.run_ready();
    EXPECT_EQ(scope.size(), 2U);
  }
  EXPECT_EQ(destroyed, 2);
  loop.advance(5s);
  EXPECT_EQ(finished, 0);
}

TEST(Scope, RunsAllAtTheSameTime) {
  FakeLoop loop;
  std::vector<Async<Result<int>>> works;
  for (const auto delay : {3s, 1s, 2s}) {
    works.push_back(slow(loop, delay));
  }
  const HostTime begun = loop.now();
  const auto values = testing::run_async(loop, all(loop, std::move(works)));
  EXPECT_EQ(values->size(), 3U);
  EXPECT_EQ(loop.now() - begun, 3s);
}

TEST(Async, RunsOnARealLoop) {
  IoLoop loop;
  EXPECT_EQ(testing::run_async(loop, slow(loop, 1ms))->value(), 7);
  const auto late =
      testing::run_async(loop, with_deadline(loop, loop.now() + 1ms, "it", slow(loop, 1h)));
  EXPECT_EQ(late->error().code, Errc::DeadlineExceeded);
}

}  // namespace
}  // namespace muster::rt
