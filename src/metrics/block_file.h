#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::metrics {

/// Walks over the blocks in a file's bytes, which need not begin with one. What lies between
/// readable blocks is skipped and reported. The bytes must outlive what next() returns.
class BlockFile {
 public:
  explicit BlockFile(std::string_view bytes) : bytes_(bytes) {}

  /// Returns the next whole, intact, encoded block; nullopt at the end.
  [[nodiscard]] std::optional<std::string_view> next();
  /// Returns what was skipped, for people: "a block of samples is damaged: ... (at byte 812)".
  [[nodiscard]] const std::vector<std::string>& damages() const { return damages_; }

 private:
  void note(std::string_view what);

  std::string_view bytes_;
  size_t at_ = 0;
  std::vector<std::string> damages_;
};

}  // namespace muster::metrics
