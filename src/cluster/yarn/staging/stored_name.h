#pragma once

#include <cstdint>
#include <string_view>

namespace muster::cluster::yarn {

/// What stands behind a name in the store below a staging root.
enum class StoredKind : uint8_t {
  Foreign,     ///< Nothing of ours: it stays.
  Whole,       ///< A whole file: the SHA-256 of its content, and an archive's ending.
  Unfinished,  ///< The same with 16 more digits, while it is uploaded.
  Aside,       ///< The same with kAside, while a cleaner looks who needs it.
};

inline constexpr std::string_view kAside = ".removing";

[[nodiscard]] StoredKind stored_kind(std::string_view name);

/// What agents and node managers tell an archive by, ".tar.gz" or such; "" for no archive's name.
[[nodiscard]] std::string_view archive_ending(std::string_view name);

}  // namespace muster::cluster::yarn
