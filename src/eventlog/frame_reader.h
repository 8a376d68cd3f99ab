#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::eventlog {

/// Walks over the frames of a segment's bytes and stops at the first that is not intact.
class FrameReader {
 public:
  /// `bytes` begin with the first frame, which is at `offset` of its file.
  FrameReader(std::string_view bytes, uint64_t offset) : bytes_(bytes), offset_(offset) {}

  /// Returns the next payload; nullopt at the end, and at damage, which damage() then describes.
  [[nodiscard]] std::optional<std::string_view> next();

  /// Where the next frame begins, or the damaged one.
  [[nodiscard]] uint64_t offset() const { return offset_; }
  /// "" while all was intact: "a record is cut off at byte 812".
  [[nodiscard]] const std::string& damage() const { return damage_; }

 private:
  std::string_view bytes_;
  uint64_t offset_;
  std::string damage_;
};

}  // namespace muster::eventlog
