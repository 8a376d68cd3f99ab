#include "testing/no_descriptor_left.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

/// The limit of this process while a NoDescriptorLeft lives.
const rlimit* usual_limit = nullptr;

}  // namespace

#if __has_feature(undefined_behavior_sanitizer)
/// Replaces the C library's: the sanitizer, its only caller, cannot do without.
extern "C" int pipe(int* ends) noexcept {
  rlimit now{};
  if (usual_limit != nullptr) {
    (void)::getrlimit(RLIMIT_NOFILE, &now);
    (void)::setrlimit(RLIMIT_NOFILE, usual_limit);
  }
  const auto result = static_cast<int>(::syscall(SYS_pipe2, ends, 0));
  if (usual_limit != nullptr) {
    (void)::setrlimit(RLIMIT_NOFILE, &now);
  }
  return result;
}
#endif

namespace muster::testing {

NoDescriptorLeft::NoDescriptorLeft() : next_(::open("/dev/null", O_RDONLY | O_CLOEXEC)) {
  EXPECT_TRUE(next_.valid());
  EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
  usual_limit = &before_;
  rlimit none = before_;
  none.rlim_cur = static_cast<rlim_t>(next_.get());  // No lower number is free.
  EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
}

NoDescriptorLeft::~NoDescriptorLeft() {
  usual_limit = nullptr;
  EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before_), 0);
}

std::chrono::microseconds processor_time() {
  rusage usage{};
  EXPECT_EQ(::getrusage(RUSAGE_SELF, &usage), 0);
  return std::chrono::seconds(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         std::chrono::microseconds(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

}  // namespace muster::testing
