#pragma once

#include "base/log.h"
#include "base/time.h"
#include "hadoop/hdfs/names/name_node.h"
#include "rt/async.h"
#include "rt/loop.h"
#include "rt/running.h"

#include <chrono>
#include <cstddef>

namespace muster::hadoop::hdfs {

/// Tells the NameNode every 30 s that this client lives, while it has files open for writing: after
/// 60 s of silence others may take them over. Must outlive its holds.
class LeaseKeeper {
 public:
  static constexpr Duration kInterval = std::chrono::seconds(30);

  LeaseKeeper(rt::Loop& loop, NameNode& name_node, log::Logger log)
      : loop_(&loop), name_node_(&name_node), log_(log) {}
  LeaseKeeper(LeaseKeeper&&) = delete;

  /// One open file. Destroying it does not close the file.
  class Hold {
   public:
    explicit Hold(LeaseKeeper& keeper);
    Hold(Hold&&) = delete;
    ~Hold();

   private:
    LeaseKeeper* keeper_;
  };

 private:
  [[nodiscard]] rt::Async<Status> renew();

  rt::Loop* loop_;
  NameNode* name_node_;
  log::Logger log_;
  size_t holds_ = 0;
  rt::Running renewing_;  ///< While there are holds.
};

}  // namespace muster::hadoop::hdfs
