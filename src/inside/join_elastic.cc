#include "inside/elastic.h"
#include "inside/elastic_world.h"
#include "inside/socket_line.h"
#include "inside/surroundings.h"
#include "net/address.h"
#include "rt/fd.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace muster::inside {
namespace {

constexpr size_t kHeadLinesMax = 32;
/// A little less than what Muster allows a framework's program: this message is the clearer one.
constexpr int kFirstPlacePatience = 570;  // Seconds.
constexpr int kAttemptLookMilliseconds = 100;

/// Reads the answer's head; the status must be 101.
Status read_head(int socket) {
  MUSTER_TRY(const std::string first, read_line(socket, kLineMax));
  if (!first.starts_with("HTTP/1.1 101")) {
    return user_error("the rendezvous refused this task: " + first.substr(0, first.find('\r')));
  }
  for (size_t lines = 0; lines < kHeadLinesMax; ++lines) {
    MUSTER_TRY(const std::string line, read_line(socket, kLineMax));
    if (line.empty() || line == "\r") {
      return {};
    }
  }
  return user_error("what listens at the rendezvous's address is not a rendezvous");
}

Result<ElasticWorld::Place> read_place(int socket) {
  set_patience(socket, kFirstPlacePatience);
  Result<std::string> line = read_line(socket, kLineMax);
  if (!line.has_value()) {
    return user_error(fmt::format(
        "got no place among the ranks ({}): ranks that run take in new ones when they commit their "
        "state, and none trains before there are as many as the role's min",
        line.error().message));
  }
  ElasticWorld::Place place;
  const char* const end = line->data() + line->size();
  const auto rank = std::from_chars(line->data(), end, place.rank);
  if (rank.ptr == end || std::from_chars(rank.ptr + 1, end, place.size).ptr != end) {
    return user_error("the rendezvous gave this task a malformed place");
  }
  return place;
}

/// Holds the connection as long as the attempt lives. Never returns.
[[noreturn]] void hold(int socket, pid_t attempt) {
  ::prctl(PR_SET_NAME, "muster-member");
  if (const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC); null >= 0) {
    ::dup2(null, STDIN_FILENO);
    ::dup2(null, STDOUT_FILENO);
    ::dup2(null, STDERR_FILENO);
  }
  // Not a child of this process. Before Linux 5.3 nothing reports its end, so it is polled.
  const rt::Fd watched(static_cast<int>(::syscall(SYS_pidfd_open, attempt, 0)));
  const int patience = watched.valid() ? -1 : kAttemptLookMilliseconds;
  std::array<pollfd, 2> both{pollfd{.fd = watched.get(), .events = POLLIN, .revents = 0},
                             pollfd{.fd = socket, .events = POLLIN, .revents = 0}};
  while (both[0].revents == 0 && both[1].revents == 0 && ::kill(attempt, 0) == 0) {
    if (::poll(both.data(), both.size(), patience) < 0 && errno != EINTR) {
      break;
    }
  }
  ::_exit(0);
}

Status join_gang(const std::vector<std::string>& arguments) {
  if (arguments.size() != 1) {
    return user_error("muster elastic-join takes HOST:PORT");
  }
  const pid_t attempt = ::getppid();
  MUSTER_TRY(const net::HostPort where, net::parse_host_port(arguments[0]));
  MUSTER_TRY(const rt::Fd socket, connect_to(where));
  MUSTER_TRY_STATUS(
      write_all(socket.get(),
                fmt::format("GET /member/{}.{} HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\n"
                            "Upgrade: muster-member\r\n\r\n",
                            variable("MUSTER_INDEX"), variable("MUSTER_ATTEMPT"), arguments[0])));
  MUSTER_TRY_STATUS(read_head(socket.get()));
  MUSTER_TRY(const ElasticWorld::Place place, read_place(socket.get()));
  const pid_t holder = ::fork();
  if (holder < 0) {
    return system_error(errno, "cannot start a process");
  }
  if (holder == 0) {
    hold(socket.get(), attempt);
  }
  fmt::print(
      "HOROVOD_RANK={0}\nHOROVOD_SIZE={1}\nHOROVOD_LOCAL_RANK=0\nHOROVOD_LOCAL_SIZE=1\n"
      "HOROVOD_CROSS_RANK={0}\nHOROVOD_CROSS_SIZE={1}\n",
      place.rank, place.size);
  return {};
}

}  // namespace

int join_elastic(const std::vector<std::string>& arguments) {
  const Status joined = join_gang(arguments);
  if (joined.has_value()) {
    return std::fflush(stdout) == 0 ? 0 : 1;
  }
  complain(joined.error().message);
  return 1;
}

}  // namespace muster::inside
