#include "inside/peers.h"
#include "inside/remote_start.h"
#include "inside/socket_line.h"
#include "inside/surroundings.h"
#include "net/address.h"
#include "net/socket.h"
#include "rt/accept_watch.h"
#include "rt/fd.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <memory>
#include <poll.h>
#include <span>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// The side of the task in which programs are started. Each connection has a process of its own,
// which reads slowly and waits as it likes.

namespace muster::inside {
namespace {

constexpr size_t kCommandMax = size_t{1} << 20;
constexpr size_t kConnectionsMax = 64;
constexpr int kCommandPatience = 20;  // Seconds, for all of a command and its proof.
/// How long a connection that has proved nothing is sure to keep its place; and the time between
/// two checks.
constexpr auto kUnprovedTime = std::chrono::milliseconds(200);
constexpr int kLookMilliseconds = 20;
constexpr int kGraceMilliseconds = 5000;

std::string new_challenge() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return {};
  }
  std::string hex;
  for (const unsigned char byte : bytes) {
    hex += fmt::format("{:02x}", byte);
  }
  return hex;
}

/// Compares in a time that does not depend on where they differ.
bool same_proof(const std::string& left, const std::string& right) {
  unsigned int differs = left.size() == right.size() ? 0 : 1;
  for (size_t i = 0; i < left.size() && i < right.size(); ++i) {
    differs |= static_cast<unsigned char>(left[i]) ^ static_cast<unsigned char>(right[i]);
  }
  return differs == 0;
}

/// Reads a command together with the proof that the other side belongs to this job.
Result<std::string> read_command(int socket, const std::string& key) {
  const std::string challenge = new_challenge();
  if (challenge.empty()) {
    return system_error(errno, "no random bytes");
  }
  MUSTER_TRY_STATUS(write_all(socket, challenge + "\n"));
  MUSTER_TRY(const std::string size_line, read_line(socket, kLineMax));
  size_t size = 0;
  const auto [end, error] =
      std::from_chars(size_line.data(), size_line.data() + size_line.size(), size);
  if (error != std::errc{} || end != size_line.data() + size_line.size() || size > kCommandMax) {
    return user_error("the client that asks for a start does not speak Muster's protocol");
  }
  MUSTER_TRY(const std::string proof, read_line(socket, kLineMax));
  MUSTER_TRY(std::string command, read_bytes(socket, size));
  if (!same_proof(proof, proof_of(key, challenge, command))) {
    return user_error("the client that asks for a start does not know the job's key");
  }
  return command;
}

/// Blocks the signal of a child's end, and returns a descriptor that becomes readable when one is
/// pending: every kernel has these.
rt::Fd hold_child_signals() {
  struct sigaction ends_only{};
  ends_only.sa_handler = SIG_DFL;
  ends_only.sa_flags = SA_NOCLDSTOP;  // Not for a child that is merely stopped.
  ::sigaction(SIGCHLD, &ends_only, nullptr);
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &child, nullptr);
  return rt::Fd(::signalfd(-1, &child, SFD_CLOEXEC));
}

/// The child's side: becomes the command, as the leader of its own group.
[[noreturn]] void become(const std::string& command, pid_t parent) {
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) {
    ::_exit(1);
  }
  ::execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
  ::_exit(127);
}

int status_of(int wait_status) {
  constexpr int kSignalled = 128;
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : kSignalled + WTERMSIG(wait_status);
}

/// Waits for the child's end, or for that of the connection, which ends the child. `ends` comes
/// from hold_child_signals(), called before the child was started; there is only this child.
int attend(int socket, int ends, pid_t child) {
  std::array<pollfd, 2> both{pollfd{.fd = ends, .events = POLLIN, .revents = 0},
                             pollfd{.fd = socket, .events = POLLIN, .revents = 0}};
  while (both[0].revents == 0 && both[1].revents == 0) {
    if (::poll(both.data(), both.size(), -1) < 0 && errno != EINTR) {
      break;
    }
  }
  if (both[0].revents == 0) {
    // Its group has the same number: nobody else can have that before the child is reaped.
    ::kill(-child, SIGTERM);
    pollfd end{.fd = ends, .events = POLLIN, .revents = 0};
    (void)::poll(&end, 1, kGraceMilliseconds);
  }
  ::kill(-child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status_of(status);
}

/// One connection, which has a process of its own.
struct Place {
  pid_t process = 0;  ///< 0: free.
  std::chrono::steady_clock::time_point since{};
  std::atomic<bool> proved = false;  ///< Knows the job's key; set by the process itself.
};

Status converse(int socket, const std::string& key, Place& place) {
  set_patience(socket, kCommandPatience);
  ::alarm(kCommandPatience);  // However slowly the command arrives.
  MUSTER_TRY(const std::string command, read_command(socket, key));
  place.proved = true;
  ::alarm(0);
  const rt::Fd ends = hold_child_signals();
  if (!ends.valid()) {
    return system_error(errno, "cannot wait for a process");
  }
  const pid_t self = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) {
    return system_error(errno, "cannot start a process");
  }
  if (child == 0) {
    become(command, self);
  }
  ::setpgid(child, child);
  return write_all(socket, fmt::format("{}\n", attend(socket, ends.get(), child)));
}

