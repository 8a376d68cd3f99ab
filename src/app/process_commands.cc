#include "agent/run.h"
#include "app/commands.h"
#include "app/failure.h"
#include "app/hdfs_checkpoints.h"
#include "app/program.h"
#include "base/text.h"
#include "cluster/job_folder.h"
#include "cluster/local/local_master_starter.h"
#include "cluster/yarn/container_entry.h"
#include "cluster/yarn/gpu_claims.h"
#include "control/tls_transport.h"
#include "keeper/keeper.h"
#include "os/gpus.h"
#include "os/local_files.h"
#include "rt/fd.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

namespace muster::app {
namespace {

int descriptor_of(const std::string& text) {
  int number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

constexpr Duration kGpuPatience = std::chrono::seconds(30);

/// What a container of YARN is started with.
struct YarnContainer {
  int order = -1;  ///< A pipe that holds the launch order, for the agent to read.
  cluster::yarn::GpuClaims gpus;
};

Result<YarnContainer> enter_yarn(char** variables) {
  const Environment environment(variables);
  const std::unique_ptr<os::Files> files = os::make_local_files(nullptr);
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::current_path(error);
  MUSTER_TRY(cluster::AgentLaunch launch,
             cluster::yarn::enter_container(
                 *files, [&](std::string_view name) { return environment.find(name); }, folder));
  YarnContainer container;
  if (!launch.gpus.empty()) {
    // An isolated container has no /proc/driver, but always the program.
    const std::optional<std::vector<os::Gpu>> told = os::ask_nvidia_smi();
    MUSTER_TRY(container.gpus, cluster::yarn::claim_gpus(told ? *told : os::discover_gpus(),
                                                         launch.gpus.size(), kGpuPatience));
    launch.gpus = container.gpus.indices;
  }
  const std::string text = cluster::encode(launch);
  int ends[2];
  if (::pipe2(ends, 0) != 0) {
    return system_error(errno, "no pipe for the agent's order");
  }
  const rt::Fd write_end(ends[1]);
  if (::write(write_end.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return system_error(errno, "the agent's order cannot be written");
  }
  container.order = ends[0];
  return container;
}

int run_yarn_keeper(char** variables) {
  // Its GPUs are its own for as long as this process, or the keeper that it forks, lives.
  const Result<YarnContainer> entered = enter_yarn(variables);
  if (!entered) {
    std::fprintf(stderr, "muster keeper: %s\n", entered.error().message.c_str());
    return exit_status_of(entered.error());
  }
  const int order = entered->order;
  keeper::Options options;
  // Its file is called by its content there.
  options.agent_argv = {"muster", "agent", "--order-fd", std::to_string(order)};
  options.handed = {order};
  return keeper::run(options);
}

}  // namespace

int run_agent(const std::vector<std::string>& words, char** variables) {
  agent::RunOptions options;
  options.make_checkpoints = [variables](os::Files& files) {
    const Environment environment(variables);
    return hdfs_checkpoints(files, {environment.all().begin(), environment.all().end()});
  };
  options.words = words;
  options.version = kVersion;
  options.make_transport = [](rt::IoLoop& loop) {
    static log::NullSink quiet;
    return control::make_tls_transport(loop, log::Logger(quiet));
  };
  // Only on this machine agents start a lost master again; a container there holds a claim.
  const bool on_local = std::ranges::find(words, "--claim-fd") != words.end();
  options.make_starter = [on_local](os::Files& files, const cluster::AgentLaunch& launch,
                                    int start_fd) -> std::unique_ptr<cluster::MasterStarter> {
    if (!on_local) {
      return nullptr;
    }
    return std::make_unique<cluster::local::LocalMasterStarter>(
        files,
        cluster::local::LocalMasterStarter::Options{.folder = cluster::JobFolder(launch.job_folder),
                                                    .program = own_program(),
                                                    .start_socket = start_fd});
  };
  return agent::run(options);
}

int run_keeper(const std::vector<std::string>& words, char** variables) {
  if (words == std::vector<std::string>{"--on", "yarn"}) {
    return run_yarn_keeper(variables);
  }
  keeper::Options options;
  options.agent_argv = {own_program().string(), "agent"};
  for (size_t i = 0; i + 1 < words.size(); i += 2) {
    if (words[i] == "--claim-file") {
      options.remove_at_end = words[i + 1];
      continue;
    }
    options.agent_argv.push_back(words[i]);
    options.agent_argv.push_back(words[i + 1]);
    if (words[i] == "--order-fd") {
      options.handed.push_back(descriptor_of(words[i + 1]));
    } else if (words[i] == "--claim-fd") {
      options.held.push_back(descriptor_of(words[i + 1]));
    }
  }
  if (words.size() % 2 != 0 || options.handed.empty()) {
    std::fputs("muster: keeper is started by Muster itself\n", stderr);
    return kBadUsage;
  }
  return keeper::run(options);
}

}  // namespace muster::app
