#include "hadoop/origin.h"

#include <fmt/format.h>

namespace muster::hadoop {

std::string to_string(const Origin& origin) {
  if (origin.file.empty()) {
    return "built-in default";
  }
  if (origin.line == 0) {
    return origin.file;
  }
  if (origin.column == 0) {
    return fmt::format("{}:{}", origin.file, origin.line);
  }
  return fmt::format("{}:{}:{}", origin.file, origin.line, origin.column);
}

}  // namespace muster::hadoop
