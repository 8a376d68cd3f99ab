#include "base/text.h"
#include "client/commands.h"
#include "client/exec_run.h"
#include "client/failure.h"
#include "client/forward_run.h"
#include "client/notebook_program.h"
#include "client/reach_rules.h"
#include "client/submit_detached.h"
#include "os/spawn.h"
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

/// A notebook's server in its task.
struct Place {
  uint16_t port = 0;
  std::string token;
  std::string page;  ///< To begin with: "lab".
};

/// Asks the user's own Python whether a notebook can be run on this machine at all.
Status check_here(const Session& session) {
  os::SpawnOptions spawn;
  spawn.argv = {"python3", "-c", std::string(notebook_check_program())};
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

Result<std::string> start(Session& session, const NotebookOptions& command, Duration idle) {
  const bool here = command.spec.on.empty() || command.spec.on == "local";
  if (here) {
    MUSTER_TRY_STATUS(check_here(session));
  }
  SpecOptions spec = command.spec;
  spec.tasks = 1;
  spec.name = spec.name.value_or("notebook");
  // On this machine it shows the folder where the person is; elsewhere the task's own.
  std::error_code ignored;
  const std::string root = here ? std::filesystem::current_path(ignored).string() : "";
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(idle).count();
  spec.arguments = {"python3", "-c", std::string(notebook_program()), std::to_string(seconds),
                    root};
  return submit_detached(session, spec, [&session](const spec::Spec& job) {
    return check_reach(session, spec::Reach::Notebook, job);
  });
}

/// Reads what the task's own program knows; the exit status if that cannot be had.
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
  Place place;
  const auto read =
      std::from_chars(line.data(), line.data() + std::min(first, line.size()), place.port);
  if (second == std::string::npos || read.ec != std::errc{} || place.port == 0) {
    return fail(session.console, user_error(fmt::format("{} runs no notebook", printable(job))));
  }
  place.token = line.substr(first + 1, second - first - 1);
  place.page = line.substr(second + 1);
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
  if (job.empty()) {
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
