#pragma once

#include "agent/checkpoint/checkpoint_store.h"
#include "cluster/agent_launch.h"
#include "cluster/master_starter.h"
#include "control/transport.h"
#include "os/file/files.h"
#include "rt/io_loop.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace muster::agent {

/// The parts of an agent's process that depend on where it runs; set by the wiring.
struct RunOptions {
  /// `--order-fd N --life-fd N --start-fd N [--claim-fd N]`, as the keeper starts it.
  std::vector<std::string> arguments;
  std::string version;
  std::string program;  ///< Muster's own binary, for attempts that run it.
  std::function<std::unique_ptr<control::Transport>(rt::IoLoop& loop)> make_transport;
  /// May return nullptr: a lost master then comes back without help. `start_fd`: the stub's start
  /// service, -1 if there is none.
  std::function<std::unique_ptr<cluster::MasterStarter>(
      os::Files& files, const cluster::AgentLaunch& launch, int start_fd)>
      make_starter;
  /// For checkpoints at addresses; `files` outlives what it opens.
  std::function<OpenCheckpointStore(os::Files& files)> make_checkpoints;
};

/// The whole life of an agent's process: reads its order, serves until it is dismissed, nobody
/// wants it any more, its keeper dies or SIGTERM comes. Returns the exit status for main(): 0, or
/// 70 when it could not even start (with a message on stderr). No other thread may run yet.
int run(const RunOptions& options);

}  // namespace muster::agent
