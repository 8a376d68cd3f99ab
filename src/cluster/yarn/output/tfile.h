#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The container format of the files in which YARN keeps logs: compressed blocks of records,
/// followed by an index. Errors are Corrupt, and Unsupported for an unknown compression.
namespace muster::cluster::yarn {

/// A run of bytes of the file.
struct TfileBlock {
  uint64_t offset = 0;
  uint64_t stored_bytes = 0;
  uint64_t raw_bytes = 0;  ///< Once decompressed.

  bool operator==(const TfileBlock&) const = default;
};

enum class TfileCompression : uint8_t { None, Gzip };

/// The size of a file's tail, which says where the list of its parts begins.
inline constexpr uint64_t kTfileTailBytes = 28;
/// Returns that place. `file_bytes`: the file's size.
[[nodiscard]] Result<uint64_t> tfile_parts_offset(std::string_view tail, uint64_t file_bytes);

/// The part that lists the data's blocks.
struct TfileIndexPart {
  TfileCompression compression = TfileCompression::None;
  TfileBlock block;
};
/// `parts`: what lies between tfile_parts_offset() and the tail.
[[nodiscard]] Result<TfileIndexPart> find_tfile_index(std::string_view parts);

struct TfileIndex {
  TfileCompression compression = TfileCompression::None;  ///< Of all data blocks.
  std::vector<TfileBlock> blocks;
};
/// `raw`: the index part, decompressed.
[[nodiscard]] Result<TfileIndex> parse_tfile_index(std::string_view raw);

/// A number as TFile writes it: 1 to 9 bytes.
struct TfileNumber {
  int64_t value = 0;
  size_t bytes = 0;  ///< How many it takes; 0: more must come.
};
[[nodiscard]] TfileNumber parse_tfile_number(std::string_view from);

}  // namespace muster::cluster::yarn
