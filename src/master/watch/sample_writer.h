#pragma once

#include "base/log.h"
#include "cluster/sample_store.h"
#include "metrics/retention.h"
#include "rt/async.h"
#include "rt/loop.h"
#include "rt/scope.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

namespace muster::master {

/// Writes blocks of samples to the job's sample files, in order, one at a time, and removes what
/// exceeds the limits. After a failure of the store, retries with the next file after a while; the
/// queue is bounded, and the oldest blocks are dropped first. Lives on the loop's thread.
class SampleWriter {
 public:
  struct Deps {
    rt::Loop& loop;
    log::Logger log;
    cluster::SampleStore& store;
  };
  SampleWriter(Deps deps, uint32_t epoch);
  SampleWriter(const SampleWriter&) = delete;
  SampleWriter& operator=(const SampleWriter&) = delete;

  /// Registers a file of an earlier master.
  void found(const metrics::SampleFileName& name, uint64_t bytes) { files_.found(name, bytes); }
  /// Queues an encoded block of that step, if that step is kept in files.
  void write(uint32_t step_s, std::string block);
  /// Writes the queue, once, and completes the files.
  [[nodiscard]] rt::Async<Status> finish();

 private:
  struct Waiting {
    uint32_t step_s = 1;
    std::string block;
  };
  [[nodiscard]] rt::Async<> write_waiting();
  [[nodiscard]] rt::Async<bool> write_first();
  [[nodiscard]] rt::Async<> remove_surplus();

  Deps deps_;
  metrics::SampleFiles files_;
  std::deque<Waiting> waiting_;
  size_t waiting_bytes_ = 0;
  bool writing_ = false;
  bool finishing_ = false;
  std::string trouble_;  ///< Why the last write failed; "" if it did not.
  rt::Scope scope_;      ///< Last: its coroutine uses the rest.
};

}  // namespace muster::master
