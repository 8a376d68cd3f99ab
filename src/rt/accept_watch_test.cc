#include "rt/accept_watch.h"

#include "rt/fd.h"
#include "rt/io_loop.h"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <sys/socket.h>
#include <unistd.h>

namespace muster::rt {
namespace {

/// A descriptor at which somebody always waits stands for a listening one.
struct Comings : ::testing::Test {
  Comings() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()), 0);
    near.reset(ends[0]);
    far.reset(ends[1]);
    EXPECT_EQ(::write(far.get(), "x", 1), 1);
  }

  IoLoop loop;
  Fd near;
  Fd far;
  int calls = 0;
};

TEST_F(Comings, AreNotSeenDuringARest) {
  AcceptWatch* self = nullptr;
  AcceptWatch watch(loop, near.get(), [&] {
    ++calls;
    self->rest(std::chrono::hours(1));
    self->rest(Duration::zero());  // Repeating it changes nothing.
    loop.stop();
  });
  self = &watch;
  loop.run();
  EXPECT_EQ(calls, 1);
  loop.run_until(loop.now() + std::chrono::milliseconds(50));
  EXPECT_EQ(calls, 1);
  watch.look();
  watch.look();
  loop.run();
  EXPECT_EQ(calls, 2) << "there is room again";
}

TEST_F(Comings, AreSeenWhenTheRestIsOver) {
  AcceptWatch* self = nullptr;
  AcceptWatch watch(loop, near.get(), [&] {
    if (++calls == 2) {
      loop.stop();
    }
    self->rest(std::chrono::milliseconds(1));
  });
  self = &watch;
  loop.run();
  EXPECT_EQ(calls, 2);
}

TEST(AcceptWatch, KnowsWhatIsWorthARest) {
  EXPECT_TRUE(no_descriptor_left(EMFILE));
  EXPECT_TRUE(no_descriptor_left(ENFILE));
  EXPECT_FALSE(no_descriptor_left(EAGAIN));
  EXPECT_FALSE(no_descriptor_left(ECONNABORTED));
}

}  // namespace
}  // namespace muster::rt
