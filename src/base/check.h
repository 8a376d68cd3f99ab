#pragma once

#include <string_view>

namespace muster {

/// Prints "CHECK failed: what at file:line" to stderr and aborts. Never returns.
[[noreturn]] void check_failed(const char* condition, std::string_view what, const char* file,
                               int line);

}  // namespace muster

/// Aborts unless `condition` holds, in release builds too. For what only a bug in Muster can break.
#define MUSTER_CHECK(condition, what)                               \
  do {                                                              \
    if (!(condition)) [[unlikely]] {                                \
      ::muster::check_failed(#condition, what, __FILE__, __LINE__); \
    }                                                               \
  } while (false)
