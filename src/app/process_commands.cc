#include "agent/run.h"
#include "app/clusters.h"
#include "app/commands.h"
#include "app/program.h"
#include "base/text.h"
#include "client/show/failure.h"
#include "control/tls_transport.h"
#include "keeper/command.h"
#include "keeper/keeper.h"
#include "os/host/limits.h"
#include "os/process/no_memory.h"
#include "rt/fd.h"
#include "stores/hdfs_checkpoints.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <unistd.h>

namespace muster::app {
namespace {

/// Returns the reading end of a pipe that holds an agent's order.
Result<int> pipe_with(const cluster::AgentLaunch& launch) {
  const std::string text = cluster::encode(launch);
  int ends[2];
  if (::pipe2(ends, 0) != 0) {
    return system_error(errno, "cannot make a pipe for the agent's order");
  }
  const rt::Fd write_end(ends[1]);
  if (::write(write_end.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return system_error(errno, "cannot write the agent's order");
  }
  return ends[0];
}

/// Runs a keeper that the cluster itself has started in its container.
int run_entered_keeper(std::string_view kind, char** variables) {
  // What it holds belongs to the container for as long as this process, or the keeper that it
  // forks, lives.
  const Result<cluster::ContainerEntry> entry =
      enter_container(kind, client::Environment(variables));
  const Result<int> order = entry ? pipe_with(entry->launch) : entry.error();
  if (!order) {
    std::fprintf(stderr, "muster keeper: %s\n", printable(order.error().message).c_str());
    return client::exit_status_of(order.error());
  }
  keeper::Options options;
  // There the program's file is named after its content.
  options.agent_argv = {"muster", "agent", "--order-fd", std::to_string(*order)};
  options.handed = {*order};
  return keeper::run(options);
}

}  // namespace

int run_agent(const std::vector<std::string>& arguments, char** variables) {
  os::exit_without_memory("muster agent", client::kBug);
  os::hide_from_own_user();
  os::raise_descriptor_limit();
  agent::RunOptions options;
  options.make_checkpoints = [variables](os::Files& files) {
    const client::Environment environment(variables);
    return stores::hdfs_checkpoints(files, {environment.all().begin(), environment.all().end()});
  };
  options.arguments = arguments;
  options.version = kVersion;
  options.program = own_program().string();
  options.make_transport = [](rt::IoLoop& loop) {
    static log::NullSink quiet;
    return control::make_tls_transport(loop, log::Logger(quiet));
  };
  const bool claimed = std::ranges::find(arguments, "--claim-fd") != arguments.end();
  options.make_starter = [claimed](os::Files& files, const cluster::AgentLaunch& launch,
                                   int start_fd) {
    return make_master_starter(files, launch, start_fd, claimed);
  };
  return agent::run(options);
}

int run_keeper(const std::vector<std::string>& arguments, char** variables) {
  os::exit_without_memory("muster keeper", client::kBug);
  os::hide_from_own_user();
  if (arguments.size() == 2 && arguments[0] == "--on") {
    return run_entered_keeper(arguments[1], variables);
  }
  return keeper::run_command(own_program().string(), arguments);
}

}  // namespace muster::app
