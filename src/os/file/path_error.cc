#include "os/file/path_error.h"

#include "base/error.h"

#include <fmt/format.h>

namespace muster::os {

Error path_error(int error, std::string_view what, const Path& path) {
  return system_error(error, fmt::format("{} {}", path.string(), what));
}

}  // namespace muster::os
