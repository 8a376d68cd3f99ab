#include "app/clusters.h"
#include "app/commands.h"
#include "app/program.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "client/failure.h"
#include "client/home_check.h"
#include "stores/hdfs_event_files.h"
#include "stores/hdfs_remote_files.h"

#include <cstdio>
#include <memory>
#include <string>
#include <unistd.h>
#include <variant>
#include <vector>

namespace {

/// Whether a command keeps or reads anything in MUSTER_HOME. A process that only Muster starts has
/// it from one that has looked.
bool uses_home(const muster::cli::Command& command) {
  return !command.summary.empty() && command.name != "help" && command.name != "version" &&
         command.name != "completion";
}

}  // namespace

int main(int argc, char** argv) {
  using namespace muster::app;
  using muster::cli::Command;
  using muster::cli::Printed;
  muster::app::hold_closed_streams();
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  // The two small processes of a container come before everything else: they are started for every
  // one.
  if (!arguments.empty() && (arguments[0] == "agent" || arguments[0] == "keeper")) {
    const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
    return arguments[0] == "agent" ? run_agent(rest, environ) : run_keeper(rest, environ);
  }
  const std::variant<Printed, Command> read = parse_command_line(command_table(), arguments);
  if (const auto* printed = std::get_if<Printed>(&read)) {
    std::fputs(printed->out.c_str(), stdout);
    std::fputs(printed->err.c_str(), stderr);
    return printed->exit_status;
  }
  muster::Result<std::unique_ptr<Session>> session = Session::open(environ);
  if (!session) {
    std::fprintf(stderr, "muster: %s\n", muster::printable(session.error().message).c_str());
    return muster::client::exit_status_of(session.error());
  }
  (*session)->program = own_program();
  (*session)->clusters = make_clusters(**session);
  (*session)->event_files = std::make_unique<muster::stores::HdfsEventFiles>(**session);
  (*session)->remote_files = std::make_unique<muster::stores::HdfsRemoteFiles>(**session);
  const auto& command = std::get<Command>(read);
  if (uses_home(command)) {
    if (const muster::Status checked = muster::client::check_home(**session); !checked) {
      return muster::client::fail((*session)->console, checked.error());
    }
  }
  const int status = command.run(**session);
  // What could not be written was not said: a script must not take half an answer for a whole one.
  return status == 0 && (*session)->console.out_disk_failed() ? muster::client::kCouldNotStart
                                                              : status;
}
