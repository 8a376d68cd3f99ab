#pragma once

#include "base/time.h"
#include "job/ids.h"
#include "metrics/series.h"
#include "rt/loop.h"
#include "wire/frame.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace muster::agent {

/// Where everything of this agent that measures something puts its samples. Lives on the loop's
/// thread.
class SampleSink {
 public:
  virtual ~SampleSink() = default;
  /// Adds a value of an attempt that was taken `age` ago, as a program's own metric: its name
  /// begins with "user.". Of several values of one series within a second the last counts. Returns
  /// whether it is kept; it is not if the name is invalid (metrics::check_metric), the attempt has
  /// too many names, or too much is waiting for the master.
  virtual bool add(job::AttemptId attempt, metrics::NamedReading reading, Duration age) = 0;
};

/// Gathers samples until the next heartbeat takes them to the master. While there is no master, the
/// oldest are dropped to make room.
class SampleQueue final : public SampleSink {
 public:
  /// Limit for one attempt: programs that make up names without end cost a bounded amount.
  static constexpr size_t kNamesMax = 100;
  /// Moments that wait.
  static constexpr size_t kMomentsMax = 2000;

  explicit SampleQueue(rt::Loop& loop)
      : loop_(loop),
        wall_offset_(loop.wall_now().time_since_epoch() - loop.now().time_since_epoch()) {}

  bool add(job::AttemptId attempt, metrics::NamedReading reading, Duration age) override;
  /// What Muster itself just measured of an attempt (nullopt: of the host).
  void measured(std::optional<job::AttemptId> attempt,
                const std::vector<metrics::Reading>& readings,
                std::vector<metrics::NamedReading> named = {});
  /// How long an attempt has been quiet by now, and without progress.
  void pauses(job::AttemptId attempt, const wire::Pause& quiet, const wire::Fruitless& fruitless);
  /// Returns how many values an attempt's program has reported; an unchanged step, and what the
  /// agent derives from steps, do not count.
  [[nodiscard]] uint64_t told(job::AttemptId attempt) const;
  /// No more samples of an attempt will come: its names are forgotten.
  void ended(job::AttemptId attempt) { own_.erase(attempt); }

  /// Hands over what waits, oldest first.
  [[nodiscard]] std::vector<wire::Samples> take();

 private:
  struct Moment {
    HostTime at{};
    std::vector<metrics::Reading> readings;
    std::map<std::string, metrics::NamedReading> named;
    std::optional<wire::Pause> quiet;
    std::optional<wire::Fruitless> fruitless;
  };
  /// What an attempt's program tells of itself.
  struct Own {
    std::set<std::string> names;
    uint64_t told = 0;
    std::optional<double> step;  ///< The last.
  };
  /// Second of the wall clock, then whose samples: what arrives within one second travels together.
  using Key = std::pair<int64_t, std::optional<job::AttemptId>>;

  Moment& moment_of(std::optional<job::AttemptId> attempt, HostTime at);

  rt::Loop& loop_;
  Duration wall_offset_;  ///< Of the wall clock, as at the start, since the clock may jump.
  std::map<Key, Moment> waiting_;
  std::map<job::AttemptId, Own> own_;
};

}  // namespace muster::agent
