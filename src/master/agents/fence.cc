#include "master/agents/fence.h"

#include <vector>

namespace muster::master {

void Fence::check() {
  const Result<std::vector<job::Epoch>> epochs = segments_.list();
  if (epochs && !epochs->empty() && epochs->back() > epoch_) {
    on_fenced_(epochs->back());
  }
}

bool Fence::claimed(job::Epoch by) {
  const Result<std::vector<job::Epoch>> epochs = segments_.list();
  if (epochs && !epochs->empty() && epochs->back() <= epoch_) {
    return false;
  }
  on_fenced_(by);
  return true;
}

}  // namespace muster::master
