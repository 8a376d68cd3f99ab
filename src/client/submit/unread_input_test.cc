#include "client/submit/unread_input.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

namespace muster::client {
namespace {

TEST(UnreadInput, IsWhatSomebodyHasWrittenIntoAPipe) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  EXPECT_FALSE(has_unread_input(ends[0]));
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  EXPECT_TRUE(has_unread_input(ends[0]));
  ::close(ends[0]);
  ::close(ends[1]);
  EXPECT_FALSE(has_unread_input(ends[0]));
}

TEST(UnreadInput, IsTheRestOfAFile) {
  const int file = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  ASSERT_GE(file, 0);
  EXPECT_TRUE(has_unread_input(file));
  ASSERT_GT(::lseek(file, 0, SEEK_END), 0);
  EXPECT_FALSE(has_unread_input(file));
  ::close(file);
}

TEST(UnreadInput, IsNothingOfADevice) {
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  EXPECT_FALSE(has_unread_input(null));
  ::close(null);
}

}  // namespace
}  // namespace muster::client
