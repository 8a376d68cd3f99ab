#pragma once

#include "base/time.h"
#include "hadoop/hdfs/blocks/block.h"
#include "hadoop/hdfs/blocks/data_stream.h"
#include "rt/loop.h"

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>

namespace muster::hadoop::hdfs {

struct IdleStreamsOptions {
  size_t streams_max = 16;  ///< 0: none is kept.
  /// Shorter than DataNodes wait for the next operation, 4 s, so that few are found closed.
  Duration idle_max = std::chrono::seconds(3);
};

/// Connections to DataNodes whose last operation ended well, kept for the next one, which then
/// needs no handshake. They hold no buffers; each is closed after its time, and the oldest if there
/// are too many.
class IdleStreams {
 public:
  IdleStreams(rt::Loop& loop, IdleStreamsOptions options) : loop_(&loop), options_(options) {}
  IdleStreams(IdleStreams&&) = delete;
  ~IdleStreams() { loop_->cancel(timer_); }

  /// Keeps `stream`, which leads to `node`, on which nothing is under way.
  void keep(const Datanode& node, std::unique_ptr<DataStream> stream);
  /// Returns the most recently used one to `node`; nullptr if there is none. The node may have
  /// closed it meanwhile.
  [[nodiscard]] std::unique_ptr<DataStream> take(const Datanode& node);
  /// Closes all to `node`.
  void drop(const Datanode& node);

  [[nodiscard]] size_t size() const { return kept_.size(); }

 private:
  struct Kept {
    Datanode node;
    std::unique_ptr<DataStream> stream;
    HostTime since;
  };
  void close_old();

  rt::Loop* loop_;
  IdleStreamsOptions options_;
  std::list<Kept> kept_;  ///< By `since`.
  rt::TimerId timer_;     ///< Set while there are any.
};

}  // namespace muster::hadoop::hdfs