[[noreturn]] void handle(rt::Fd socket, const std::string& key, pid_t parent, Place& place) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) {
    ::_exit(1);
  }
  if (const Status done = converse(socket.get(), key, place); !done.has_value()) {
    complain(done.error().message);
  }
  ::_exit(0);
}

/// The places of connections, in memory shared by their processes.
class Places {
 public:
  Places() {
    void* const memory = ::mmap(nullptr, sizeof(Place) * kConnectionsMax, PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) {
      auto* const first = static_cast<Place*>(memory);
      std::uninitialized_value_construct_n(first, kConnectionsMax);
      places_ = {first, kConnectionsMax};
    }
  }
  [[nodiscard]] bool valid() const { return !places_.empty(); }

  /// Returns a free place. If there is none, the oldest connection that has proved nothing makes
  /// room; if all have, one of them must end.
  Place& make_room() {
    while (true) {
      while (const pid_t ended = ::waitpid(-1, nullptr, WNOHANG)) {
        if (!forget(ended)) {
          break;
        }
      }
      const auto free = std::ranges::find(places_, 0, &Place::process);
      if (free != places_.end()) {
        return *free;
      }
      if (!evict_one()) {
        ::poll(nullptr, 0, kLookMilliseconds);
      }
    }
  }

 private:
  bool forget(pid_t ended) {
    const auto place = std::ranges::find(places_, ended, &Place::process);
    if (ended <= 0 || place == places_.end()) {
      return ended > 0;
    }
    place->proved = false;
    place->process = 0;
    return true;
  }

  bool evict_one() {
    const auto latest = std::chrono::steady_clock::now() - kUnprovedTime;
    Place* oldest = nullptr;
    for (Place& place : places_) {
      if (!place.proved && place.since < latest &&
          (oldest == nullptr || place.since < oldest->since)) {
        oldest = &place;
      }
    }
    if (oldest == nullptr) {
      return false;
    }
    ::kill(oldest->process, SIGKILL);
    ::waitpid(oldest->process, nullptr, 0);
    return forget(oldest->process);
  }

  std::span<Place> places_;
};

std::string peer_of(int socket) {
  net::SocketAddress address;
  address.size = sizeof address.storage;
  if (::getpeername(socket, address.get(), &address.size) != 0) {
    return {};
  }
  return net::to_string(net::HostPort{net::literal_of(address), address.port()});
}

Status serve(const std::string& address_text) {
  const std::string key = variable("MUSTER_TASK_KEY");
  if (key.empty()) {
    return user_error("MUSTER_TASK_KEY is not set; `runtime: {key: true}` gives it to the tasks");
  }
  MUSTER_TRY(const net::HostPort address, net::parse_host_port(address_text));
  MUSTER_TRY(
      const net::Listening listening,
      net::listen_on({.host = address.host, .port_low = address.port, .port_high = address.port}));
  ::fcntl(listening.fd.get(), F_SETFL, 0);  // There is nothing else to wait for.
  Peers peers(variable("MUSTER_VIEW_FILE"));
  const pid_t self = ::getpid();
  Places places;
  if (!places.valid()) {
    return system_error(errno, "no memory for connections");
  }
  while (true) {
    rt::Fd socket(::accept4(listening.fd.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket.valid() && (errno == EINTR || errno == ECONNABORTED)) {
      continue;
    }
    if (!socket.valid() && rt::no_descriptor_left(errno)) {
      ::poll(nullptr, 0, kLookMilliseconds);
      continue;
    }
    if (!socket.valid()) {
      return system_error(errno, "cannot accept connections");
    }
    if (!peers.admits(peer_of(socket.get()))) {
      complain("refused " + peer_of(socket.get()) + ": no task of this job runs there");
      continue;
    }
    Place& place = places.make_room();
    place.since = std::chrono::steady_clock::now();
    const pid_t child = ::fork();
    if (child == 0) {
      handle(std::move(socket), key, self, place);
    }
    place.process = std::max(child, 0);
  }
}

}  // namespace

int serve_starts(const std::vector<std::string>& arguments) {
  const Status served = arguments.size() == 1
                            ? serve(arguments[0])
                            : Status(user_error("muster start-node takes HOST:PORT"));
  complain(served.error().message);
  return 1;
}

}  // namespace muster::inside
