#include "os/process/no_memory.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace muster::os {
namespace {

#if __has_feature(address_sanitizer)
#define SKIP_WHERE_SANITIZED() GTEST_SKIP() << "the sanitizer's own shadow needs more than that"
#else
#define SKIP_WHERE_SANITIZED() (void)0
#endif

/// Sets the limit to what is already used, so that nothing more fits.
void take_all_memory_away() {
  const rlimit none{.rlim_cur = 1, .rlim_max = RLIM_INFINITY};
  (void)::setrlimit(RLIMIT_AS, &none);
}

// NOLINTNEXTLINE(misc-no-recursion): so that the stack grows
uint64_t deep(uint64_t levels) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(levels);
  return levels == 0 ? 0 : deep(levels - 1) + static_cast<uint64_t>(frame[0]);
}

TEST(NoMemory, IsSaidAndEndsTheProcessInOrder) {
  SKIP_WHERE_SANITIZED();
  EXPECT_EXIT(
      {
        exit_without_memory("muster agent", 70);
        take_all_memory_away();
        std::vector<std::unique_ptr<std::vector<char>>> all;
        while (true) {
          all.push_back(std::make_unique<std::vector<char>>(1 << 20));
        }
      },
      ::testing::ExitedWithCode(70), "muster agent: cannot allocate memory for what it keeps");
}

TEST(NoMemory, IsSaidOfAStackThatCannotGrow) {
  SKIP_WHERE_SANITIZED();
  EXPECT_EXIT(
      {
        exit_without_memory("muster agent", 70);
        take_all_memory_away();
        ::_exit(static_cast<int>(deep(1000)));
      },
      ::testing::ExitedWithCode(70), "muster agent: cannot allocate memory for its stack");
}

TEST(NoMemory, LeavesOtherFaultsWhatTheyAre) {
  SKIP_WHERE_SANITIZED();
  EXPECT_EXIT(
      {
        exit_without_memory("muster agent", 70);
        *reinterpret_cast<volatile char*>(16) = 1;  // NOLINT: a bug, on purpose
      },
      ::testing::KilledBySignal(SIGSEGV), "");
}

}  // namespace
}  // namespace muster::os
