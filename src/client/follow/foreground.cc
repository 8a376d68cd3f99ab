#include "client/follow/foreground.h"

#include "base/text.h"
#include "client/follow/held_signals.h"
#include "client/submit/secret.h"
#include "cluster/cluster.h"
#include "cluster/job_reading.h"
#include "control/keys.h"
#include "control/tls_transport.h"
#include "eventlog/derive_plan.h"
#include "os/process/code_pages.h"
#include "os/process/signals.h"
#include "rt/io_loop.h"

#include <fmt/format.h>

#include <mutex>
#include <utility>

namespace muster::client {
namespace {

constexpr Duration kSecondInterrupt = std::chrono::seconds(3);

/// Finds where a job's master is, or how the job came out if there is none, from what its cluster
/// and its folder say.
class Whereabouts {
 public:
  Whereabouts(Session& session, const cluster::JobFolder& folder)
      : session_(session),
        folder_(folder),
        cluster_(session.clusters->of(folder)),
        files_(*session.files, cluster_, folder) {}

  /// Returns the master's address. A job that waits for its master is ended if `stop` is true.
  Result<std::string> locate(bool stop);
  /// Returns what the master wrote, or else what the cluster says about a job without a master.
  /// `stopped`: the job was asked to end.
  std::optional<FoundEnd> read_end(bool stopped);
  /// Fetches what status, show and history read here; a job without a summary has nothing to show.
  void fetch_end();
  [[nodiscard]] cluster::Traits traits() const { return cluster_.traits(); }
  [[nodiscard]] OutputFiles& output() { return files_; }

 private:
  [[nodiscard]] std::optional<FoundEnd> told_end(bool stopped) const;

  Session& session_;
  const cluster::JobFolder& folder_;
  cluster::Cluster& cluster_;
  OutputFiles files_;
  std::optional<cluster::Ended> over_;  ///< What the cluster says about a job that is over.
  bool lost_ = false;                   ///< The cluster says that nothing of the job is alive.
};

Result<std::string> Whereabouts::locate(bool stop) {
  const std::unique_lock turn(files_.turn(), std::try_to_lock);
  if (!turn) {
    return cluster_error("the tasks' output is being fetched");
  }
  MUSTER_TRY(const cluster::JobReport report, cluster_.report(folder_));
  if (const auto* const ended = std::get_if<cluster::Ended>(&report)) {
    over_ = *ended;
  }
  lost_ = std::holds_alternative<cluster::Lost>(report);
  if (std::holds_alternative<cluster::Queued>(report) && stop) {
    // There is no master that could stop it.
    MUSTER_TRY_STATUS(cluster_.kill(folder_, session_.environment.who()));
  }
  MUSTER_TRY(cluster::MasterPlace place, cluster::place_in(report, folder_));
  return std::move(place.address);
}

/// Returns how a job came out whose master left no word.
std::optional<FoundEnd> Whereabouts::told_end(bool stopped) const {
  if (!over_) {
    return std::nullopt;
  }
  return FoundEnd{.outcome = stopped ? cluster::stopped_outcome(over_->words) : over_->outcome};
}

std::optional<FoundEnd> Whereabouts::read_end(bool stopped) {
  const std::unique_lock turn(files_.turn(), std::try_to_lock);
  if (!turn) {
    return std::nullopt;
  }
  const auto is_told = [&] { return session_.files->exists(folder_.summary()); };
  if (!is_told() && over_) {
    (void)cluster_.fetch(folder_, cluster::FetchUntil::Now);
  }
  if (!is_told() && !lost_) {
    return told_end(stopped);
  }
  Result<cluster::JobReading> reading =
      cluster::read_job(*session_.files, folder_, eventlog::derive_plan);
  if (!reading) {
    return std::nullopt;
  }
  FoundEnd found{.outcome = reading->state().outcome};
  if (!found.outcome) {
    found.error = fmt::format(
        "{0} no longer has a master: the machine went down, or every process of the job was "
        "killed; `muster status {0}` shows how far it got",
        folder_.id().value);
  }
  found.log = std::move(reading->log);
  return found;
}

void Whereabouts::fetch_end() {
  const std::scoped_lock turn(files_.turn());
  (void)cluster_.fetch(folder_, cluster::FetchUntil::End);
}

/// The foreground of one followed job.
class Foreground {
 public:
  Foreground(Session& session, const FollowCommand& command)
      : session_(session),
        command_(command),
        held_(session.console),
        job_(session, command.folder) {}

  Result<Followed> run();

 private:
  FollowerDeps deps();
  [[nodiscard]] bool stop_wanted() const { return stopping_ || interrupted_ || command_.stop; }
  void on_signal(int signal);
  void interrupt();
  void pass_on_interrupt();

