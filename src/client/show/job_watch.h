#pragma once

#include "client/follow/followed_job.h"
#include "client/follow/master_connection.h"
#include "client/measure/top_view.h"
#include "control/keys.h"
#include "control/transport.h"
#include "job/machine.h"
#include "metrics/block.h"
#include "rt/loop.h"
#include "wire/frame.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::client {

/// Follows the state of one running job and what its tasks use, as its master pushes them. Lives on
/// the loop's thread. Its handlers must not destroy it.
class JobWatch {
 public:
  struct Deps {
    rt::Loop& loop;
    control::Transport& transport;
    /// Where the job's master listens now. NotFound: the job has ended or has no master.
    std::function<Result<std::string>()> locate;
    MakePlan make_plan;
  };
  struct Options {
    std::string job_id;
    control::Secret secret{};
    std::string who;
    Duration patience{};  ///< How long to look for a master that does not answer.
  };

  JobWatch(Deps deps, Options options);

  /// `changed` is called when show() has something new; at the end over() is set.
  void start(std::function<void()> changed);
  /// nullopt before a master has answered.
  [[nodiscard]] std::optional<TopJob> show() const;
  /// Why nothing more comes ("the job has ended"); "" while something may.
  [[nodiscard]] const std::string& over() const { return over_; }
  /// Returns whether everything that the first picture needs has arrived: state and samples.
  [[nodiscard]] bool complete() const { return job_.machine() != nullptr && sampled_; }

 private:
  struct Now {
    uint32_t attempt = 0;
    TopUsage usage;
    std::deque<double> cpu;  ///< A value for each second.
  };

  void on_frame(std::string_view bytes);
  void on_event(const wire::ClientWelcome& welcome);
  void on_event(const wire::FactLogged& logged);
  void on_event(const wire::MetricsPushed& pushed);
  void on_event(const wire::JobEnded&) { lose("the job has ended"); }
  template <class Other>
  void on_event(const Other&) {}
  void take(const metrics::Block& block);
  void lose(std::string why);
  [[nodiscard]] TopTask show(const job::RolePlan& role, const job::Task& task) const;

  Deps deps_;
  std::string job_id_;
  std::string who_;
  std::function<void()> changed_;
  FollowedJob job_;
  std::map<std::pair<std::string, uint32_t>, Now> tasks_;  ///< By role and index.
  bool sampled_ = false;
  std::string over_;
  MasterConnection connection_;  ///< Last: its coroutine calls the rest.
};

/// Stores a value in what is shown of a task, if it is one of the values shown.
void put_usage(TopUsage& usage, const metrics::Metric& metric, double value);

}  // namespace muster::client
