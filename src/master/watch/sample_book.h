#pragma once

#include "base/log.h"
#include "cluster/sample_store.h"
#include "job/machine.h"
#include "master/watch/sample_writer.h"
#include "metrics/history.h"
#include "metrics/recorder.h"
#include "rt/async.h"
#include "rt/loop.h"
#include "rt/scope.h"
#include "wire/frame.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::master {

/// What agents measure: receives it, keeps its recent part in memory, writes it to the job's sample
/// files within seconds, and sends it to those that ask or follow. None of it reaches the machine
/// or the event log. Trusts no agent: only samples of its own attempts count, at the master's own
/// time. Lives on the loop's thread.
class SampleBook {
 public:
  struct Deps {
    rt::Loop& loop;
    log::Logger log;
    const job::Machine& machine;
    cluster::SampleStore* store;  ///< nullptr: nothing is written.
  };
  /// `push`: called when a second has passed, for those that follow.
  SampleBook(Deps deps, job::Epoch epoch, std::function<void()> push);
  ~SampleBook();
  SampleBook(const SampleBook&) = delete;
  SampleBook& operator=(const SampleBook&) = delete;

  /// Loads the samples of earlier masters, and continues from there. Call once, before or while
  /// samples arrive.
  void recover();
  /// Takes the samples in an agent's heartbeat.
  void take(const job::ContainerId& container, const std::vector<wire::Samples>& samples);
  /// Sets whether anybody follows.
  void follow(bool on);

  /// Returns encoded blocks of a step that end after a given time, as far as they are in memory.
  [[nodiscard]] wire::MetricsAnswered answer(const wire::MetricsAsked& asked) const;
  /// Returns the last value of every series that is still being reported.
  [[nodiscard]] metrics::Block latest() const;
  /// Returns what is in memory of the wanted series. An error (of the user) if that is more than
  /// `points_max`.
  [[nodiscard]] Result<std::vector<metrics::Series>> read(metrics::Query query,
                                                          size_t points_max) const;
  /// Returns every metric that the job had within the last minutes, by name.
  [[nodiscard]] std::vector<metrics::Metric> names() const;
  /// The master's time: seconds since 1970. Never decreases, even across masters.
  [[nodiscard]] int64_t now_s() const;

  /// The job has ended: writes everything, as far as the store accepts it.
  [[nodiscard]] rt::Async<Status> finish();

 private:
  using Blocks = std::shared_ptr<const std::vector<metrics::Block>>;
  using SampleFileSizes = std::vector<std::pair<metrics::SampleFileName, uint64_t>>;
  struct Recovered;

  [[nodiscard]] Duration time() const { return begun_wall_ + (deps_.loop.now() - begun_); }
  void take_one(const job::ContainerId& container, const job::Container& place,
                const wire::Samples& samples);
  [[nodiscard]] std::optional<metrics::Subject> subject_of(const job::ContainerId& container,
                                                           const job::Container& place,
                                                           const wire::Samples& samples);
  void refuse(const job::ContainerId& container, std::string_view reason);
  void tick();
  void schedule();
  /// Encodes closed windows off the loop, then keeps and writes them.
  void keep(std::vector<metrics::Block> blocks);
  void keep_encoded(const std::vector<metrics::Block>& blocks, std::vector<std::string> encoded);
  [[nodiscard]] rt::Async<> bring_back();
  [[nodiscard]] rt::Async<std::vector<std::string>> read_newest(const SampleFileSizes* files);
  void adopt(Recovered recovered);
  template <class Call>
  void each_block(uint32_t step_s, int64_t from_s, const Call& call) const;

  Deps deps_;
  std::function<void()> push_;
  metrics::Recorder recorder_;
  metrics::History history_;
  Blocks encoding_;  ///< Being added to the history; nullptr if there are none.
  /// Which agent speaks for a host, and when it last did.
  std::map<job::HostName, std::pair<job::ContainerId, HostTime>> speakers_;
  std::map<job::ContainerId, uint64_t> refused_;
  std::optional<SampleWriter> writer_;
  HostTime begun_{};
  Duration begun_wall_{};  ///< The master's time then, since 1970.
  bool followed_ = false;
  bool finished_ = false;
  rt::TimerId timer_{};
  rt::Scope scope_;  ///< Last: its coroutines use the rest.
};

}  // namespace muster::master
