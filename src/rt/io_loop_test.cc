#include "rt/io_loop.h"

#include "rt/fd.h"
#include "rt/system_random.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace muster::rt {
namespace {

using namespace std::chrono_literals;

struct Pipe {
  Pipe() {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    read = Fd(ends[0]);
    write = Fd(ends[1]);
  }
  Fd read;
  Fd write;
};

TEST(IoLoop, RunsPostedCallbacksInOrder) {
  IoLoop loop;
  std::string order;
  loop.post([&] { order += 'a'; });
  loop.post([&] {
    order += 'b';
    loop.post([&] {
      order += 'd';
      loop.stop();
    });
  });
  loop.post([&] { order += 'c'; });
  loop.run();
  EXPECT_EQ(order, "abcd");
}

TEST(IoLoop, FiresTimersByTimeAndForgetsCancelledOnes) {
  IoLoop loop;
  std::string order;
  const HostTime start = loop.now();
  loop.call_at(start + 3ms, [&] {
    order += 'c';
    loop.stop();
  });
  loop.call_at(start + 1ms, [&] { order += 'a'; });
  const TimerId dropped = loop.call_at(start + 1ms, [&] { order += 'x'; });
  loop.call_at(start + 2ms, [&] { order += 'b'; });
  loop.cancel(dropped);
  loop.cancel(dropped);
  loop.cancel(TimerId());
  loop.run();
  EXPECT_EQ(order, "abc");
  EXPECT_GE(loop.now() - start, 3ms);
}

TEST(IoLoop, PassedTimerFiresSoonButNotInsideTheCall) {
  IoLoop loop;
  int rounds = 0;
  std::function<void()> again = [&] {
    bool inside = true;
    loop.call_at(HostTime(), [&, inside_now = &inside] {
      (void)inside_now;
      if (++rounds == 3) {
        loop.stop();
        return;
      }
      again();
    });
    EXPECT_TRUE(inside);
    inside = false;
  };
  again();
  EXPECT_EQ(rounds, 0);
  loop.run();
  EXPECT_EQ(rounds, 3);
}

TEST(IoLoop, TimerMayCancelOneThatIsDueInTheSameRound) {
  IoLoop loop;
  bool fired = false;
  TimerId second;
  loop.call_at(HostTime(1us), [&] {
    loop.cancel(second);
    loop.post([&] { loop.stop(); });
  });
  second = loop.call_at(HostTime(2us), [&] { fired = true; });
  loop.run();
  EXPECT_FALSE(fired);
}

TEST(IoLoop, DoesBlockingWorkElsewhereAndReportsOnTheLoop) {
  IoLoop loop;
  const auto loop_thread = std::this_thread::get_id();
  std::vector<std::thread::id> workers(20);
  size_t finished = 0;
  for (std::thread::id& worker : workers) {
    loop.run_blocking([&worker] { worker = std::this_thread::get_id(); },
                      [&] {
                        EXPECT_EQ(std::this_thread::get_id(), loop_thread);
                        if (++finished == workers.size()) {
                          loop.stop();
                        }
                      });
  }
  loop.run();
  for (const std::thread::id& worker : workers) {
    EXPECT_NE(worker, loop_thread);
    EXPECT_NE(worker, std::thread::id());
  }
}

TEST(IoLoop, DoesBlockingWorkItselfWhereItGetsNoThread) {
  pthread_attr_t huge;
  pthread_attr_t before;
  ASSERT_EQ(::pthread_getattr_default_np(&before), 0);
  ASSERT_EQ(::pthread_attr_init(&huge), 0);
  ASSERT_EQ(::pthread_attr_setstacksize(&huge, size_t{1} << 46), 0);
  ASSERT_EQ(::pthread_setattr_default_np(&huge), 0);
  IoLoop loop;
  std::thread::id worker;
  loop.run_blocking([&worker] { worker = std::this_thread::get_id(); }, [&loop] { loop.stop(); });
  loop.run();
  EXPECT_EQ(::pthread_setattr_default_np(&before), 0);
  EXPECT_EQ(worker, std::this_thread::get_id());
}

TEST(IoLoop, WatchCallsAgainWhileReadyAndMayEndItself) {
  IoLoop loop;
  Pipe pipe;
  ASSERT_EQ(::write(pipe.write.get(), "abc", 3), 3);
  std::string got;
  std::unique_ptr<FdWatch> watch = loop.watch(pipe.read.get(), Interest::Read, [&] {
    char byte = 0;
    ASSERT_EQ(::read(pipe.read.get(), &byte, 1), 1);
    got += byte;
    if (got.size() == 3) {
      watch.reset();
      loop.stop();
    }
  });
  loop.run();
  EXPECT_EQ(got, "abc");
}

TEST(IoLoop, DescriptorNumberMayBeReusedAfterItsWatch) {
  IoLoop loop;
  for (int round = 0; round < 3; ++round) {
    Pipe pipe;
    const auto watch = loop.watch(pipe.read.get(), Interest::Read, [&] { loop.stop(); });
    ASSERT_EQ(::write(pipe.write.get(), "x", 1), 1);
    loop.run();
  }
}

TEST(IoLoop, ReadAndWriteWatchOfOneDescriptorLiveApart) {
  IoLoop loop;
  Pipe pipe;
  bool read_ready = false;
  const auto reader = loop.watch(pipe.read.get(), Interest::Read, [&] {
    read_ready = true;
    loop.stop();
  });
  std::unique_ptr<FdWatch> writer = loop.watch(pipe.write.get(), Interest::Write, [&] {
    ASSERT_EQ(::write(pipe.write.get(), "x", 1), 1);
    writer.reset();
  });
  loop.run();
  EXPECT_TRUE(read_ready);
}

TEST(IoLoop, RunUntilReturnsAtItsTime) {
  IoLoop loop;
  const HostTime until = loop.now() + 2ms;
  loop.run_until(until);
  EXPECT_GE(loop.now(), until);
}

TEST(SystemRandom, FillsDifferently) {
  SystemRandom random;
  std::array<uint8_t, 32> one{};
  std::array<uint8_t, 32> two{};
  random.fill(one);
  random.fill(two);
  EXPECT_NE(one, two);
}

}  // namespace
}  // namespace muster::rt
