#include "fs/run.h"

#include "base/text.h"
#include "fs/session.h"
#include "fs/verbs.h"
#include "os/process/signals.h"
#include "rt/running.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <utility>
#include <vector>

namespace muster::fs {
namespace {

namespace hdfs = hadoop::hdfs;

rt::Async<> run_verb(Session* session) {
  switch (session->options().verb) {
    case Verb::Ls:
      return ls(session);
    case Verb::Cat:
      return cat(session);
    case Verb::Put:
      return put(session);
    case Verb::Get:
      return get(session);
    case Verb::Rm:
      return rm(session);
    case Verb::Mkdir:
      return mkdir(session);
    case Verb::Mv:
      return mv(session);
    case Verb::Stat:
      return stat(session);
  }
  return ls(session);
}

/// How long an interrupted command gets to remove what is under temporary names.
constexpr Duration kCleaningMax = std::chrono::seconds(5);

/// Runs a command to its end, or to a signal that would end this process: the signal takes effect
/// once nothing of unfinished copies is left, or when it comes a second time.
class InterruptibleRun {
 public:
  explicit InterruptibleRun(Session& session) : session_(session) {}

  Result<int> run();

 private:
  void on_signal(int signal);
  static rt::Async<int> work(Session* session);

  Session& session_;
  int status_ = 0;
  int signal_ = 0;  ///< The one that interrupted.
  std::unique_ptr<os::Signals> signals_;
  rt::Running running_;
};

rt::Async<int> InterruptibleRun::work(Session* session) {
  co_await run_verb(session);
  co_return session->exit_status();
}

Result<int> InterruptibleRun::run() {
  std::vector<int> wanted;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now{};
    // A signal that a shell lets a background process ignore stays ignored.
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) {
      wanted.push_back(signal);
    }
  }
  MUSTER_TRY(signals_,
             os::take_signals(session_.loop(), wanted, [this](int signal) { on_signal(signal); }));
  running_ = rt::start(session_.loop(), work(&session_), [this](int status) {
    status_ = status;
    session_.loop().stop();
  });
  session_.loop().run();
  session_.terminal().status("");
  signals_.reset();
  if (signal_ != 0) {
    // Without running destructors: a thread may be waiting for standard input.
    std::signal(signal_, SIG_DFL);
    std::raise(signal_);
  }
  return status_;
}

void InterruptibleRun::on_signal(int signal) {
  if (signal_ != 0) {
    session_.loop().stop();
    return;
  }
  signal_ = signal;
  Unfinished::Files left = session_.unfinished().take();
  running_.cancel();
  auto cleaning = rt::with_deadline(
      session_.loop(), session_.loop().now() + kCleaningMax, "the removal of unfinished copies",
      remove_unfinished(&session_.loop(), &session_.files(), std::move(left)));
  running_ = rt::start(session_.loop(), std::move(cleaning),
                       [this](const Status&) { session_.loop().stop(); });
}

}  // namespace

int run(const Deps& deps, const Options& options) {
  const Result<std::unique_ptr<Session>> session = Session::open(deps, options);
  if (!session.has_value()) {
    return deps.terminal.fail(session.error());
  }
  const Result<int> status = InterruptibleRun(**session).run();
  return status.has_value() ? *status : deps.terminal.fail(status.error());
}

rt::Async<Result<Matches>> find_matches(Session* session, std::string argument) {
  Matches matches;
  MUSTER_CO_TRY(matches.place, session->place(argument));
  MUSTER_CO_TRY(matches.found, co_await hdfs::expand(matches.place.fs, matches.place.path));
  if (matches.found.empty()) {
    co_return user_error(fmt::format("{} matches nothing", printable(argument)), Errc::NotFound);
  }
  co_return matches;
}

}  // namespace muster::fs
