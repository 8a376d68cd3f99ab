#include "app/follow_command.h"

#include "app/application_end.h"
#include "app/yarn_client.h"
#include "base/text.h"
#include "client/job_reader.h"
#include "cluster/local/job_lock.h"
#include "cluster/master_place_file.h"
#include "control/keys.h"
#include "control/tls_transport.h"
#include "os/code_pages.h"
#include "os/signals.h"
#include "rt/io_loop.h"

#include <fmt/format.h>

namespace muster::app {
namespace {

constexpr Duration kSecondInterrupt = std::chrono::seconds(3);
constexpr Duration kYarnPatience = std::chrono::hours(24 * 365);

/// The foreground of one followed job.
class Foreground {
 public:
  Foreground(Session& session, const FollowCommand& command)
      : session_(session), command_(command) {}

  Result<Followed> run();

 private:
  client::FollowerDeps deps();
  Result<std::string> locate();
  std::optional<job::Outcome> read_outcome();
  Result<std::string> locate_on_yarn();
  std::optional<job::Outcome> outcome_on_yarn();
  [[nodiscard]] bool stop_wanted() const { return stopping_ || command_.stop; }
  void on_signal(int signal);
  void interrupt();

  Session& session_;
  const FollowCommand& command_;
  rt::IoLoop loop_;
  log::NullSink quiet_;
  std::unique_ptr<control::Transport> transport_;
  std::unique_ptr<os::Signals> signals_;
  std::optional<client::Follower> follower_;
  client::FollowEnd end_;
  std::unique_ptr<YarnClient> yarn_;  ///< Null for a job of this machine.
  std::optional<Error> gone_;         ///< The application is over.
  bool leaving_ = false;
  bool stopping_ = false;
  rt::TimerId leave_timer_;
};

client::FollowerDeps Foreground::deps() {
  return {.loop = loop_,
          .transport = *transport_,
          .console = session_.console,
          .locate = [this] { return locate(); },
          .make_plan = plan_of(),
          .read_outcome = [this] { return read_outcome(); },
          .take_output = command_.take_output};
}

Result<std::string> Foreground::locate_on_yarn() {
  Result<cluster::MasterPlace> place = yarn_->cluster().locate(command_.folder.root());
  if (place) {
    return std::move(place->address);
  }
  if (place.error().code == Errc::NotFound) {
    gone_ = place.error();
  } else if (place.error().code == Errc::Unavailable && stop_wanted()) {
    // It waits in its queue: there is no master that could stop it.
    const Status killed = yarn_->cluster().kill(
        command_.folder.root(), std::string(kStoppedBy) + session_.environment.who());
    if (!killed) {
      return killed.error();
    }
  }
  return std::move(place).error();
}

Result<std::string> Foreground::locate() {
  if (yarn_) {
    return locate_on_yarn();
  }
  if (!cluster::local::job_lock_is_held(command_.folder.master_lock())) {
    return Error{Errc::NotFound, Blame::Cluster, "no process is the job's master"};
  }
  MUSTER_TRY(const std::string text, session_.files->read(command_.folder.master_place(), 4096));
  MUSTER_TRY(const cluster::MasterPlaceFile place, cluster::parse_master_place(text));
  return place.address;
}

/// What the master wrote, or else what the cluster says of an application without a master.
std::optional<job::Outcome> Foreground::outcome_on_yarn() {
  if (!gone_) {
    return std::nullopt;
  }
  if (!stop_wanted()) {
    return ask_outcome(yarn_->cluster(), command_.folder.root(), gone_->message);
  }
  return stopped_outcome(gone_->message);
}

std::optional<job::Outcome> Foreground::read_outcome() {
  if (yarn_ && gone_ && !session_.files->exists(command_.folder.summary()) &&
      !yarn_->cluster().bring_home(command_.folder.root())) {
    return outcome_on_yarn();
  }
  if (!session_.files->exists(command_.folder.summary())) {
    return std::nullopt;
  }
  const client::JobEntry entry{command_.folder, {}, true};
  const Result<client::JobReading> reading =
      client::read_job_folder(*session_.files, entry, plan_of());
  return reading ? reading->replayed.machine.state().outcome : std::nullopt;
}

Result<Followed> Foreground::run() {
  MUSTER_TRY(signals_, os::take_signals(loop_, kForegroundSignals,
                                        [this](int signal) { on_signal(signal); }));
  os::ignore_broken_pipes();
  transport_ = control::make_tls_transport(loop_, log::Logger(quiet_));
  client::FollowerOptions options;
  options.job_id = command_.folder.id().value;
  MUSTER_TRY(const std::string secret, session_.files->read(command_.folder.secret(), 4096));
  MUSTER_TRY(options.secret, control::parse_key(trim(secret)));
  options.who = session_.environment.who();
  options.output = command_.output;
  options.narrate = !command_.quiet;
  options.stop = command_.stop;
  options.leave_when_told = command_.leave_when_told;
  if (is_on_yarn(session_, command_.folder)) {
    yarn_ = yarn_client_of(session_, command_.folder);
    // A job may wait in its queue for long; one whose application is over is noticed.
    options.patience = kYarnPatience;
    options.tell_waiting = true;
  }
  follower_.emplace(deps(), std::move(options));
  follower_->start([this](const client::FollowEnd& end) {
    end_ = end;
    loop_.stop();
  });
  const os::CodePages pages(loop_);
  loop_.run();
  if (yarn_ && end_.kind == client::FollowEnd::Kind::Ended) {
    // For status, show and history here; a job without a summary has nothing to show.
    (void)yarn_->cluster().bring_home(command_.folder.root());
  }
  Followed followed{std::move(end_), std::nullopt};
  if (follower_->machine() != nullptr) {
    followed.machine = follower_->take_machine();
  }
  return followed;
}

void Foreground::on_signal(int signal) {
  if (signal == SIGHUP || command_.only_watches) {
    follower_->detach();
  } else if (signal == SIGTERM) {
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
    session_.console.err(
        fmt::format("\nmuster: left {}, which is being stopped; muster status {}\n", id, id));
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

}  // namespace muster::app
