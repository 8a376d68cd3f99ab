#include "app/commands.h"
#include "app/failure.h"
#include "app/fs_session.h"
#include "app/fs_verbs.h"
#include "base/text.h"
#include "os/signals.h"
#include "rt/running.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <utility>
#include <vector>

namespace muster::app {
namespace {

namespace hdfs = hadoop::hdfs;

rt::Async<> run_verb(FsSession* session) {
  switch (session->options().verb) {
    case FsOptions::Verb::Ls:
      return fs_ls(session);
    case FsOptions::Verb::Cat:
      return fs_cat(session);
    case FsOptions::Verb::Put:
      return fs_put(session);
    case FsOptions::Verb::Get:
      return fs_get(session);
    case FsOptions::Verb::Rm:
      return fs_rm(session);
    case FsOptions::Verb::Mkdir:
      return fs_mkdir(session);
    case FsOptions::Verb::Mv:
      return fs_mv(session);
    case FsOptions::Verb::Stat:
      return fs_stat(session);
  }
  return fs_ls(session);
}

/// An interrupted command gets so long to remove what lies under temporary names.
constexpr Duration kCleaningMax = std::chrono::seconds(5);

/// Runs a command to its end, or to a signal that would end this process: that does so once nothing
/// of unfinished copies is left, or comes a second time.
class FsRun {
 public:
  FsRun(Session& session, FsSession& fs) : session_(session), fs_(fs) {}

  Result<int> run();

 private:
  void on_signal(int signal);
  static rt::Async<int> work(FsSession* fs);

  Session& session_;
  FsSession& fs_;
  int status_ = 0;
  int signal_ = 0;  ///< The one that interrupted.
  std::unique_ptr<os::Signals> signals_;
  rt::Running running_;
};

rt::Async<int> FsRun::work(FsSession* fs) {
  co_await run_verb(fs);
  co_return fs->exit_status();
}

Result<int> FsRun::run() {
  std::vector<int> wanted;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now{};
    // What a shell lets a background process ignore stays ignored.
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) {
      wanted.push_back(signal);
    }
  }
  MUSTER_TRY(signals_,
             os::take_signals(fs_.loop(), wanted, [this](int signal) { on_signal(signal); }));
  running_ = rt::start(fs_.loop(), work(&fs_), [this](int status) {
    status_ = status;
    fs_.loop().stop();
  });
  fs_.loop().run();
  session_.console.status("");
  signals_.reset();
  if (signal_ != 0) {
    // Not by way of the destructors: a thread may wait for standard input.
    std::signal(signal_, SIG_DFL);
    std::raise(signal_);
  }
  return status_;
}

void FsRun::on_signal(int signal) {
  if (signal_ != 0) {
    fs_.loop().stop();
    return;
  }
  signal_ = signal;
  FsUnfinished::Files left = fs_.unfinished().take();
  running_.cancel();
  auto cleaning = rt::with_deadline(
      fs_.loop(), fs_.loop().now() + kCleaningMax, "the removal of unfinished copies",
      remove_unfinished(&fs_.loop(), session_.files.get(), std::move(left)));
  running_ =
      rt::start(fs_.loop(), std::move(cleaning), [this](const Status&) { fs_.loop().stop(); });
}

}  // namespace

int run_fs(Session& session, const FsOptions& command) {
  const Result<std::unique_ptr<FsSession>> opened = FsSession::open(session, command);
  if (!opened.has_value()) {
    return fail(session.console, opened.error());
  }
  const Result<int> status = FsRun(session, **opened).run();
  return status.has_value() ? *status : fail(session.console, status.error());
}

rt::Async<Result<FsMatches>> fs_matches(FsSession* session, std::string word) {
  FsMatches matches;
  MUSTER_CO_TRY(matches.place, session->place(word));
  MUSTER_CO_TRY(matches.found, co_await hdfs::expand(matches.place.fs, matches.place.path));
  if (matches.found.empty()) {
    co_return user_error(fmt::format("{} matches nothing", printable(word)), Errc::NotFound);
  }
  co_return matches;
}

}  // namespace muster::app
