#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace muster::client {

/// Keeps events that happen to hundreds of tasks at once from filling the screen: of consecutive
/// lines that differ only in numbers, the first few are shown and the rest are counted.
class AlikeLines {
 public:
  /// Takes the next line; returns what is to be shown now. Before a line of another kind, that
  /// includes the count for the previous kind.
  [[nodiscard]] std::vector<std::string> take(const std::string& line);
  /// Returns what was counted but not shown, with the last such line: "57 more like it; the last:
  /// ..."; nothing if there is none. Counting restarts from here, but further lines of this kind
  /// are still only counted.
  [[nodiscard]] std::vector<std::string> rest();

 private:
  std::string last_;
  size_t alike_ = 0;  ///< Lines of the kind of `last_`.
  size_t untold_ = 0;
};

}  // namespace muster::client
