#pragma once

#include "hadoop/yarn/ids.h"
#include "hadoop/yarn/resource.h"

#include <string>

namespace muster::cluster::yarn {

/// A host on which a job's containers may run, as its client saw it at submission.
struct HostRoom {
  hadoop::yarn::NodeId node;
  std::string rack;             ///< "/default-rack"; "" if the cluster does not say.
  hadoop::yarn::Resource free;  ///< Of its capacity, what nobody used.

  bool operator==(const HostRoom&) const = default;
};

}  // namespace muster::cluster::yarn
