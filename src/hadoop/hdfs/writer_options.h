#pragma once

#include "base/time.h"
#include "hadoop/hdfs/blocks/checksum.h"

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace muster::hadoop::hdfs {

/// When a DataNode that left a pipeline is replaced.
enum class Replacing : uint8_t {
  Never,
  /// With three replicas or more, when at most half of them are left or data was flushed.
  Default,
  Always,
};

struct WriterOptions {
  uint32_t replication = 3;
  uint64_t block_bytes = 128U << 20;
  uint32_t packet_bytes = 64U << 10;
  Checksum checksum;
  size_t packets_max = 80;  ///< In memory: to be sent, or sent and not acknowledged.
  int block_tries_max = 4;  ///< To open a pipeline for a new block.
  int recoveries_max = 5;   ///< Of one pipeline without a packet acknowledged in between.
  Duration restart_wait = std::chrono::seconds(30);  ///< For a DataNode that restarts.
  Duration heartbeat = std::chrono::seconds(30);     ///< On an idle pipeline.
  Replacing replacing = Replacing::Default;
  bool replace_best_effort = false;                 ///< Go on with fewer when there is no other.
  Duration exclude_for = std::chrono::minutes(10);  ///< A DataNode that failed gets no new block.
};

}  // namespace muster::hadoop::hdfs
