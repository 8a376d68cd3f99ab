#include "client/tony/tony_notebook.h"

#include "client/commands.h"
#include "client/reach/exec_run.h"
#include "client/reach/forward_run.h"
#include "client/reach/reach_rules.h"
#include "client/show/failure.h"
#include "client/show/job_finder.h"
#include "job/outcome.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace muster::client {
namespace {

/// A cluster may be busy, so this is as long as `muster notebook` waits.
constexpr Duration kPatience = std::chrono::minutes(15);

/// Asks the running task for its port; 0 if it has none, or if people have been told why.
uint16_t find_port(Session& session, const std::string& job, const std::string& on) {
  ExecPlan plan;
  plan.way = spec::Reach::Notebook;
  plan.arguments = {"/bin/sh", "-c", "echo $TB_PORT"};
  plan.wait = kPatience;
  const Answer answer = ask_task(session, job, on, plan);
  const std::string_view line = answer.text;
  uint16_t port = 0;
  const auto read = std::from_chars(line.data(), line.data() + line.size(), port);
  if (answer.status == 0 && (read.ec != std::errc{} || port == 0)) {
    (void)fail(session.console, user_error(job + " has no TB_PORT for the notebook to listen on"));
  }
  return answer.status == 0 && read.ec == std::errc{} ? port : 0;
}

/// Returns whether it led anywhere.
bool lead(Session& session, const std::string& job, const std::string& on) {
  const uint16_t port = find_port(session, job, on);
  if (port == 0) {
    return false;
  }
  bool led = false;
  ForwardPlan plan;
  plan.way = spec::Reach::Notebook;
  plan.ports = {{.local = 0, .remote = port}};
  plan.wait = kPatience;
  plan.announce = [&](uint16_t local) {
    led = true;
    session.console.err(
        fmt::format("muster: Ctrl-C ends {0}; `muster logs {0}` shows what it prints, "
                    "and its token if it asks for one\n",
                    job));
    return fmt::format("http://127.0.0.1:{}/\n", local);
  };
  (void)forward_to_task(session, job, on, plan);
  return led;
}

/// Returns the exit status that its end asks for; nothing while it runs.
std::optional<int> status_of_end(Session& session, const std::string& id, const std::string& on) {
  const Result<FoundJob> job = find_job(session, id, on);
  if (!job || !job->ended()) {
    return std::nullopt;
  }
  const std::optional<job::Outcome>& outcome = job->reading.replayed.machine.state().outcome;
  const int status = outcome ? job::exit_status(outcome->reason) : 1;
  if (status != 0) {
    session.console.err(fmt::format(
        "muster: {0} failed: `muster status {0}` says why, `muster logs {0}` what it printed\n",
        id));
  }
  return status;
}

}  // namespace

int run_tony_notebook(Session& session, const SpecOptions& options, const MadeJob& made) {
  const Result<std::string> job =
      submit_made_job(session, options, made, [&session](const spec::Spec& spec) {
        return check_reach(session, spec::Reach::Notebook, spec);
      });
  if (!job) {
    return fail(session.console, job.error());
  }
  session.console.err(fmt::format("muster: {} runs the notebook\n", *job));
  const bool led = lead(session, *job, options.on);
  if (const std::optional<int> status = status_of_end(session, *job, options.on)) {
    return *status;
  }
  StopOptions stop;
  stop.ids = {*job};
  stop.on = options.on;
  const int stopped = stop_job(session, stop);
  return led ? 0 : (stopped == 0 ? 1 : stopped);
}

}  // namespace muster::client
