#include "app/self_cleaning.h"

#include "app/program.h"
#include "os/spawn.h"

#include <chrono>
#include <utility>

namespace muster::app {
namespace {

namespace hdfs = hadoop::hdfs;

constexpr std::chrono::hours kEvery{24};

int64_t milliseconds_of(WallTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

/// Whether it is this submission's turn: then it is nobody else's before tomorrow.
rt::Async<Result<bool>> take_turn(hdfs::FileSystem* files, std::string path, int64_t now) {
  const Result<hdfs::FileStatus> last = co_await files->stat(path);
  if (!last.has_value() && last.error().code == Errc::NotFound) {
    MUSTER_CO_TRY_STATUS(co_await files->write_whole(path, "", {}));
    co_return false;  // Nothing here is old yet.
  }
  if (!last.has_value()) {
    co_return last.error();
  }
  if (now - last->modified_ms < std::chrono::milliseconds(kEvery).count()) {
    co_return false;
  }
  MUSTER_CO_TRY_STATUS(co_await files->name_node().set_times(path, now, -1));
  co_return true;
}

}  // namespace

void clean_by_itself(Session& session, YarnClient& client, const std::string& on,
                     const spec::Spec& spec) {
  cluster::yarn::YarnCluster& cluster = client.cluster();
  const Result<std::string> root = cluster.staging_root(spec);
  const Result<cluster::yarn::Session*> line = cluster.session();
  if (!root || !line) {
    return;
  }
  const Result<bool> turn =
      cluster.run(take_turn(&(*line)->files(), *root + "/cleaned", milliseconds_of(session.now())));
  if (!turn.value_or(false)) {
    return;
  }
  os::SpawnOptions spawn;
  // The shell ends at once: the cleaner is nobody's child.
  spawn.argv = {"/bin/sh", "-c", "\"$0\" clean --on \"$1\" &", own_program().string(), on};
  spawn.env = {session.environment.all().begin(), session.environment.all().end()};
  spawn.stdout_to = os::ToNull{};
  spawn.stderr_to = os::ToNull{};
  spawn.grouping = os::Grouping::NewSession;
  if (const Result<os::Spawned> started = os::spawn(spawn); started) {
    (void)os::reap(started->pid);
  }
}

}  // namespace muster::app
