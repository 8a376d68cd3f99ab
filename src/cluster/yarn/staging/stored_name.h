#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::cluster::yarn {

/// What a name in the store below a staging root denotes.
enum class StoredKind : uint8_t {
  Foreign,     ///< Not ours: it stays.
  Whole,       ///< A whole file: stored_name(), and an archive's ending.
  Unfinished,  ///< The same with 16 more digits, while it is uploaded.
  Aside,       ///< The same with kAside, while a cleaner looks who needs it.
};

inline constexpr std::string_view kAside = ".removing";

[[nodiscard]] StoredKind stored_kind(std::string_view name);

/// Returns the name for the `copy`th file of a job with this content: its SHA-256 in hex, from the
/// second on with "-2" and so on. Node managers (3.4) give each file in HDFS one name in a
/// container, and drop the others.
[[nodiscard]] std::string stored_name(std::string_view content_hash, int copy);

/// Returns the ending by which agents and node managers recognize an archive, such as ".tar.gz"; ""
/// if the name is not an archive's.
[[nodiscard]] std::string_view archive_ending(std::string_view name);

}  // namespace muster::cluster::yarn
