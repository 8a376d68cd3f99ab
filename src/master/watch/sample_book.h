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

/// What agents measure: takes it, keeps its recent part at hand, writes it to the job's sample
/// files within seconds, and tells it to those who ask or follow. Nothing of it reaches the machine
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
  /// `push`: a second has passed, for those who follow.
  SampleBook(Deps deps, job::Epoch epoch, std::function<void()> push);
  ~SampleBook();
  SampleBook(const SampleBook&) = delete;
  SampleBook& operator=(const SampleBook&) = delete;

  /// Brings the samples of earlier masters back, and goes on from there. Once, before or while
  /// samples come.
  void recover();
  /// An agent's beat.
  void take(const job::ContainerId& container, const std::vector<wire::Samples>& samples);
  /// Somebody follows from now on, or nobody does.
  void follow(bool on);

  /// Encoded blocks of a step that end after a time, as far as they are at hand.
  [[nodiscard]] wire::MetricsAnswered answer(const wire::MetricsAsked& asked) const;
  /// The last value of every series that still comes.
  [[nodiscard]] metrics::Block latest() const;
  /// What is at hand of the wanted series. `points_max`: an error (of the user) when it is more.
  [[nodiscard]] Result<std::vector<metrics::Series>> read(metrics::Query query,
                                                          size_t points_max) const;
  /// Every metric that the job had within the last minutes, by name.
  [[nodiscard]] std::vector<metrics::Metric> names() const;
  /// The master's time: seconds since 1970. Never falls, also across masters.
  [[nodiscard]] int64_t now_s() const;

  /// The job has ended: everything is written, as far as the store takes it.
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
  Blocks encoding_;  ///< Under way to the history; nullptr if there are none.
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
