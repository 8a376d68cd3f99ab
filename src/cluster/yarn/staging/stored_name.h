#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::cluster::yarn {

/// What stands behind a name in the store below a staging root.
enum class StoredKind : uint8_t {
  Foreign,     ///< Nothing of ours: it stays.
  Whole,       ///< A whole file: stored_name(), and an archive's ending.
  Unfinished,  ///< The same with 16 more digits, while it is uploaded.
  Aside,       ///< The same with kAside, while a cleaner looks who needs it.
};

inline constexpr std::string_view kAside = ".removing";

[[nodiscard]] StoredKind stored_kind(std::string_view name);

/// What the `copy`th file of a job with this content is called: its SHA-256 as hex, from the second
/// on with "-2" and so on. Node managers (3.4) give each file in HDFS one name in a container, and
/// drop the others.
[[nodiscard]] std::string stored_name(std::string_view content_hash, int copy);

/// What agents and node managers tell an archive by, ".tar.gz" or such; "" for no archive's name.
[[nodiscard]] std::string_view archive_ending(std::string_view name);

}  // namespace muster::cluster::yarn
