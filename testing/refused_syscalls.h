#pragma once

#include <functional>
#include <initializer_list>

namespace muster::testing {

/// Runs `body` in a forked child in which the kernel answers ENOSYS to `syscalls` (SYS_...), as an
/// old kernel does. Returns true if the body completed without a failed expectation. Call it before
/// the test starts threads.
[[nodiscard]] bool passes_without(std::initializer_list<int> syscalls,
                                  const std::function<void()>& body);

}  // namespace muster::testing
