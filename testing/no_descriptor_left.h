#pragma once

#include "rt/fd.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fcntl.h>
#include <sys/resource.h>

namespace muster::testing {

/// Whether this build looks at objects through a pipe, and so cannot do without descriptors. What
/// uses NoDescriptorLeft is skipped there.
#if __has_feature(undefined_behavior_sanitizer)
inline constexpr bool kNeedsDescriptors = true;
#else
inline constexpr bool kNeedsDescriptors = false;
#endif

/// As long as it lives, this process gets no new descriptor: EMFILE.
class NoDescriptorLeft {
 public:
  NoDescriptorLeft() : next_(::open("/dev/null", O_RDONLY | O_CLOEXEC)) {
    EXPECT_TRUE(next_.valid());
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    rlimit none = before_;
    none.rlim_cur = static_cast<rlim_t>(next_.get());  // No number below is free.
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  ~NoDescriptorLeft() { EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before_), 0); }
  NoDescriptorLeft(const NoDescriptorLeft&) = delete;
  NoDescriptorLeft& operator=(const NoDescriptorLeft&) = delete;

 private:
  rt::Fd next_;
  rlimit before_{};
};

/// What this process has used of the processors.
inline std::chrono::microseconds processor_time() {
  rusage usage{};
  EXPECT_EQ(::getrusage(RUSAGE_SELF, &usage), 0);
  return std::chrono::seconds(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         std::chrono::microseconds(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

}  // namespace muster::testing
