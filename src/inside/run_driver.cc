#include "inside/horovod_driver.h"
#include "inside/horovod_slots.h"
#include "inside/peers.h"
#include "inside/socket_line.h"
#include "inside/surroundings.h"
#include "net/address.h"
#include "net/socket.h"
#include "os/process/signals.h"
#include "os/process/spawn.h"
#include "rt/fd.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <optional>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace muster::inside {
namespace {

constexpr std::string_view kSuffix = "____HOROVOD_RENDEZVOUS_SERVER____";
constexpr const char* kFolder = ".horovod-driver-slots";
constexpr int kFileLookMilliseconds = 50;
constexpr int kReaderPatience = 10;  // Seconds.

/// What the driver has told, as the ranks are told it: the port and the number of bytes that
/// follow, on a line, and the file.
std::optional<std::string> told_in(const std::filesystem::path& folder) {
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    const std::string name = entry.path().filename();
    uint16_t port = 0;
    if (!name.ends_with(kSuffix) ||
        std::from_chars(name.data(), name.data() + name.size() - kSuffix.size(), port).ec !=
            std::errc()) {
      continue;
    }
    const std::string text = text_of(entry.path());
    if (parse_slots(text).has_value()) {  // Else it is about to be written.
      return fmt::format("{} {}\n{}", port, text.size(), text);
    }
  }
  return std::nullopt;
}

void tell_one(int listening, Peers& peers, const std::string& told) {
  net::SocketAddress peer;
  peer.size = sizeof(peer.storage);
  const rt::Fd socket(::accept4(listening, peer.get(), &peer.size, SOCK_CLOEXEC));
  if (!socket.valid()) {
    return;
  }
  const std::string host = net::literal_of(peer);
  if (!peers.admits_host(host)) {
    complain("refused " + host + ": no task of this job is there");
    return;
  }
  set_patience(socket.get(), kReaderPatience);
  (void)write_all(socket.get(), told);  // Who does not read it has ended.
}

/// Until the driver's process ends.
void tell_until_end(int listening, int process, const std::filesystem::path& folder) {
  Peers peers(variable("MUSTER_VIEW_FILE"));
  std::optional<std::string> told;
  std::array<pollfd, 2> both{pollfd{.fd = process, .events = POLLIN, .revents = 0},
                             pollfd{.fd = listening, .events = POLLIN, .revents = 0}};
  while (both[0].revents == 0) {
    const nfds_t count = told ? 2 : 1;
    if (::poll(both.data(), count, told ? -1 : kFileLookMilliseconds) < 0 && errno != EINTR) {
      return;
    }
    if (!told) {
      told = told_in(folder);
    } else if (both[1].revents != 0) {
      tell_one(listening, peers, *told);
    }
  }
}

Result<int> run_to_its_end(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2) {
    return user_error("muster horovod-driver takes HOST:PORT and a command");
  }
  MUSTER_TRY(const net::HostPort address, net::parse_host_port(arguments[0]));
  MUSTER_TRY(
      const net::Listening listening,
      net::listen_on({.host = address.host, .port_low = address.port, .port_high = address.port}));
  const std::filesystem::path folder = std::filesystem::current_path() / kFolder;
  std::error_code failed;
  std::filesystem::remove_all(folder, failed);  // Of an attempt before this one.
  if (!std::filesystem::create_directory(folder, failed) && failed) {
    return system_error(failed.value(), "cannot make " + folder.string());
  }
  os::ignore_broken_pipes();
  ::signal(SIGINT,
           SIG_IGN);  // What ends the task reaches the driver, too, which may take its time.
  ::signal(SIGTERM, SIG_IGN);
  os::SpawnOptions options;
  options.argv.assign(arguments.begin() + 1, arguments.end());
  options.env = os::own_environment();
  const std::string workers =
      worker_list(text_of(variable("MUSTER_VIEW_FILE")), variable("MUSTER_ROLE"));
  options.env["CLUSTER_WORKER_LIST"] = workers;
  options.env["CLUSTER_SPEC"] = workers;
  options.env["DRIVER_OUTPUT_PATH"] = folder.string();
  options.parent_death_signal = SIGKILL;
  MUSTER_TRY(const os::Spawned driver, os::spawn(options));
  const rt::Fd process(static_cast<int>(::syscall(SYS_pidfd_open, driver.pid.value, 0)));
  if (process.valid()) {
    tell_until_end(listening.fd.get(), process.get(), folder);
  }
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