  Session& session_;
  const FollowCommand& command_;
  HeldSignals held_;  ///< Before `signals_`, which restores what it found.
  Whereabouts job_;   ///< Before the loop: one of its threads may still read when it ends.
  rt::IoLoop loop_;
  log::NullSink quiet_;
  std::unique_ptr<control::Transport> transport_;
  std::unique_ptr<os::Signals> signals_;
  std::optional<Follower> follower_;
  FollowEnd end_;
  bool leaving_ = false;
  bool stopping_ = false;
  bool interrupted_ = false;        ///< By Ctrl-C, like a program run by hand.
  bool outlives_terminal_ = false;  ///< Started with nohup.
  rt::TimerId leave_timer_;
};

FollowerDeps Foreground::deps() {
  return {.loop = loop_,
          .transport = *transport_,
          .console = session_.console,
          .locate = [this] { return job_.locate(stop_wanted()); },
          .make_plan = eventlog::derive_plan,
          .read_end = [this] { return job_.read_end(stop_wanted()); },
          .take_output = command_.take_output,
          .files = &job_.output(),
          .events = command_.events};
}

Result<Followed> Foreground::run() {
  outlives_terminal_ = os::is_ignored(SIGHUP);
  MUSTER_TRY(signals_, os::take_signals(loop_, kForegroundSignals,
                                        [this](int signal) { on_signal(signal); }));
  os::ignore_broken_pipes();
  transport_ = control::make_tls_transport(loop_, log::Logger(quiet_));
  FollowerOptions options;
  options.job_id = command_.folder.id().value;
  MUSTER_TRY(options.secret, read_secret(*session_.files, command_.folder));
  options.who = session_.environment.who();
  options.output = command_.output;
  options.narrate = !command_.quiet;
  options.stop = command_.stop;
  options.leave_when_told = command_.leave_when_told;
  options.stops_without_reader = !command_.only_watches;
  const cluster::Traits traits = job_.traits();
  options.patience = traits.master_patience;
  options.tell_waiting = traits.remote;
  follower_.emplace(deps(), std::move(options));
  follower_->start([this](const FollowEnd& end) {
    end_ = end;
    loop_.stop();
  });
  const os::CodePages pages(loop_);
  loop_.run();
  if (end_.kind == FollowEnd::Kind::Ended) {
    job_.fetch_end();
  }
  Followed followed{.end = std::move(end_), .interrupted = interrupted_, .machine = std::nullopt};
  if (follower_->machine() != nullptr) {
    followed.machine = follower_->take_machine();
  }
  return followed;
}

void Foreground::on_signal(int signal) {
  const bool hang_up = signal == SIGHUP;
  if (hang_up && outlives_terminal_) {
    return;
  }
  session_.console.hurry();
  if (command_.only_watches || (hang_up && !command_.stops_at_hang_up)) {
    follower_->detach();
  } else if (signal == SIGTERM || hang_up) {
    stopping_ = true;
    interrupted_ = false;
    follower_->stop_job(job::StopHow::Terminate);
  } else if (command_.on_interrupt == OnInterrupt::Interrupt && !stopping_) {
    pass_on_interrupt();
  } else {
    interrupt();
  }
}

/// As with a program run by hand, to which the terminal sends SIGINT; a second one does not wait
/// for what the program makes of the first.
void Foreground::pass_on_interrupt() {
  const std::string& id = command_.folder.id().value;
  session_.console.status("");
  stopping_ = std::exchange(interrupted_, true);
  if (stopping_) {
    session_.console.err(
        fmt::format("\nmuster: stopping {} with SIGTERM; Ctrl-C again detaches from it\n", id));
    follower_->stop_job(job::StopHow::Terminate);
  } else {
    session_.console.err(fmt::format(
        "\nmuster: interrupting {} (SIGINT); Ctrl-C again stops it with SIGTERM\n", id));
    follower_->stop_job(job::StopHow::Interrupt);
  }
}

void Foreground::interrupt() {
  const std::string id = command_.folder.id().value;
  const bool person = session_.console.screen().err_is_terminal;
  const bool detaches = command_.on_interrupt == OnInterrupt::Detach ||
                        (command_.on_interrupt == OnInterrupt::Auto && person && !command_.stop);
  if (stopping_) {
    // It is already being stopped, so the next one only leaves.
    session_.console.status("");
    session_.console.err(fmt::format(
        "\nmuster: detached from {}, which is being stopped; `muster status {}` shows its state\n",
        id, id));
    follower_->detach();
    return;
  }
  if (detaches && !leaving_) {
    leaving_ = true;
    follower_->mute();
    session_.console.status("");
    session_.console.err(
        fmt::format("\nmuster: left {}; it keeps running. Ctrl-C again within 3 s stops it.\n"
                    "  come back:  muster logs -f {}\n  stop it:    muster stop {}\n",
                    id, id, id));
    leave_timer_ = loop_.call_after(kSecondInterrupt, [this] { follower_->detach(); });
    return;
  }
  loop_.cancel(leave_timer_);
  stopping_ = true;
  session_.console.err(fmt::format("\nmuster: stopping {}\n", id));
  follower_->stop_job(job::StopHow::Terminate);
}

}  // namespace

Result<Followed> follow_job(Session& session, const FollowCommand& command) {
  return Foreground(session, command).run();
}

}  // namespace muster::client
