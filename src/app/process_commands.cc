#include "agent/run.h"
#include "app/commands.h"
#include "app/failure.h"
#include "app/program.h"
#include "base/text.h"
#include "cluster/job_folder.h"
#include "cluster/local/local_master_starter.h"
#include "control/tls_transport.h"
#include "keeper/keeper.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace muster::app {
namespace {

int descriptor_of(const std::string& text) {
  int number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

int run_agent(const std::vector<std::string>& words, char** /*variables*/) {
  agent::RunOptions options;
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

int run_keeper(const std::vector<std::string>& words) {
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
