#include "client/follow/foreground.h"

#include "base/text.h"
#include "client/follow/held_signals.h"
#include "client/submit/secret.h"
#include "cluster/cluster.h"
#include "cluster/job_reading.h"
#include "control/keys.h"
#include "control/tls_transport.h"
#include "os/process/code_pages.h"
#include "os/process/signals.h"
#include "rt/io_loop.h"

#include <fmt/format.h>

#include <mutex>

namespace muster::client {
namespace {

constexpr Duration kSecondInterrupt = std::chrono::seconds(3);

/// The foreground of one followed job.
class Foreground {
 public:
  Foreground(Session& session, const FollowCommand& command)
      : session_(session),
        command_(command),
        held_(session.console),
        cluster_(session.clusters->of(command.folder)),
        files_(*session.files, cluster_, command.folder) {}

  Result<Followed> run();

 private:
  FollowerDeps deps();
  Result<std::string> locate();
  std::optional<FoundEnd> read_end();
  [[nodiscard]] std::optional<FoundEnd> told_end() const;
  [[nodiscard]] bool stop_wanted() const { return stopping_ || command_.stop; }
  void on_signal(int signal);
  void interrupt();

  Session& session_;
  const FollowCommand& command_;
  HeldSignals held_;  ///< Before `signals_`, which gives back what it found.
  cluster::Cluster& cluster_;
  OutputFiles files_;  ///< Before the loop: one of its threads may still read when it goes.
  rt::IoLoop loop_;
  log::NullSink quiet_;
  std::unique_ptr<control::Transport> transport_;
  std::unique_ptr<os::Signals> signals_;
  std::optional<Follower> follower_;
  FollowEnd end_;
  std::optional<cluster::Ended> over_;  ///< What the cluster says of a job that is over.
  bool lost_ = false;                   ///< It says that nothing of the job lives.
  bool leaving_ = false;
  bool stopping_ = false;
  bool outlives_terminal_ = false;  ///< As nohup has it.
  rt::TimerId leave_timer_;
};

FollowerDeps Foreground::deps() {
  return {.loop = loop_,
          .transport = *transport_,
          .console = session_.console,
          .locate = [this] { return locate(); },
          .make_plan = plan_of(),
          .read_end = [this] { return read_end(); },
          .take_output = command_.take_output,
          .files = &files_,
          .events = command_.events};
}

Result<std::string> Foreground::locate() {
  const std::unique_lock turn(files_.turn(), std::try_to_lock);
  if (!turn) {
    return cluster_error("the tasks' output is being fetched");
  }
  MUSTER_TRY(const cluster::JobReport report, cluster_.report(command_.folder));
  if (const auto* const ended = std::get_if<cluster::Ended>(&report)) {
    over_ = *ended;
  }
  lost_ = std::holds_alternative<cluster::Lost>(report);
  if (std::holds_alternative<cluster::Queued>(report) && stop_wanted()) {
    // There is no master that could stop it.
    MUSTER_TRY_STATUS(cluster_.kill(command_.folder, session_.environment.who()));
  }
  MUSTER_TRY(cluster::MasterPlace place, cluster::place_in(report, command_.folder));
  return std::move(place.address);
}

/// How a job came out whose master left no word.
std::optional<FoundEnd> Foreground::told_end() const {
  if (!over_) {
    return std::nullopt;
  }
  return FoundEnd{.outcome =
                      stop_wanted() ? cluster::stopped_outcome(over_->words) : over_->outcome};
}

/// What the master wrote, or else what the cluster says of a job without a master.
std::optional<FoundEnd> Foreground::read_end() {
  const std::unique_lock turn(files_.turn(), std::try_to_lock);
  if (!turn) {
    return std::nullopt;
  }
  const auto is_told = [&] { return session_.files->exists(command_.folder.summary()); };
  if (!is_told() && over_) {
    (void)cluster_.fetch(command_.folder, cluster::FetchUntil::Now);
  }
  if (!is_told() && !lost_) {
    return told_end();
  }
  Result<cluster::JobReading> reading =
      cluster::read_job(*session_.files, command_.folder, plan_of());
  if (!reading) {
    return std::nullopt;
  }
  FoundEnd found{.outcome = reading->state().outcome};
  if (!found.outcome) {
    found.error = fmt::format(
        "{0} has no master any more: the machine went down, or every process of the job was "
        "killed; `muster status {0}` tells how far it came",
        command_.folder.id().value);
  }
  found.log = std::move(reading->log);
  return found;
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
  const cluster::Traits traits = cluster_.traits();
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
    // For status, show and history here; a job without a summary has nothing to show.
    const std::scoped_lock turn(files_.turn());
    (void)cluster_.fetch(command_.folder, cluster::FetchUntil::End);
  }
  Followed followed{std::move(end_), std::nullopt};
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
  if (command_.only_watches || (hang_up && !command_.stops_at_hang_up)) {
    follower_->detach();
  } else if (signal == SIGTERM || hang_up) {
    stopping_ = true;
    follower_->stop_job();
  } else {
    interrupt();
  }
}

void Foreground::interrupt() {
  const std::string id = command_.folder.id().value;
  const bool person = session_.console.screen().err_is_terminal;
  const bool detaches = command_.on_interrupt == OnInterrupt::Detach ||
                        (command_.on_interrupt == OnInterrupt::Auto && person && !command_.stop);
  if (stopping_) {
    // Already being stopped: the next one only leaves.
    session_.console.status("");
    session_.console.err(fmt::format(
        "\nmuster: detached from {}, which is being stopped; muster status {}\n", id, id));
    follower_->detach();
    return;
  }
  if (detaches && !leaving_) {
    leaving_ = true;
    follower_->mute();
    session_.console.status("");
    session_.console.err(
        fmt::format("\nmuster: left {}, which goes on. Ctrl-C again within 3 s stops it.\n"
                    "  come back:  muster logs -f {}\n  stop it:    muster stop {}\n",
                    id, id, id));
    leave_timer_ = loop_.call_after(kSecondInterrupt, [this] { follower_->detach(); });
    return;
  }
  loop_.cancel(leave_timer_);
  stopping_ = true;
  session_.console.err(fmt::format("\nmuster: stopping {}\n", id));
  follower_->stop_job();
}

}  // namespace

Result<Followed> follow_job(Session& session, const FollowCommand& command) {
  return Foreground(session, command).run();
}

}  // namespace muster::client
