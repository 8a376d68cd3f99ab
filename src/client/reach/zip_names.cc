#include "client/reach/zip_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace muster::client {
namespace {

/// A record of the format: its signature, and its length without the variable parts.
struct Record {
  std::string_view signature;
  size_t bytes;
};
constexpr Record kEnd = {{"PK\5\6", 4}, 22};
constexpr Record kEntry = {{"PK\1\2", 4}, 46};
constexpr uint64_t kCommentMax = 0xFFFF;
/// In larger archives, this stands in a record in place of a number.
constexpr uint64_t kElsewhere16 = 0xFFFF;
constexpr uint64_t kElsewhere32 = 0xFFFFFFFF;

/// Reads a little-endian number.
uint64_t number_at(std::string_view bytes, size_t at, size_t size) {
  uint64_t value = 0;
  for (size_t i = size; i > 0; --i) {
    value = value << 8U | static_cast<uint8_t>(bytes[at + i - 1]);
  }
  return value;
}

struct Directory {
  uint64_t entries = 0;
  uint64_t bytes = 0;
  uint64_t offset = 0;
};

std::optional<Directory> find_directory(std::string_view tail) {
  const size_t at = tail.rfind(kEnd.signature);
  if (at == std::string_view::npos || tail.size() - at < kEnd.bytes) {
    return std::nullopt;
  }
  const Directory found{.entries = number_at(tail, at + 10, 2),
                        .bytes = number_at(tail, at + 12, 4),
                        .offset = number_at(tail, at + 16, 4)};
  const bool elsewhere = found.entries == kElsewhere16 || found.offset == kElsewhere32;
  return elsewhere ? std::nullopt : std::optional(found);
}

}  // namespace

Result<std::vector<std::string>> zip_names(os::Files& files, const std::filesystem::path& path) {
  const auto broken = [&] {
    return user_error(fmt::format("{} is not a zip archive that can be read", path.string()));
  };
  MUSTER_TRY(const os::FileStat stat, files.stat(path));
  const uint64_t tail_bytes = std::min(stat.size_bytes, kEnd.bytes + kCommentMax);
  MUSTER_TRY(const std::string tail,
             files.read_part(path, stat.size_bytes - tail_bytes, tail_bytes));
  const std::optional<Directory> directory = find_directory(tail);
  if (!directory || directory->offset + directory->bytes > stat.size_bytes) {
    return broken();
  }
  MUSTER_TRY(const std::string entries, files.read_part(path, directory->offset, directory->bytes));
  std::vector<std::string> names;
  size_t at = 0;
  for (uint64_t i = 0; i < directory->entries; ++i) {
    if (entries.size() - at < kEntry.bytes ||
        !std::string_view(entries).substr(at).starts_with(kEntry.signature)) {
      return broken();
    }
    const size_t name = number_at(entries, at + 28, 2);
    const size_t rest = number_at(entries, at + 30, 2) + number_at(entries, at + 32, 2);
    if (entries.size() - at - kEntry.bytes < name + rest) {
      return broken();
    }
    names.push_back(entries.substr(at + kEntry.bytes, name));
    at += kEntry.bytes + name + rest;
  }
  return names;
}

}  // namespace muster::client
