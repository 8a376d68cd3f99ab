#include "inside/surroundings.h"

#include "base/text.h"

#include <cstdio>
#include <cstdlib>

namespace muster::inside {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void complain(const std::string& message) {
  std::fprintf(stderr, "muster: %s\n", printable(message).c_str());
}

}  // namespace muster::inside
