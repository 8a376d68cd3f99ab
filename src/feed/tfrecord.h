#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::feed {

/// TensorFlow's file of records. Each is its length (8 bytes, little-endian), a checksum of that,
/// the bytes, a checksum of them; a checksum is CRC-32C, rotated and offset, 4 bytes.

/// The bytes that a record takes beyond its own content.
inline constexpr size_t kRecordOverhead = 16;

/// Appends `record` in the form it has in a file.
void append_record(std::string& file, std::string_view record);

/// What split_records() found.
struct Records {
  std::vector<std::string_view> records;  ///< Views of the text.
  size_t used = 0;                        ///< Bytes of whole records from its start.
};

/// Splits a piece of a file that starts at a record; a record cut short at its end is left over.
/// Corrupt, with the offset in `text`, if a checksum does not match.
[[nodiscard]] Result<Records> split_records(std::string_view text);

}  // namespace muster::feed
