#include "inside/horovod_driver.h"
#include "inside/horovod_slots.h"
#include "inside/peers.h"
#include "inside/slots_desk.h"
#include "inside/surroundings.h"
#include "net/address.h"
#include "net/socket.h"
#include "os/process/exit_watch.h"
#include "os/process/signals.h"
#include "os/process/spawn.h"
#include "rt/io_loop.h"

#include <csignal>
#include <filesystem>
#include <utility>

namespace muster::inside {
namespace {

constexpr const char* kFolder = ".horovod-driver-slots";

os::SpawnOptions driver_options(const std::vector<std::string>& arguments,
                                const std::filesystem::path& folder) {
  os::SpawnOptions options;
  options.argv.assign(arguments.begin() + 1, arguments.end());
  options.env = os::own_environment();
  const std::string workers =
      worker_list(text_of(variable("MUSTER_VIEW_FILE")), variable("MUSTER_ROLE"));
  options.env["CLUSTER_WORKER_LIST"] = workers;
  options.env["CLUSTER_SPEC"] = workers;
  options.env["DRIVER_OUTPUT_PATH"] = folder.string();
  options.parent_death_signal = SIGKILL;
  return options;
}

Result<int> run_to_its_end(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2) {
    return user_error("muster horovod-driver takes HOST:PORT and a command");
  }
  MUSTER_TRY(const net::HostPort address, net::parse_host_port(arguments[0]));
  MUSTER_TRY(
      net::Listening listening,
      net::listen_on({.host = address.host, .port_low = address.port, .port_high = address.port}));
  const std::filesystem::path folder = std::filesystem::current_path() / kFolder;
  std::error_code failed;
  std::filesystem::remove_all(folder, failed);  // Left by an earlier attempt.
  if (!std::filesystem::create_directory(folder, failed) && failed) {
    return system_error(failed.value(), "cannot make " + folder.string());
  }
  os::ignore_broken_pipes();
  // Signals that end the task reach the driver, too, which may take its time.
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGTERM, SIG_IGN);
  rt::IoLoop loop;
  Door door(Peers(variable("MUSTER_VIEW_FILE")), [](const std::string& host) {
    complain("refused " + host + ": no task of this job runs there");
  });
  SlotsDesk desk(loop, std::move(listening.fd), std::move(door), folder);
  MUSTER_TRY_STATUS(desk.open());
  MUSTER_TRY(const os::Spawned driver, os::spawn(driver_options(arguments, folder)));
  MUSTER_TRY(const auto ended, os::watch_exit(loop, driver.pid, [&loop] { loop.stop(); }));
  loop.run();
  MUSTER_TRY(const os::Exit exit, os::reap(driver.pid));
  constexpr int kSignalled = 128;
  return exit.code.value_or(kSignalled + exit.signal.value_or(0));
}

}  // namespace

int run_driver(const std::vector<std::string>& arguments) {
  const Result<int> status = run_to_its_end(arguments);
  if (!status.has_value()) {
    complain(status.error().message);
  }
  return status.value_or(1);
}

}  // namespace muster::inside
