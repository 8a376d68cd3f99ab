#include "hadoop/hdfs/lease_keeper.h"

#include "rt/wait.h"

namespace muster::hadoop::hdfs {

LeaseKeeper::Hold::Hold(LeaseKeeper& keeper) : keeper_(&keeper) {
  if (keeper.holds_++ == 0) {
    keeper.renewing_ = rt::start(*keeper.loop_, keeper.renew(), [](const Status&) {});
  }
}

LeaseKeeper::Hold::~Hold() {
  if (--keeper_->holds_ == 0) {
    keeper_->renewing_.cancel();
  }
}

rt::Async<Status> LeaseKeeper::renew() {
  while (true) {
    co_await rt::pause_for(*loop_, kInterval);
    const Status renewed = co_await name_node_->renew_lease();
    if (!renewed.has_value()) {
      log_.warning("hdfs.lease.not_renewed", {{"error", renewed.error().message}});
    }
  }
}

}  // namespace muster::hadoop::hdfs
