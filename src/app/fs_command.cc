#include "app/commands.h"
#include "app/failure.h"
#include "app/fs_session.h"
#include "app/fs_verbs.h"
#include "base/text.h"
#include "rt/running.h"

#include <fmt/format.h>

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

}  // namespace

int run_fs(Session& session, const FsOptions& command) {
  const Result<std::unique_ptr<FsSession>> opened = FsSession::open(session, command);
  if (!opened.has_value()) {
    return fail(session.console, opened.error());
  }
  FsSession& fs = **opened;
  rt::Async<int> work = [](FsSession* of) -> rt::Async<int> {
    co_await run_verb(of);
    co_return of->exit_status();
  }(&fs);
  int status = 0;
  const rt::Running running = rt::start(fs.loop(), std::move(work), [&](int result) {
    status = result;
    fs.loop().stop();
  });
  fs.loop().run();
  session.console.status("");
  return status;
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
