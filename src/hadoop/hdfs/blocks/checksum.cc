#include "hadoop/hdfs/blocks/checksum.h"

#include "base/crc32c.h"

#include <fmt/format.h>
#include <zlib.h>

#include <bit>
#include <cstring>

namespace muster::hadoop::hdfs {
namespace {

uint32_t sum_of(ChecksumType type, std::string_view chunk) {
  switch (type) {
    case ChecksumType::None:
      return 0;
    case ChecksumType::Crc32:
      return crc32(chunk);
    case ChecksumType::Crc32c:
      return crc32c(chunk);
  }
  return 0;
}

/// Calls `take(chunk index, sum)` for each chunk until it returns false.
template <class Take>
void each_sum(const Checksum& checksum, std::string_view data, Take take) {
  size_t index = 0;
  for (size_t at = 0; at < data.size(); at += checksum.chunk_bytes) {
    if (!take(index++, sum_of(checksum.type, data.substr(at, checksum.chunk_bytes)))) {
      return;
    }
  }
}

uint32_t big_endian(uint32_t value) {
  return std::endian::native == std::endian::big ? value : __builtin_bswap32(value);
}

}  // namespace

uint32_t crc32(std::string_view bytes) {
  return static_cast<uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()),
                                         static_cast<z_size_t>(bytes.size())));
}

void sum_chunks(const Checksum& checksum, std::string_view data, std::span<char> sums) {
  if (checksum.type == ChecksumType::None) {
    return;
  }
  each_sum(checksum, data, [&](size_t index, uint32_t sum) {
    const uint32_t wire = big_endian(sum);
    std::memcpy(sums.data() + index * sizeof wire, &wire, sizeof wire);
    return true;
  });
}

std::optional<size_t> find_damage(const Checksum& checksum, std::string_view data,
                                  std::string_view sums) {
  std::optional<size_t> damaged;
  if (checksum.type == ChecksumType::None) {
    return damaged;
  }
  each_sum(checksum, data, [&](size_t index, uint32_t sum) {
    uint32_t stored = 0;
    std::memcpy(&stored, sums.data() + index * sizeof stored, sizeof stored);
    if (big_endian(stored) != sum) {
      damaged = index * checksum.chunk_bytes;
    }
    return !damaged.has_value();
  });
  return damaged;
}

Result<Checksum> make_checksum(uint32_t type, uint32_t chunk_bytes) {
  if (type > static_cast<uint32_t>(ChecksumType::Crc32c)) {
    return cluster_error(
        fmt::format("a DataNode uses checksums of type {}, which this version does not support",
                    type),
        Errc::Unsupported);
  }
  if (chunk_bytes == 0 || chunk_bytes > Checksum::kChunkBytesMax) {
    return cluster_error(
        fmt::format("a DataNode announced {} bytes for a checksum; expected 1 to {}", chunk_bytes,
                    Checksum::kChunkBytesMax),
        Errc::Corrupt);
  }
  return Checksum{static_cast<ChecksumType>(type), chunk_bytes};
}

}  // namespace muster::hadoop::hdfs
