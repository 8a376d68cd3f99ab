#include "hadoop/hdfs/names/node_troubles.h"

#include "base/text.h"

#include <fmt/format.h>

namespace muster::hadoop::hdfs {

void NodeTroubles::exclude(const Datanode& node) {
  excluded_.push_back({node, loop_.now() + options_.exclude_for});
}

std::vector<Datanode> NodeTroubles::excluded() {
  std::erase_if(excluded_, [now = loop_.now()](const Excluded& each) { return each.until <= now; });
  std::vector<Datanode> nodes;
  nodes.reserve(excluded_.size());
  for (const Excluded& each : excluded_) {
    nodes.push_back(each.node);
  }
  return nodes;
}

void NodeTroubles::forget() {
  errors_.clear();
  recoveries_ = 0;
}

std::string NodeTroubles::tried() const { return join(errors_, "; "); }

Error NodeTroubles::give_up(const std::string& path) const {
  return cluster_error(
      fmt::format("cannot write {}: its DataNodes failed: {}", printable(path), tried()));
}

bool NodeTroubles::waits_for(const Datanode& node, const PipelineFailure& failure) {
  if (failure.restarting && restarting_id_ != node.uuid) {
    restarting_id_ = node.uuid;
    restart_until_ = loop_.now() + options_.restart_wait;
  }
  const bool waits = restarting_id_ == node.uuid && loop_.now() < restart_until_;
  recoveries_ -= waits ? 1 : 0;
  return waits;
}

}  // namespace muster::hadoop::hdfs
