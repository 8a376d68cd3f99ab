#include "base/text.h"
#include "client/commands.h"
#include "client/reach/exec_run.h"
#include "client/reach/forward_run.h"
#include "client/reach/notebook_folder.h"
#include "client/reach/notebook_program.h"
#include "client/reach/reach_rules.h"
#include "client/show/failure.h"
#include "client/show/job_finder.h"
#include "client/submit/submit_detached.h"
#include "cluster/cluster.h"
#include "os/process/spawn.h"
#include "rt/fd.h"
#include "spec/duration_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

namespace muster::client {
namespace {

constexpr const char* kDefaultName = "notebook";

/// A notebook's server in its task.
struct Place {
  uint16_t port = 0;
  std::string token;
  std::string page;  ///< The page to open first: "lab".
  std::string kept;  ///< The HDFS folder in which its files are kept; "" for none.
};

/// Which files a notebook shows.
struct Shown {
  std::string folder;  ///< On the task's host; "": one of the task's own.
  std::string kept;    ///< The HDFS folder in which that folder's files are kept; "" for none.
};

/// Exits with 0 if there is a server to start.
constexpr const char* kCheckProgram =
    "import importlib.util, sys; sys.exit(importlib.util.find_spec('jupyter_server') is None)";

/// Asks the user's own Python whether a notebook can be run on this machine at all.
Status check_here(const Session& session) {
  os::SpawnOptions spawn;
  spawn.argv = {"python3", "-c", kCheckProgram};
  spawn.env = {session.environment.all().begin(), session.environment.all().end()};
  const Result<os::Spawned> spawned = os::spawn(spawn);
  if (!spawned) {
    return user_error("python3 is not on PATH: activate the environment that has Jupyter",
                      Errc::NotFound);
  }
  MUSTER_TRY(const os::Exit exit, os::reap(spawned->pid));
  if (exit.code != 0) {
    return user_error(
        "there is no Jupyter in the environment of the python3 on PATH; install it there, as in "
        "pip install jupyterlab, or activate the environment that has it",
        Errc::NotFound);
  }
  return {};
}

/// On this machine, shows the current folder; elsewhere, one that outlives the job, if the cluster
/// has any.
Result<Shown> shown_by(const NotebookOptions& command, const cluster::Traits& traits) {
  const bool in_hdfs = command.folder.starts_with("hdfs:");
  if (in_hdfs && !traits.hdfs) {
    return user_error("--folder: files can be kept in HDFS only on a cluster that has it, not on " +
                      (command.spec.on.empty() ? "this machine" : printable(command.spec.on)));
  }
  if (!traits.remote) {
    std::error_code error;
    const std::filesystem::path folder = command.folder.empty()
                                             ? std::filesystem::current_path(error)
                                             : std::filesystem::canonical(command.folder, error);
    if (error || !std::filesystem::is_directory(folder, error)) {
      return user_error(fmt::format("--folder: {} is not a folder", printable(command.folder)));
    }
    return Shown{.folder = folder.string(), .kept = ""};
  }
  if (in_hdfs) {
    return Shown{.folder = "", .kept = command.folder};
  }
  if (command.folder.empty()) {
    const std::string name = command.spec.name.value_or(kDefaultName);
    return Shown{.folder = "", .kept = traits.hdfs ? "notebooks/" + name : ""};
  }
  if (!command.folder.starts_with('/')) {
    return user_error(
        fmt::format("--folder: must begin with hdfs:// or, for a folder of the "
                    "cluster's hosts, with /, not `{}`",
                    printable(command.folder)));
  }
  return Shown{.folder = command.folder, .kept = ""};
}

Result<std::string> start(Session& session, const NotebookOptions& command, Duration idle) {
  MUSTER_TRY(cluster::Cluster* const cluster, session.clusters->named(command.spec.on, {}));
  const cluster::Traits traits = cluster->traits();
  MUSTER_TRY(const Shown shown, shown_by(command, traits));
  if (!traits.remote) {
    MUSTER_TRY_STATUS(check_here(session));
  }
  SpecOptions spec = command.spec;
  spec.tasks = 1;
  spec.name = spec.name.value_or(kDefaultName);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(idle).count();
  spec.arguments = {"python3",
                    "-c",
                    std::string(notebook_program()),
                    std::to_string(seconds),
                    shown.folder,
                    fmt::format("{}{}{}", kernel_folder_program(), peer_user_program(),
                                notebook_kernels_program())};
  rt::Fd turn;
  if (!shown.kept.empty()) {
    turn = take_notebook_turn(session);
    MUSTER_TRY_STATUS(check_notebook_folder(session, *cluster, shown.kept,
                                            command.folder.empty() ? "--name" : "--folder"));
    // Another container has what was kept, so it may restart; the user's own settings come later.
    spec.sets.insert(spec.sets.begin(), {"restart.container=3", "restart.host=3"});
    spec.sets.push_back(fmt::format("variables.{}=file://{{program}}", kProgramVariable));
    spec.sets.push_back(fmt::format("env.{}={}", kKeptVariable, shown.kept));
  }
  return submit_detached(session, spec, [&session](const spec::Spec& job) {
    return check_reach(session, spec::Reach::Notebook, job);
  });
}

/// Asks the task's own program for the place; returns the exit status if that cannot be had.
std::variant<Place, int> find_place(Session& session, const std::string& job, const std::string& on,
                                    Duration wait) {
  ExecPlan plan;
  plan.way = spec::Reach::Notebook;
  plan.arguments = {"python3", "-c", std::string(notebook_place_program())};
  plan.wait = wait;
  const Answer answer = ask_task(session, job, on, plan);
  if (answer.status != 0) {
    session.console.err(fmt::format("muster: see `muster logs {}`\n", job));
    return answer.status;
  }
  const std::string& line = answer.text;
  const size_t first = line.find(' ');
  const size_t second = line.find(' ', first + 1);
  const size_t third = std::min(line.find(' ', second + 1), line.size());
  Place place;
  const auto read =
      std::from_chars(line.data(), line.data() + std::min(first, line.size()), place.port);
  if (second == std::string::npos || read.ec != std::errc{} || place.port == 0) {
    return fail(session.console,
                user_error(fmt::format("{} is not running a notebook", printable(job))));
  }
  place.token = line.substr(first + 1, second - first - 1);
  place.page = line.substr(second + 1, third - second - 1);
  place.kept = line.substr(std::min(third + 1, line.size()));
  return place;
}

}  // namespace

int open_notebook(Session& session, const NotebookOptions& command) {
  const Result<Duration> idle = spec::parse_duration(command.idle);
  if (!idle) {
    return fail(session.console, idle.error().within("--idle"));
  }
  const Result<Duration> wait = spec::parse_duration(command.wait);
  if (!wait) {
    return fail(session.console, wait.error().within("--wait"));
  }
  std::string job = command.id;
  if (!job.empty()) {
    if (const auto entry = find_entry(session, job, command.spec.on); !entry) {
      return fail(session.console, entry.error());
    }
  } else {
    Result<std::string> started = start(session, command, *idle);
    if (!started) {
      return fail(session.console, started.error());
    }
    job = *std::move(started);
    session.console.err(fmt::format("muster: {} runs the notebook\n", job));
  }
  const auto found = find_place(session, job, command.spec.on, *wait);
  if (const int* status = std::get_if<int>(&found)) {
    return *status;
  }
  const Place& place = std::get<Place>(found);
  if (!place.kept.empty()) {
    session.console.err(fmt::format("muster: its files are kept in HDFS, in {}, as they change\n",
                                    printable(place.kept)));
  }
  ForwardPlan plan;
  plan.way = spec::Reach::Notebook;
  plan.ports = {{.local = command.port, .remote = place.port}};
  plan.wait = *wait;
  plan.announce = [&](uint16_t local) {
    session.console.err(
        fmt::format("muster: Ctrl-C leaves the notebook running; `muster notebook {0}` comes back "
                    "to it, `muster stop {0}` ends it\n",
                    job));
    return fmt::format("http://127.0.0.1:{}/{}?token={}\n", local, place.page, place.token);
  };
  return forward_to_task(session, job, command.spec.on, plan);
}

}  // namespace muster::client
