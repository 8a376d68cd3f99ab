#pragma once

#include "agent/attempt/leftovers.h"
#include "agent/checkpoint/checkpoint_store.h"
#include "base/log.h"
#include "cluster/master_starter.h"
#include "control/transport.h"
#include "net/local_listener.h"
#include "net/stream.h"
#include "os/file/files.h"
#include "os/file/line_socket.h"
#include "os/host/cgroup.h"
#include "os/host/gpu_meter.h"
#include "os/host/memory.h"
#include "os/host/ports.h"
#include "os/process/processes.h"
#include "rt/loop.h"

#include <memory>

namespace muster::agent {

/// What an agent works with. All must outlive it.
struct AgentDeps {
  rt::Loop& loop;
  control::Transport& transport;
  os::Files& files;
  os::Processes& processes;
  os::Ports& ports;
  os::Meter& meter;
  Leftovers& leftovers;
  log::Sink& log;
  /// nullptr where a lost master comes back by other means.
  cluster::MasterStarter* starter = nullptr;
  /// nullptr: memory limits are enforced by watching alone.
  std::shared_ptr<os::Cgroups> cgroups = nullptr;
  OpenCheckpointStore open_checkpoints = {};  ///< Empty: only folders are known.
  /// Connects to programs of this host. nullptr: none can be reached.
  net::Dialer* dialer = nullptr;
  /// Accepts what the programs of tasks publish. nullptr: they cannot publish anything.
  net::LocalListeners* listeners = nullptr;
  os::OpenLineSocket open_line_socket = {};  ///< Empty: programs cannot report.
  os::GpuMeter* gpus = nullptr;              ///< nullptr: GPUs are not measured.
};

}  // namespace muster::agent
