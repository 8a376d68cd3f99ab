#include "app/cli.h"
#include "app/commands.h"
#include "app/failure.h"
#include "app/session.h"

#include <cstdio>
#include <string>
#include <string_view>
#include <unistd.h>
#include <variant>
#include <vector>

namespace {

using namespace muster::app;

/// One overload for each command.
struct Dispatch {
  Session& session;

  int operator()(const Printed&) const { return 0; }
  int operator()(const RunCommand& command) const { return run_job(session, command); }
  int operator()(const SubmitCommand& command) const { return submit_job(session, command); }
  int operator()(const PlanOptions& command) const { return plan_job(session, command); }
  int operator()(const PsCommand& command) const { return list_running(session, command); }
  int operator()(const HistoryCommand& command) const { return list_ended(session, command); }
  int operator()(const StatusCommand& command) const { return show_status(session, command); }
  int operator()(const ShowCommand& command) const { return show_job(session, command); }
  int operator()(const WhyCommand& command) const { return show_why(session, command); }
  int operator()(const TensorboardOptions& command) const {
    return show_tensorboard(session, command);
  }
  int operator()(const PortalOptions& command) const { return run_portal(session, command); }
  int operator()(const LogsOptions& command) const { return show_logs(session, command); }
  int operator()(const StopOptions& command) const { return stop_job(session, command); }
  int operator()(const SpecFileOptions& command) const { return validate_spec(session, command); }
  int operator()(const ExplainOptions& command) const { return explain_key(session, command); }
  int operator()(const ConfigOptions& command) const { return show_config(session, command); }
  int operator()(const InitOptions& command) const { return init_folder(session, command); }
  int operator()(const CleanOptions& command) const { return clean_jobs(session, command); }
  int operator()(const DoctorOptions& command) const { return check_machine(session, command); }
  int operator()(const DemoOptions& command) const { return demo(session, command); }
  int operator()(const CompletionOptions& command) const {
    return print_completion(session, command);
  }
  int operator()(const VersionOptions& command) const { return print_version(session, command); }
  int operator()(const TonyOptions& command) const { return run_tony(session, command); }
  int operator()(const FsOptions& command) const { return run_fs(session, command); }
  int operator()(const MasterCommand& command) const { return run_master(session, command); }
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  // The two small processes of a container come before everything else: they are started for every
  // one.
  if (!words.empty() && (words[0] == "agent" || words[0] == "keeper")) {
    const std::vector<std::string> rest(words.begin() + 1, words.end());
    return words[0] == "agent" ? run_agent(rest, environ) : run_keeper(rest, environ);
  }
  const Command command = parse_command_line(std::move(words));
  if (const auto* printed = std::get_if<Printed>(&command)) {
    std::fputs(printed->out.c_str(), stdout);
    std::fputs(printed->err.c_str(), stderr);
    return printed->exit_status;
  }
  muster::Result<std::unique_ptr<Session>> session = Session::open(environ);
  if (!session) {
    std::fprintf(stderr, "muster: %s\n", session.error().message.c_str());
    return exit_status_of(session.error());
  }
  const int status = std::visit(Dispatch{**session}, command);
  // What could not be written was not said: a script must not take half an answer for a whole one.
  return status == 0 && (*session)->console.out_disk_failed() ? kCouldNotStart : status;
}
