#include "agent/run.h"

#include "agent/agent.h"
#include "agent/attempt/leftovers.h"
#include "base/text.h"
#include "net/local_listener.h"
#include "net/tcp_dialer.h"
#include "os/file/file_sink.h"
#include "os/file/line_socket.h"
#include "os/file/local_files.h"
#include "os/host/cgroup.h"
#include "os/host/gpu_meter.h"
#include "os/host/identity.h"
#include "os/host/interfaces.h"
#include "os/host/memory.h"
#include "os/host/ports.h"
#include "os/process/code_pages.h"
#include "os/process/processes.h"
#include "os/process/signals.h"
#include "os/process/spawn.h"
#include "scalars/report_line.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <optional>
#include <unistd.h>

namespace muster::agent {
namespace {

constexpr int kCannotBegin = 70;
constexpr Duration kTermGrace = std::chrono::seconds(30);
constexpr Duration kKeeperGrace = std::chrono::seconds(1);

struct Descriptors {
  int order = -1;
  int claim = -1;
  int life = -1;
  int start = -1;
};

Result<Descriptors> parse_arguments(const std::vector<std::string>& arguments) {
  Descriptors fds;
  for (size_t i = 0; i + 1 < arguments.size(); i += 2) {
    int number = -1;
    const std::string& value = arguments[i + 1];
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc{} || end != value.data() + value.size() ||
        ::fcntl(number, F_GETFD) < 0) {
      return user_error(arguments[i] +
                        " must be an open descriptor; only Muster itself starts an agent");
    }
    if (arguments[i] == "--order-fd") {
      fds.order = number;
    } else if (arguments[i] == "--claim-fd") {
      fds.claim = number;
    } else if (arguments[i] == "--life-fd") {
      fds.life = number;
    } else if (arguments[i] == "--start-fd") {
      fds.start = number;
    } else {
      return user_error("unknown option of muster agent: " + arguments[i]);
    }
  }
  if (fds.order < 0) {
    return user_error("--order-fd is missing; only Muster itself starts an agent");
  }
  for (const int fd : {fds.order, fds.claim, fds.life, fds.start}) {
    if (fd >= 0) {
      ::fcntl(fd, F_SETFD, FD_CLOEXEC);  // Tasks must inherit neither the claim nor the pipes.
    }
  }
  return fds;
}

Result<cluster::AgentLaunch> read_launch(int fd) {
  std::string text;
  char buffer[4096];
  ssize_t got = 0;
  while (text.size() <= cluster::kAgentLaunchMax &&
         (got = ::read(fd, buffer, sizeof buffer)) != 0) {
    if (got < 0 && errno != EINTR) {
      return system_error(errno, "cannot read the agent's order");
    }
    text.append(buffer, static_cast<size_t>(got > 0 ? got : 0));
  }
  ::close(fd);
  return cluster::decode_agent_launch(text);
}

Status serve(const RunOptions& options) {
  MUSTER_TRY(const Descriptors fds, parse_arguments(options.arguments));
  MUSTER_TRY(cluster::AgentLaunch launch, read_launch(fds.order));
  if (const std::string& interface = launch.network.interface; !interface.empty()) {
    MUSTER_TRY(launch.listen_host, os::address_of_interface(interface));
  }
  os::ignore_broken_pipes();
  rt::IoLoop loop;
  const std::unique_ptr<log::Sink> log = os::make_stderr_sink(loop, log::Level::Info);
  const std::unique_ptr<os::Files> files = os::make_local_files(&loop);
  const std::unique_ptr<os::Processes> processes = os::make_processes(loop);
  const std::unique_ptr<os::Ports> ports = os::make_ports();
  const std::unique_ptr<os::Meter> meter = os::make_meter();
  const std::unique_ptr<os::GpuMeter> gpus =
      os::make_gpu_meter(loop, *processes, *log, {.environment = os::own_environment()});
  // The keeper removes the groups that are still in use when the agent ends.
  const std::shared_ptr<os::Cgroups> cgroups =
      os::make_cgroups(os::Pid{fds.life >= 0 ? ::getppid() : ::getpid()});
  ProcLeftovers leftovers{fds.life >= 0 ? os::Pid{} : os::Pid{::getpid()}};
  const std::unique_ptr<control::Transport> transport = options.make_transport(loop);
  const std::unique_ptr<cluster::MasterStarter> starter =
      options.make_starter(*files, launch, fds.start);
  net::TcpDialer dialer(loop);
  net::UnixListeners listeners(loop);
  Agent agent(
      AgentDeps{loop, *transport, *files, *processes, *ports, *meter, leftovers, *log,
                starter.get(), cgroups, options.make_checkpoints(*files), &dialer, &listeners,
                [&loop](const os::Path& wanted, os::TakeLine take) {
                  return os::listen_for_lines(
                      loop, wanted, {.line_bytes_max = scalars::kLineBytesMax}, std::move(take));
                },
                gpus.get()},
      AgentIdentity{launch, os::own_environment(), os::host_name(), options.version,
                    options.program, ::getpid()},
      make_unpacker(), [&loop](const std::string&) { loop.stop(); });
  constexpr std::array kSignals = {SIGTERM, SIGINT, SIGHUP};
  MUSTER_TRY(const auto signals, os::take_signals(loop, kSignals, [&agent](int) {
               agent.leave(kTermGrace, "the container was asked to exit");
             }));
  MUSTER_TRY_STATUS(agent.start());
  std::unique_ptr<rt::FdWatch> life;
  if (fds.life >= 0) {
    life = loop.watch(fds.life, rt::Interest::Read, [&] {
      life.reset();
      agent.leave(kKeeperGrace, "its keeper has ended");
    });
  }
  const os::CodePages pages(loop);
  loop.run();
  return {};
}

}  // namespace

int run(const RunOptions& options) {
  const Status served = serve(options);
  if (served.has_value()) {
    return 0;
  }
  std::fprintf(stderr, "muster agent: %s\n", printable(served.error().message).c_str());
  return kCannotBegin;
}

}  // namespace muster::agent
