#include "os/host/limits.h"

#include <sys/prctl.h>

namespace muster::os {

namespace {

std::optional<rlimit>& before() {
  static std::optional<rlimit> limit;
  return limit;
}

}  // namespace

void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return;
  }
  if (!before()) {
    before() = limit;
  }
  limit.rlim_cur = limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);  // Raising it up to the hard limit is always allowed.
}

std::optional<rlimit> descriptor_limit_before() { return before(); }

void hide_from_own_user() {
  (void)::prctl(PR_SET_DUMPABLE, 0);  // Fails for other values only.
}

}  // namespace muster::os
