#include "os/host/limits.h"

#include <sys/prctl.h>
#include <sys/resource.h>

namespace muster::os {

uint64_t raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return 0;
  }
  const uint64_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);  // Lowering or keeping it is always allowed.
  return before;
}

void hide_from_own_user() {
  (void)::prctl(PR_SET_DUMPABLE, 0);  // Fails for other values only.
}

}  // namespace muster::os
