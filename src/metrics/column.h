#pragma once

#include "base/result.h"
#include "metrics/block.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Inside the module: bytes of a column, not yet compressed.
namespace muster::metrics {

[[nodiscard]] Error corrupt_block(std::string_view what);

void put_varint(std::string& out, uint64_t value);
void put_signed(std::string& out, int64_t value);
void put_text(std::string& out, std::string_view text);

/// Reads what the functions above wrote; never past the end.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}
  [[nodiscard]] std::optional<uint64_t> varint();
  [[nodiscard]] std::optional<int64_t> signed_varint();
  [[nodiscard]] std::optional<std::string_view> take(size_t size);
  /// Returns a text of at most `bytes_max`.
  [[nodiscard]] std::optional<std::string_view> text(size_t bytes_max);
  [[nodiscard]] std::string_view rest() const { return bytes_; }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

/// Compresses with zstd; returns nothing if that gains nothing.
[[nodiscard]] std::optional<std::string> compress(std::string_view raw);
/// Returns exactly `raw_bytes`, or an error.
[[nodiscard]] Result<std::string> decompress(std::string_view bytes, size_t raw_bytes);

/// `times`: how many consecutive values belong to each subject.
[[nodiscard]] std::string encode_column(const Column& column, uint32_t times);
/// Fills in values and presence of `cells` values.
[[nodiscard]] Status decode_column(std::string_view raw, uint32_t times, size_t cells,
                                   Column& column);
/// Returns the largest size that encode_column can return.
[[nodiscard]] size_t column_bytes_max(size_t cells);

}  // namespace muster::metrics
