#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace muster::hadoop::hdfs {

/// The checksums that HDFS keeps of its blocks; numbers as on the wire.
enum class ChecksumType : uint8_t { None = 0, Crc32 = 1, Crc32c = 2 };

/// How one block is summed: one checksum for each chunk of so many bytes, counted from the block's
/// start.
struct Checksum {
  ChecksumType type = ChecksumType::Crc32c;
  uint32_t chunk_bytes = 512;  ///< 1 .. kChunkBytesMax.

  bool operator==(const Checksum&) const = default;

  static constexpr uint32_t kChunkBytesMax = 1U << 20;

  /// Bytes of one stored checksum: 4, or 0 without checksums.
  [[nodiscard]] size_t sum_bytes() const { return type == ChecksumType::None ? 0 : 4; }
  /// Bytes of the checksums of `data_bytes` that start at a chunk.
  [[nodiscard]] size_t sums_bytes(size_t data_bytes) const {
    return (data_bytes + chunk_bytes - 1) / chunk_bytes * sum_bytes();
  }
};

/// Returns the CRC-32 (as of zip files) of `bytes`.
[[nodiscard]] uint32_t crc32(std::string_view bytes);

/// Writes the checksums of `data`, which starts at a chunk, to `sums`: sums_bytes(data.size())
/// bytes.
void sum_chunks(const Checksum& checksum, std::string_view data, std::span<char> sums);

/// Compares `data`, which starts at a chunk, with its stored checksums. Returns the offset in
/// `data` of the first damaged chunk, nullopt if all agree. `sums` has sums_bytes(data.size())
/// bytes.
[[nodiscard]] std::optional<size_t> find_damage(const Checksum& checksum, std::string_view data,
                                                std::string_view sums);

/// Checks what a DataNode says about its checksums.
[[nodiscard]] Result<Checksum> make_checksum(uint32_t type, uint32_t chunk_bytes);

}  // namespace muster::hadoop::hdfs
