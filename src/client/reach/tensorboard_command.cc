#include "base/text.h"
#include "client/commands.h"
#include "client/show/failure.h"
#include "client/show/job_finder.h"
#include "cluster/cluster.h"
#include "framework/tensorboard.h"
#include "os/process/spawn.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <string_view>

namespace muster::client {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCheckpointDir = "$MUSTER_CHECKPOINT_DIR";

/// Returns the chief's last attempt; nullptr if it never ran.
const job::Attempt* last_of_chief(const job::Machine& machine) {
  const auto& chief = machine.plan().chief;
  const job::Task* const task = chief ? &machine.state().task(*chief) : nullptr;
  return task == nullptr || task->attempts.empty() ? nullptr : &task->attempts.back();
}

bool tasks_are_remote(Session& session, const FoundJob& job) {
  return session.clusters->of(job.folder).traits().remote;
}

std::string configuration_of(Session& session, const FoundJob& job) {
  return cluster::application_of(*session.files, job.folder).conf;
}

/// Returns where the content of a task's checkpoint folder is now.
Result<std::string> checkpoints_of(Session& session, const FoundJob& job) {
  const job::Machine& machine = job.reading.replayed.machine;
  const spec::Checkpoint& checkpoint = machine.plan().spec.checkpoint;
  if (!checkpoint.to.empty()) {
    return session.event_files->newest_checkpoint(configuration_of(session, job), checkpoint.to);
  }
  const job::Attempt* const last = last_of_chief(machine);
  if (tasks_are_remote(session, job) || checkpoint.dir.empty() || last == nullptr) {
    return user_error(
        "nothing is left of the chief's checkpoint folder: name a place that outlives the job "
        "(checkpoint.to), or say where the event files are (--logdir)");
  }
  std::string host = last->host.value;
  std::ranges::replace(host, ':', '_');
  return job.folder.checkpoint(host, checkpoint.dir).string();
}

/// Returns the folder or URI that TensorBoard is to read.
Result<std::string> logdir_of(Session& session, const FoundJob& job) {
  const job::Machine& machine = job.reading.replayed.machine;
  const auto& settings = machine.plan().spec.tensorboard;
  if (!settings) {
    return checkpoints_of(session, job);
  }
  const std::string& logdir = settings->logdir;
  if (logdir.find(kCheckpointDir) != std::string::npos) {
    MUSTER_TRY(const std::string checkpoints, checkpoints_of(session, job));
    return framework::logdir_of(*settings, checkpoints);
  }
  if (logdir.starts_with('/') || logdir.find("://") != std::string::npos) {
    return logdir;
  }
  const job::Attempt* const last = last_of_chief(machine);
  if (last == nullptr) {
    return user_error("the chief never ran, so it wrote no event files");
  }
  if (tasks_are_remote(session, job)) {
    return user_error(fmt::format(
        "{} was a folder of the chief's container, which its cluster has removed: write to "
        "$MUSTER_CHECKPOINT_DIR with checkpoint.to set, or to a shared place, and name "
        "that in tensorboard.logdir",
        printable(logdir)));
  }
  const job::TaskId chief = *machine.plan().chief;
  const std::string stem = cluster::JobFolder::attempt_stem(machine.plan().role(chief.role).name,
                                                            chief.index, last->number);
  return (job.folder.work() / stem / logdir).string();
}

/// Returns the folder to read on this machine: what is elsewhere is copied into the job's folder
/// here.
Result<fs::path> local_logdir(Session& session, const FoundJob& job, const std::string& logdir) {
  if (logdir.find("://") == std::string::npos) {
    if (!session.files->exists(logdir)) {
      return user_error(fmt::format("there is no folder {} here", printable(logdir)),
                        Errc::NotFound);
    }
    return fs::path(logdir);
  }
  if (!logdir.starts_with("hdfs://")) {
    return user_error(
        fmt::format("{}: event files can be read from folders on this machine and from hdfs://; "
                    "copy them here and name that folder with --logdir",
                    printable(logdir)));
  }
  fs::path here = job.folder.root() / "tensorboard";
  MUSTER_TRY(const size_t count,
             session.event_files->bring(configuration_of(session, job), logdir, here));
  if (count == 0) {
    return user_error(fmt::format("{} holds no event files (*tfevents*)", printable(logdir)),
                      Errc::NotFound);
  }
  return here;
}

/// Runs TensorBoard until it, or this process, is ended; returns its exit status.
Result<int> serve(const Session& session, const fs::path& logdir, uint16_t port) {
  os::SpawnOptions spawn;
  spawn.argv = {"tensorboard", "--logdir", logdir.string(),     "--host",
                "127.0.0.1",   "--port",   std::to_string(port)};
  spawn.env = {session.environment.all().begin(), session.environment.all().end()};
  spawn.stdin_from = os::ToParent{};
  spawn.parent_death_signal = SIGTERM;
  const Result<os::Spawned> spawned = os::spawn(spawn);
  if (!spawned && spawned.error().code == Errc::NotFound) {
    return user_error(
        "tensorboard is not on PATH: activate the environment that has it, or install "
        "the package tensorboard",
        Errc::NotFound);
  }
  MUSTER_TRY(const os::Exit exit, spawned ? os::reap(spawned->pid) : spawned.error());
  return exit.code.value_or(128 + exit.signal.value_or(0));
}

}  // namespace

int show_tensorboard(Session& session, const TensorboardOptions& command) {
  const Result<FoundJob> found = find_job(session, command.id, command.on);
  if (!found) {
    return fail(session.console, found.error());
  }
  const job::State& state = found->reading.state();
  const bool on_page = std::ranges::any_of(state.endpoints, [](const job::Endpoint& endpoint) {
    return endpoint.url == framework::kTensorboardLink;
  });
  if (on_page && !found->lost() && !found->ended()) {
    session.console.out(
        fmt::format("{} is still running; the job's page links to its TensorBoard\n",
                    found->folder.id().value));
    return 0;
  }
  const Result<std::string> logdir =
      command.logdir.empty() ? logdir_of(session, *found) : Result<std::string>(command.logdir);
  if (!logdir) {
    return fail(session.console, logdir.error());
  }
  const Result<fs::path> folder = local_logdir(session, *found, *logdir);
  if (!folder) {
    return fail(session.console, folder.error());
  }
  session.console.err(fmt::format("muster: TensorBoard on {}\n", printable(folder->string())));
  const Result<int> served = serve(session, *folder, command.port);
  return served ? *served : fail(session.console, served.error());
}

}  // namespace muster::client
