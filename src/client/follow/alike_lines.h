#pragma once

#include <cstddef>
#include <string>

namespace muster::client {

/// Keeps what happens to hundreds of tasks at once from filling the screen: of lines that follow
/// each other and differ in numbers only, the first few are told and the rest counted.
class AlikeLines {
 public:
  /// Whether this line, the next, is to be told. Where it is of another kind than the last ones,
  /// rest() first.
  [[nodiscard]] bool tells(const std::string& line);
  /// Whether rest() has anything to tell before this line.
  [[nodiscard]] bool ends_with(const std::string& line) const;
  /// What was counted and not told, with the last of it: "57 more like it; the last: ..."; "":
  /// nothing. It counts anew from here, but lines of this kind stay counted.
  [[nodiscard]] std::string rest();

 private:
  std::string last_;
  size_t alike_ = 0;  ///< Lines of the kind of `last_`.
  size_t untold_ = 0;
};

}  // namespace muster::client
