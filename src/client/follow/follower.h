#pragma once

#include "client/follow/console.h"
#include "client/follow/followed_job.h"
#include "client/follow/master_connection.h"
#include "client/follow/narrator.h"
#include "client/follow/output_view.h"
#include "control/keys.h"
#include "control/transport.h"
#include "eventlog/log_file.h"
#include "job/machine.h"
#include "rt/loop.h"
#include "rt/scope.h"
#include "wire/frame.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace muster::client {

/// How a job whose masters are gone came out.
struct FoundEnd {
  std::optional<job::Outcome> outcome;    ///< None: it never ended, and never will.
  std::string error = {};                 ///< Details of that.
  std::optional<eventlog::Log> log = {};  ///< None if it is not here.
};

/// What a follower works with. All must outlive it.
struct FollowerDeps {
  rt::Loop& loop;
  control::Transport& transport;
  Console& console;
  /// Where the job's master listens now; called again after a break. NotFound: the job has ended or
  /// has no master.
  std::function<Result<std::string>()> locate;
  MakePlan make_plan;
  /// Returns how the job came out, from its folder, when no master answers; nullopt if one may
  /// answer again.
  std::function<std::optional<FoundEnd>()> read_end;
  /// Takes the tasks' output instead of the console, as it arrives; empty: it is shown.
  std::function<void(const wire::Output&)> take_output;
  OutputFiles* files = nullptr;  ///< For rereading output that did not arrive; none: not reread.
  RunEvents* events = nullptr;   ///< Receives events and output; none: they are shown to people.
};

struct FollowerOptions {
  std::string job_id;
  control::Secret secret{};
  std::string who;      ///< For StopAsked: "alice on pts/3".
  bool output = true;   ///< Show the tasks' output.
  bool narrate = true;  ///< Show the phase line and what happens.
  /// Ask the job to stop in this way as soon as the master answers.
  std::optional<job::StopHow> stop;
  bool leave_when_told = false;  ///< With `stop`: detach once StopAsked is in the log.
  /// If nobody reads standard output any more, stop the job, as SIGPIPE would end a program.
  /// Otherwise detach.
  bool stops_without_reader = false;
  bool tell_waiting = false;  ///< Even without a terminal, say why no master answers yet.
  /// How long to look for a master that does not answer before giving up.
  Duration patience = std::chrono::seconds(30);
};

/// How following ended.
struct FollowEnd {
  enum class Kind : uint8_t {
    Ended,     ///< The job has ended; `outcome` is set.
    Detached,  ///< The user left; the job goes on.
    Lost,      ///< No master answered for as long as `patience`; `error` says more.
  };
  Kind kind = Kind::Ended;
  std::optional<job::Outcome> outcome;
  std::string error;
};

/// Follows one job over its master's channel: folds its facts, has people told what happens
/// (Narrator) and shown the tasks' output (OutputView), and reports once how it ended. Lives on the
/// loop's thread. Before the app exits, it asks machine() for the state to show a summary.
class Follower {
 public:
  Follower(FollowerDeps deps, FollowerOptions options);

  /// Starts; `ended` is called once, on the loop, and must not destroy this object.
  void start(std::function<void(const FollowEnd&)> ended);
  /// Asks the job to stop, now or as soon as a master answers; keeps following to the end. May be
  /// repeated.
  void stop_job(job::StopHow how);
  /// Stops showing the tasks' output, and events unless stop_job() is called (after the first
  /// Ctrl-C).
  void mute();
  /// Ends following without touching the job.
  void detach();

  /// Returns the state as far as it was followed, or found after the end; nullptr before that.
  [[nodiscard]] const job::Machine* machine() const { return job_.machine(); }
  /// Hands the state over, after the end; nullopt if machine() is nullptr.
  [[nodiscard]] std::optional<job::Machine> take_machine() { return job_.take_machine(); }

 private:
  void say_hello();
  void show_output();
  void catch_up(const eventlog::Log& log);
  [[nodiscard]] bool go_on_without_master(const std::string& reason, Duration silent);
  void on_frame(std::string_view frame);
  void on_event(const wire::ClientWelcome& welcome);
  void on_event(const wire::FactLogged& logged);
  void on_event(wire::Output& output);
  void on_event(wire::StatusAnswered& status);
  void on_event(wire::JobEnded& ended);
  void on_event(wire::Refused& refused);
  void on_event(wire::StreamFrame&) {}      // A follower opens no streams,
  void on_event(wire::MetricsAnswered&) {}  // and asks for no metrics.
  void on_event(wire::MetricsPushed&) {}
  void on_reader_gone();
  void lose(std::string error);
  void end(FollowEnd end);
  [[nodiscard]] rt::Async<> tell_end(FollowEnd end);

  FollowerDeps deps_;
  FollowerOptions options_;
  std::function<void(const FollowEnd&)> ended_;
  FollowedJob job_;
  std::optional<job::StopHow> stop_;  ///< As requested.
  bool muted_ = false;
  bool over_ = false;
  Narrator narrator_;
  std::optional<OutputView> output_;  ///< From the welcome on.
  MasterConnection connection_;
  rt::Scope ending_;  ///< Last: its coroutine uses all of the above.
};

}  // namespace muster::client
