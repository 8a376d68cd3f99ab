#include "client/keep/self_cleaning.h"

#include "cluster/retention.h"
#include "os/process/spawn.h"

#include <filesystem>

namespace muster::client {
namespace {

constexpr uint64_t kLogBytesMax = 64U << 10;
constexpr uint32_t kPrivate = 0700;
constexpr int kNiceness = 10;

/// Returns whether a day has passed since the stamp was written, or it never was.
bool is_due(const Result<os::FileStat>& stamp, WallTime now) {
  return !stamp || cluster::cleaning_is_due(stamp->modified, now);
}

/// Returns whether it is this submission's turn; then nobody else gets a turn for a day. If nothing
/// can be written, nobody gets one: otherwise every submission would.
bool take_turn(Session& session, const std::string& on) {
  const std::filesystem::path folder = session.home.root() / "cleaned";
  const std::filesystem::path stamp = folder / (on.empty() ? "local" : on);
  const WallTime now = session.now();
  if (!is_due(session.files->stat(stamp), now) || !session.files->make_folders(folder, kPrivate)) {
    return false;
  }
  // If several submissions come at the same moment, one is enough.
  const auto lock = session.files->try_lock(folder / ".lock");
  const Result<os::FileStat> last = session.files->stat(stamp);
  if (!lock || !is_due(last, now) || !session.files->write(stamp, "")) {
    return false;
  }
  // In a new home nothing is old; HDFS has jobs of other homes.
  return last.has_value() || !on.empty();
}

std::filesystem::path log_with_room(Session& session) {
  const std::filesystem::path log = session.home.root() / "cleaning.log";
  const Result<os::FileStat> there = session.files->stat(log);
  if (there && there->size_bytes > kLogBytesMax) {
    (void)session.files->rename(log, session.home.root() / "cleaning.log.1");
  }
  return log;
}

}  // namespace

void start_cleaning_by_itself(Session& session, const std::string& on,
                              const spec::Cleaning& cleaning) {
  if (!cleaning.older || !take_turn(session, on)) {
    return;
  }
  os::SpawnOptions spawn;
  // The shell ends at once, so that the cleaner is nobody's child.
  spawn.argv = {"/bin/sh", "-c",         "\"$0\" \"$@\" &", session.program.string(),
                "clean",   "--by-itself"};
  if (!on.empty()) {
    spawn.argv.insert(spawn.argv.end(), {"--on", on});
  }
  spawn.env = session.process_environment();
  spawn.stdout_to = os::ToFile{log_with_room(session)};
  spawn.stderr_to = spawn.stdout_to;
  spawn.grouping = os::Grouping::NewSession;
  spawn.niceness = kNiceness;
  if (const Result<os::Spawned> started = os::spawn(spawn); started) {
    (void)os::reap(started->pid);
  }
}

}  // namespace muster::client
