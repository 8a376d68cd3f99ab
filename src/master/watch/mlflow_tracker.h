#pragma once

#include "base/log.h"
#include "base/result.h"
#include "base/time.h"
#include "master/master.h"
#include "master/watch/tracker.h"
#include "net/web_client.h"
#include "rt/async.h"
#include "rt/io_loop.h"
#include "rt/running.h"
#include "rt/wait.h"
#include "tracking/mlflow.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::master {

/// An MLflow server, as the variables of its own clients name it.
struct MlflowSettings {
  net::WebAddress server;
  std::string experiment;     ///< Its name; "" for the server's default one.
  std::string experiment_id;  ///< Takes precedence over the name.
  std::string authorization;  ///< Of the header; "" for none.
  std::string authorities;    ///< The file SSL_CERT_FILE; "" for the host's.
};

/// Reads them from variables; nullopt if there is no MLFLOW_TRACKING_URI. An error is the user's:
/// an address that is not a web server's.
[[nodiscard]] Result<std::optional<MlflowSettings>> mlflow_settings(
    const std::map<std::string, std::string>& variables);

/// Logs the job as a run on an MLflow server: what was submitted when it begins, curves as they
/// arrive, how it came out. A server that is slow, away or refusing costs the job nothing: what
/// cannot be sent is retried, and abandoned when the job is over. A master that takes over
/// continues the run of its predecessor.
class MlflowTracker final : public Tracker {
 public:
  MlflowTracker(rt::IoLoop& loop, log::Logger log, MlflowSettings settings,
                tracking::Context context);
  ~MlflowTracker() override;
  MlflowTracker(const MlflowTracker&) = delete;
  MlflowTracker& operator=(const MlflowTracker&) = delete;

  /// The master has started; it must outlive this.
  void start(const Master& master);
  [[nodiscard]] rt::Async<> finish() override;

  static constexpr Duration kAnswerMax = std::chrono::seconds(10);
  static constexpr Duration kEndMax = std::chrono::seconds(10);

 private:
  [[nodiscard]] rt::Async<> tell();
  [[nodiscard]] rt::Async<Status> begin_run();
  [[nodiscard]] rt::Async<Result<std::string>> find_experiment();
  [[nodiscard]] rt::Async<Status> tell_curves();
  [[nodiscard]] rt::Async<Status> tell_end();
  [[nodiscard]] rt::Async<Status> until_it_works(rt::Async<Status> (MlflowTracker::*work)());
  [[nodiscard]] std::string shown(std::string_view answer) const;
  [[nodiscard]] rt::Async<Result<std::string>> call(std::string method, std::string path,
                                                    std::string body);
  [[nodiscard]] rt::Async<> wait(Duration most);
  [[nodiscard]] rt::Async<Status> told_all();
  [[nodiscard]] std::vector<tracking::CurvePoint> new_points(int64_t until_s);

  rt::IoLoop& loop_;
  log::Logger log_;
  MlflowSettings settings_;
  tracking::Context context_;
  net::WebDialers dialers_;
  const Master* master_ = nullptr;
  std::optional<tracking::Curves> curves_;
  std::string run_id_;              ///< "" before there is one.
  int64_t told_until_s_ = 0;        ///< Values before this second are sent, or in unsent_.
  std::deque<std::string> unsent_;  ///< Bodies.
  uint32_t step_s_ = 1;             ///< Between points: coarser where there are too many.
  rt::Event ending_;
  rt::Event told_;
  rt::Running running_;  ///< Last: it uses the rest.
};

}  // namespace muster::master
