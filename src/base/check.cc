#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace muster {

void check_failed(const char* condition, std::string_view what, const char* file, int line) {
  std::fprintf(stderr, "muster: CHECK failed: %s (%.*s) at %s:%d\n", condition,
               static_cast<int>(what.size()), what.data(), file, line);
  std::abort();
}

}  // namespace muster
