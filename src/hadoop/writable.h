#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace muster::hadoop {

/// Reads the values of Java's DataInput and Hadoop's Writables from a buffer. Every error is
/// Corrupt and says what was expected where; no length that exceeds the buffer leads to an
/// allocation. After an error the reader stays where the value began.
class WritableReader {
 public:
  /// `bytes` must outlive the reader and what it returns.
  explicit WritableReader(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] Result<uint8_t> byte();
  [[nodiscard]] Result<int32_t> int32();  ///< Four bytes, big endian.
  /// WritableUtils' variable-length numbers, 1 to 9 bytes.
  [[nodiscard]] Result<int64_t> vlong();
  [[nodiscard]] Result<int32_t> vint();
  /// A vint of bytes and that many bytes; also the form of Text.
  [[nodiscard]] Result<std::string_view> bytes();
  /// An int32 of bytes and that many bytes.
  [[nodiscard]] Result<std::string_view> int32_bytes();
  /// A protobuf varint and that many bytes ("delimited" messages).
  [[nodiscard]] Result<std::string_view> delimited();
  /// A vint that counts things which take at least `bytes_each` each.
  [[nodiscard]] Result<uint32_t> count(size_t bytes_each);

  [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }
  [[nodiscard]] size_t offset() const { return at_; }

 private:
  [[nodiscard]] Result<std::string_view> take(int64_t length, size_t start);

  std::string_view bytes_;
  size_t at_ = 0;
};

/// Writes the same values to the end of a buffer.
class WritableWriter {
 public:
  void byte(uint8_t value) { out_ += static_cast<char>(value); }
  void int32(int32_t value);
  void vlong(int64_t value);
  void bytes(std::string_view value);
  void delimited(std::string_view value);
  void raw(std::string_view value) { out_ += value; }

  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

}  // namespace muster::hadoop
