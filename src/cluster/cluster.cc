#include "cluster/cluster.h"

namespace muster::cluster {

const std::string* Fit::never() const {
  for (const RoleFit& role : roles) {
    if (!role.fits_ever) {
      return &role.reason;
    }
  }
  return nullptr;
}

}  // namespace muster::cluster
