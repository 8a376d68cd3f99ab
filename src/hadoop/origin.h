#pragma once

#include <cstdint>
#include <string>

namespace muster::hadoop {

/// Where a property of the configuration was written.
struct Origin {
  std::string file;     ///< Its path; empty: compiled in, or set by the program.
  uint32_t line = 0;    ///< From 1; 0: unknown.
  uint32_t column = 0;  ///< From 1, in bytes; 0: unknown.
  bool operator==(const Origin&) const = default;
};

/// Returns "/etc/hadoop/conf/core-site.xml:12:5", as compilers print positions; "built-in default"
/// if there is no file.
[[nodiscard]] std::string to_string(const Origin& origin);

}  // namespace muster::hadoop
