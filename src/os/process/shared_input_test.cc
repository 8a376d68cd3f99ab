#include "os/process/shared_input.h"

#include "rt/fd.h"
#include "rt/io_loop.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <fcntl.h>
#include <unistd.h>

namespace muster::os {
namespace {

TEST(SharedInput, TellsOfBytesAndLeavesTheModeAlone) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const rt::Fd reader(ends[0]);
  const rt::Fd writer(ends[1]);
  rt::IoLoop loop;
  const SharedInput input(reader.get());
  ASSERT_TRUE(input.pollable());
  EXPECT_FALSE(input.ready());
  int told = 0;
  const auto watch = input.watch(loop, [&] {
    EXPECT_TRUE(input.ready());
    char byte = 0;
    EXPECT_EQ(::read(reader.get(), &byte, 1), 1);
    if (++told == 2) {
      loop.stop();  // It is told again as long as something is left.
    }
  });
  ASSERT_EQ(::write(writer.get(), "xy", 2), 2);
  loop.run_until(loop.now() + std::chrono::minutes(1));
  EXPECT_EQ(told, 2);
  EXPECT_FALSE(input.ready());
  EXPECT_EQ(::fcntl(reader.get(), F_GETFL) & O_NONBLOCK, 0);
}

TEST(SharedInput, TellsOfTheEnd) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const rt::Fd reader(ends[0]);
  rt::Fd writer(ends[1]);
  rt::IoLoop loop;
  const SharedInput input(reader.get());
  bool told = false;
  const auto watch = input.watch(loop, [&] {
    told = true;
    loop.stop();
  });
  writer.reset();
  loop.run_until(loop.now() + std::chrono::minutes(1));
  EXPECT_TRUE(told);
  EXPECT_TRUE(input.ready());
}

TEST(SharedInput, IsNotPollableWhereItIsAlwaysReady) {
  const rt::Fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_FALSE(SharedInput(null.get()).pollable());
  EXPECT_TRUE(SharedInput(null.get()).ready());
}

}  // namespace
}  // namespace muster::os
