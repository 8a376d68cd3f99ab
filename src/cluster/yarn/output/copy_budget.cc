#include "cluster/yarn/output/copy_budget.h"

#include "base/text.h"

#include <fmt/format.h>

namespace muster::cluster::yarn {

Status CopyBudget::spend(uint64_t bytes, HostTime now) {
  if (bytes > left_) {
    return user_error(fmt::format("its tasks wrote more than {}", format_bytes(most_)),
                      Errc::NeverFits);
  }
  if (until_ && now > *until_) {
    return cluster_error("what its tasks wrote takes too long to be copied",
                         Errc::DeadlineExceeded);
  }
  left_ -= bytes;
  return {};
}

}  // namespace muster::cluster::yarn
