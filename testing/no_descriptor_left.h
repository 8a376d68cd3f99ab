#pragma once

#include "rt/fd.h"

#include <chrono>
#include <sys/resource.h>

namespace muster::testing {

/// As long as it lives, this process gets no new descriptor: EMFILE. Only one may exist at a time.
/// UBSan, which looks at objects through a pipe, still gets what it needs.
class NoDescriptorLeft {
 public:
  NoDescriptorLeft();
  ~NoDescriptorLeft();
  NoDescriptorLeft(const NoDescriptorLeft&) = delete;
  NoDescriptorLeft& operator=(const NoDescriptorLeft&) = delete;

 private:
  rt::Fd next_;
  rlimit before_{};
};

/// Returns the processor time that this process has used.
[[nodiscard]] std::chrono::microseconds processor_time();

}  // namespace muster::testing
