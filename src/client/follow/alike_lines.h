#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace muster::client {

/// Keeps what happens to hundreds of tasks at once from filling the screen: of lines that follow
/// each other and differ in numbers only, the first few are told and the rest counted.
class AlikeLines {
 public:
  /// Takes the next line; returns what is to be told now: before a line of another kind, what was
  /// counted of the last one.
  [[nodiscard]] std::vector<std::string> take(const std::string& line);
  /// What was counted and not told, with the last of it: "57 more like it; the last: ..."; nothing
  /// if there is none. It counts anew from here, but lines of this kind stay counted.
  [[nodiscard]] std::vector<std::string> rest();

 private:
  std::string last_;
  size_t alike_ = 0;  ///< Lines of the kind of `last_`.
  size_t untold_ = 0;
};

}  // namespace muster::client
