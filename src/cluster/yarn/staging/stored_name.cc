#include "cluster/yarn/staging/stored_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace muster::cluster::yarn {
namespace {

constexpr size_t kHashDigits = 64;
constexpr size_t kRandomDigits = 16;

bool is_hex(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

/// Returns what follows the number of a copy.
std::string_view without_copy(std::string_view rest) {
  if (!rest.starts_with('-')) {
    return rest;
  }
  const size_t end = std::min(rest.find_first_not_of("0123456789", 1), rest.size());
  return end > 1 ? rest.substr(end) : rest;
}

}  // namespace

std::string stored_name(std::string_view content_hash, int copy) {
  return copy == 1 ? std::string(content_hash) : fmt::format("{}-{}", content_hash, copy);
}

std::string_view archive_ending(std::string_view name) {
  constexpr std::array<std::string_view, 4> kEndings = {".tar.gz", ".tgz", ".tar", ".zip"};
  for (const std::string_view ending : kEndings) {
    if (name.ends_with(ending)) {
      return ending;
    }
  }
  return {};
}

StoredKind stored_kind(std::string_view name) {
  if (name.size() < kHashDigits || !is_hex(name.substr(0, kHashDigits))) {
    return StoredKind::Foreign;
  }
  std::string_view rest = without_copy(name.substr(kHashDigits));
  StoredKind kind = StoredKind::Whole;
  if (rest.ends_with(kAside)) {
    kind = StoredKind::Aside;
    rest.remove_suffix(kAside.size());
  } else if (rest.size() > kRandomDigits && rest[rest.size() - kRandomDigits - 1] == '.' &&
             is_hex(rest.substr(rest.size() - kRandomDigits))) {
    kind = StoredKind::Unfinished;
    rest.remove_suffix(kRandomDigits + 1);
  }
  return rest == archive_ending(rest) ? kind : StoredKind::Foreign;
}

}  // namespace muster::cluster::yarn
