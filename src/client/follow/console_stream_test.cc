#include "client/follow/console_stream.h"

#include "rt/fd.h"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/eventfd.h>
#include <unistd.h>

namespace muster::client {
namespace {

/// A pipe that nobody reads, full to the last byte.
class UnreadPipe : public ::testing::Test {
 protected:
  UnreadPipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    reader_ = rt::Fd(ends[0]);
    writer_ = rt::Fd(ends[1]);
    const std::string filling(static_cast<size_t>(::fcntl(ends[1], F_GETPIPE_SZ)), 'x');
    EXPECT_EQ(::write(ends[1], filling.data(), filling.size()),
              static_cast<ssize_t>(filling.size()));
  }

  rt::Fd reader_;
  rt::Fd writer_;
  rt::Fd signals_{::eventfd(0, EFD_CLOEXEC)};  ///< Readable while a signal is pending.
};

TEST_F(UnreadPipe, IsNotWaitedForAfterASignalThatWasObeyedBefore) {
  ConsoleStream stream(writer_.get());
  (void)stream.give_way_to(signals_.get());
  stream.hurry();
  stream.write("more");
  EXPECT_EQ(stream.error(), EAGAIN);
}

TEST_F(UnreadPipe, IsNotWaitedForWhileASignalIsPending) {
  ConsoleStream stream(writer_.get());
  (void)stream.give_way_to(signals_.get());
  const uint64_t one = 1;
  ASSERT_EQ(::write(signals_.get(), &one, sizeof(one)), static_cast<ssize_t>(sizeof(one)));
  stream.write("more");
  EXPECT_FALSE(stream.failed()) << "it is kept until the signal has been obeyed";
  uint64_t taken = 0;
  ASSERT_EQ(::read(signals_.get(), &taken, sizeof(taken)), static_cast<ssize_t>(sizeof(taken)));
  stream.write("");
  EXPECT_EQ(stream.error(), EAGAIN);
}

TEST_F(UnreadPipe, TakesMoreInAHurryOnceItIsRead) {
  ConsoleStream stream(writer_.get());
  (void)stream.give_way_to(signals_.get());
  stream.hurry();
  std::string taken(size_t{64} << 10, '\0');
  ASSERT_GT(::read(reader_.get(), taken.data(), taken.size()), 0);
  stream.write("more");
  EXPECT_FALSE(stream.failed());
}

}  // namespace
}  // namespace muster::client
