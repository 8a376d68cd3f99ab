#include "agent/stacks/debug_probe.h"
#include "agent/stacks/stack_probe.h"
#include "app/clusters.h"
#include "app/commands.h"
#include "app/program.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "client/keep/home_check.h"
#include "client/show/failure.h"
#include "inside/elastic.h"
#include "inside/horovod_driver.h"
#include "inside/remote_start.h"
#include "inside/run.h"
#include "os/process/no_memory.h"
#include "stores/hdfs_event_files.h"
#include "stores/hdfs_remote_files.h"
#include "stores/kerberos_tickets.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <malloc.h>
#include <memory>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <variant>
#include <vector>

namespace {

/// Returns whether a command keeps or reads anything in MUSTER_HOME. A process that only Muster
/// starts inherits the result from one that has checked it.
bool uses_home(const muster::cli::Command& command) {
  return !command.summary.empty() && command.name != "help" && command.name != "version" &&
         command.name != "completion";
}

/// Streams allocate and free pieces of 64 KiB all the time. By default the last one freed goes back
/// to the kernel each time, and the next one costs 16 page faults: a third of the cost of a byte
/// that a master passes on. This much is kept instead, and never touched by a process that needs
/// less.
void keep_freed_memory() {
  constexpr int kKeptBytes = 2 << 20;
  constexpr int kOwnMappingBytes = 1 << 20;
  ::mallopt(M_TRIM_THRESHOLD, kKeptBytes);
  ::mallopt(M_MMAP_THRESHOLD, kOwnMappingBytes);
}

using InsideCommand = int (*)(const std::vector<std::string>& arguments);

/// Returns the command if it is one that attempts run from this binary; nullptr for anything else.
InsideCommand inside_command(const std::vector<std::string>& arguments) {
  namespace inside = muster::inside;
  static constexpr std::array kCommands = {
      std::pair<std::string_view, InsideCommand>{"inside", inside::run},
      std::pair<std::string_view, InsideCommand>{"in-own-folder", inside::run_in_own_folder},
      std::pair<std::string_view, InsideCommand>{"start-node", inside::serve_starts},
      std::pair<std::string_view, InsideCommand>{"start-on", inside::start_remotely},
      std::pair<std::string_view, InsideCommand>{"elastic-rendezvous", inside::serve_elastic},
      std::pair<std::string_view, InsideCommand>{"elastic-join", inside::join_elastic},
      std::pair<std::string_view, InsideCommand>{"horovod-driver", inside::run_driver},
      std::pair<std::string_view, InsideCommand>{"horovod-slot", inside::take_slot},
  };
  const auto found = arguments.empty()
                         ? kCommands.end()
                         : std::ranges::find(kCommands, arguments[0],
                                             [](const auto& command) { return command.first; });
  return found == kCommands.end() ? nullptr : found->second;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace muster::app;
  using muster::cli::Command;
  using muster::cli::Printed;
  muster::app::hold_closed_streams();
  keep_freed_memory();
  muster::os::exit_without_memory("muster", muster::client::kCouldNotStart);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  // The small processes of a container come before everything else: they are started for every one.
  if (const auto inside = inside_command(arguments)) {
    return inside({arguments.begin() + 1, arguments.end()});
  }
  if (!arguments.empty() && arguments[0] == "stack-probe") {
    return muster::agent::run_stack_probe({arguments.begin() + 1, arguments.end()}, environ);
  }
  if (!arguments.empty() && arguments[0] == "debug-probe") {
    return muster::agent::run_debug_probe({arguments.begin() + 1, arguments.end()}, environ);
  }
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
  (*session)->tickets = std::make_unique<muster::stores::KerberosTickets>(**session);
  const auto& command = std::get<Command>(read);
  if (uses_home(command)) {
    if (const muster::Status checked = muster::client::check_home(**session); !checked) {
      return muster::client::fail((*session)->console, checked.error());
    }
  }
  const int status = command.run(**session);
  // If output could not be written, say so: a script must not mistake half an answer for a whole
  // one.
  return status == 0 && (*session)->console.out_disk_failed() ? muster::client::kCouldNotStart
                                                              : status;
}
