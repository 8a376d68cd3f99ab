#include "spec/archive_name.h"

#include <array>

namespace muster::spec {

std::string archive_stem(std::string_view name) {
  constexpr std::array<std::string_view, 7> kEndings = {
      ".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst", ".tgz", ".tar", ".zip"};
  for (const std::string_view ending : kEndings) {
    if (name.size() > ending.size() && name.ends_with(ending)) {
      return std::string(name.substr(0, name.size() - ending.size()));
    }
  }
  return "";
}

}  // namespace muster::spec
