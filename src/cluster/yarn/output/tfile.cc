#include "cluster/yarn/output/tfile.h"

#include <fmt/format.h>

#include <array>
#include <optional>

namespace muster::cluster::yarn {
namespace {

constexpr std::string_view kMagic =
    "\xd1\x11\xd3\x68\x91\xb5\xd7\xb6\x39\xdf\x41\x40\x92\xba\xe1\x50";
constexpr size_t kVersionBytes = 4;
constexpr size_t kOffsetBytes = 8;
constexpr std::string_view kIndexName = "data:BCFile.index";
constexpr int64_t kBlocksMax = 10'000'000;

Error corrupt_tfile(std::string_view what) {
  return Error{Errc::Corrupt, Blame::Cluster,
               fmt::format("the file of aggregated logs is damaged: {}", what)};
}

uint64_t big_endian(std::string_view bytes) {
  uint64_t value = 0;
  for (const char byte : bytes) {
    value = value << 8 | static_cast<uint8_t>(byte);
  }
  return value;
}

/// Takes values off the front; ok() shows whether any was missing.
class Taker {
 public:
  explicit Taker(std::string_view from) : from_(from) {}

  int64_t number() {
    const TfileNumber taken = parse_tfile_number(from_);
    ok_ = ok_ && taken.bytes > 0;
    from_.remove_prefix(taken.bytes);
    return taken.value;
  }
  uint64_t size() {
    const int64_t value = number();
    ok_ = ok_ && value >= 0;
    return ok_ ? static_cast<uint64_t>(value) : 0;
  }
  std::string_view text() {
    const uint64_t length = size();
    ok_ = ok_ && length <= from_.size();
    const std::string_view taken = ok_ ? from_.substr(0, length) : std::string_view();
    from_.remove_prefix(taken.size());
    return taken;
  }
  TfileBlock block() {
    const uint64_t offset = size();
    const uint64_t stored = size();
    return {.offset = offset, .stored_bytes = stored, .raw_bytes = size()};
  }
  [[nodiscard]] bool ok() const { return ok_; }

 private:
  std::string_view from_;
  bool ok_ = true;
};

Result<TfileCompression> compression_of(std::string_view name) {
  if (name == "none") {
    return TfileCompression::None;
  }
  if (name == "gz") {
    return TfileCompression::Gzip;
  }
  return Error{
      Errc::Unsupported, Blame::Cluster,
      fmt::format(
          "the cluster compresses logs with {} "
          "(yarn.nodemanager.log-aggregation.compression-type); this version supports none and gz",
          name)};
}

}  // namespace

TfileNumber parse_tfile_number(std::string_view from) {
  if (from.empty()) {
    return {};
  }
  constexpr int kSmallest = -32;
  // It is a signed byte.
  const int64_t first = int64_t{static_cast<uint8_t>(from[0]) ^ 0x80U} - 0x80;
  if (first >= kSmallest) {
    return {.value = first, .bytes = 1};
  }
  // The first byte says how many follow, and holds the highest bits if there is room.
  const int64_t group = (first + 128) / 8;
  size_t follow = 1;
  int64_t high = first + 52;
  if (group == 0) {
    follow = static_cast<size_t>(first + 129);
    high = 0;
  } else if (group <= 2) {
    follow = 3;
    high = first + 112;
  } else if (group <= 6) {
    follow = 2;
    high = first + 88;
  }
  if (from.size() < 1 + follow) {
    return {};
  }
  const uint64_t low = big_endian(from.substr(1, follow));
  if (group != 0) {
    return {.value = high * (int64_t{1} << (8 * follow)) + static_cast<int64_t>(low),
            .bytes = 1 + follow};
  }
  // A signed value of `follow` bytes.
  const size_t unused = 64 - 8 * follow;
  return {.value = static_cast<int64_t>(low << unused) >> unused, .bytes = 1 + follow};
}

Result<uint64_t> tfile_parts_offset(std::string_view tail, uint64_t file_bytes) {
  if (tail.size() != kTfileTailBytes ||
      tail.substr(kOffsetBytes + kVersionBytes, kMagic.size()) != kMagic) {
    return corrupt_tfile("it does not end as it should");
  }
  const uint64_t offset = big_endian(tail.substr(0, kOffsetBytes));
  if (offset > file_bytes - kTfileTailBytes) {
    return corrupt_tfile("its index is beyond its end");
  }
  return offset;
}

Result<TfileIndexPart> find_tfile_index(std::string_view parts) {
  Taker taker(parts);
  const int64_t count = taker.number();
  for (int64_t i = 0; i < count && taker.ok(); ++i) {
    const std::string_view name = taker.text();
    const std::string_view compression = taker.text();
    const TfileBlock block = taker.block();
    if (taker.ok() && name == kIndexName) {
      MUSTER_TRY(const TfileCompression known, compression_of(compression));
      return TfileIndexPart{.compression = known, .block = block};
    }
  }
  return corrupt_tfile("it has no index");
}

Result<TfileIndex> parse_tfile_index(std::string_view raw) {
  Taker taker(raw);
  const std::string_view compression = taker.text();
  const int64_t count = taker.number();
  if (!taker.ok() || count < 0 || count > kBlocksMax) {
    return corrupt_tfile("its index cannot be read");
  }
  TfileIndex index;
  MUSTER_TRY(index.compression, compression_of(compression));
  for (int64_t i = 0; i < count && taker.ok(); ++i) {
    index.blocks.push_back(taker.block());
  }
  if (!taker.ok()) {
    return corrupt_tfile("its index is incomplete");
  }
  return index;
}

}  // namespace muster::cluster::yarn
