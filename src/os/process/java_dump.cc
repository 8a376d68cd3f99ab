#include "os/process/java_dump.h"

#include "base/text.h"
#include "os/file/files.h"
#include "os/host/proc_text.h"
#include "os/process/signal_set.h"
#include "rt/fd.h"
#include "rt/unix_address.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <string_view>
#include <sys/socket.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace muster::os {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kDumpBytesMax = 8U << 20;

/// Returns the number by which the process knows itself, perhaps in a namespace of its own.
std::string_view own_number(std::string_view status, std::string_view otherwise) {
  const std::string_view numbers = status_field(status, "NSpid:");
  return numbers.empty() ? otherwise : numbers.substr(numbers.find_last_of(" \t") + 1);
}

Error unanswered() {
  return cluster_error("the Java virtual machine does not answer", Errc::DeadlineExceeded);
}

/// Waits until a descriptor is ready; false once the deadline has passed.
bool await(int descriptor, int16_t events, Clock::time_point until) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
  pollfd waited{.fd = descriptor, .events = events, .revents = 0};
  return left.count() > 0 && ::poll(&waited, 1, static_cast<int>(left.count())) > 0;
}

/// Connects to the virtual machine's socket. Invalid if there is none, or it is another user's.
rt::Fd connect_to(const std::string& path) {
  struct stat found{};
  const std::optional<rt::UnixAddress> address = rt::UnixAddress::of_file(path);
  if (!address || ::stat(path.c_str(), &found) != 0 || !S_ISSOCK(found.st_mode) ||
      found.st_uid != ::geteuid()) {
    return {};
  }
  rt::Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const bool connected =
      socket.valid() && ::connect(socket.get(), address->get(), address->size()) == 0;
  return connected ? std::move(socket) : rt::Fd();
}

/// A file that tells the virtual machine that SIGQUIT is a request for its socket.
class Wish {
 public:
  explicit Wish(std::string path)
      : path_(std::move(path)),
        file_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)) {}
  ~Wish() {
    if (file_.valid()) {
      (void)::unlink(path_.c_str());
    }
  }
  Wish(const Wish&) = delete;
  Wish& operator=(const Wish&) = delete;
  [[nodiscard]] bool made() const { return file_.valid(); }

 private:
  std::string path_;
  rt::Fd file_;
};

Result<rt::Fd> open_line(Pid pid, Clock::time_point until) {
  const std::string status = read_proc(fmt::format("/proc/{}/status", pid.value));
  const std::string number(own_number(status, std::to_string(pid.value)));
  const std::string folder = fmt::format("/proc/{}/", pid.value) + "root/tmp";
  const std::string socket = fmt::format("{}/.java_pid{}", folder, number);
  if (rt::Fd line = connect_to(socket); line.valid()) {
    return line;
  }
  // If the file exists, somebody else is asking at the same time.
  const Wish wish(fmt::format("{}/.attach_pid{}", folder, number));
  if (!wish.made() && errno != EEXIST) {
    return system_error(errno, "cannot ask the Java virtual machine by a file in its /tmp");
  }
  if (::kill(pid.value, SIGQUIT) != 0) {
    return system_error(errno, "cannot ask the Java virtual machine");
  }
  for (auto pause = std::chrono::milliseconds(10); Clock::now() < until;
       pause = std::min(2 * pause, std::chrono::milliseconds(200))) {
    // lint: allow(sleep) it does not announce that it listens
    std::this_thread::sleep_for(pause);
    if (rt::Fd line = connect_to(socket); line.valid()) {
      return line;
    }
  }
  return unanswered();
}

}  // namespace

bool answers_as_java(Pid pid) {
  const std::string place = fmt::format("/proc/{}/", pid.value);
  const std::string maps = read_proc(place + "maps");
  constexpr std::string_view kForbids = "+DisableAttachMechanism";
  return maps.find("/libjvm.so") != std::string::npos &&
         maps.find("/libj9vm") == std::string::npos &&
         holds_signal(read_proc(place + "status"), "SigCgt:", SIGQUIT) &&
         read_proc(place + "cmdline").find(kForbids) == std::string::npos &&
         read_proc(place + "environ").find(kForbids) == std::string::npos;
}

Result<std::string> ask_java_for_threads(Pid pid, Duration deadline) {
  const Clock::time_point until = Clock::now() + deadline;  // lint: allow(clock) there is no loop
  MUSTER_TRY(const rt::Fd line, open_line(pid, until));
  // The protocol's version, the command and three arguments, each with its terminating zero.
  constexpr std::string_view kRequest("1\0threaddump\0\0\0\0", 16);
  if (::send(line.get(), kRequest.data(), kRequest.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(kRequest.size())) {
    return system_error(errno, "cannot ask the Java virtual machine");
  }
  std::string answer;
  std::array<char, 1U << 14> part{};
  while (answer.size() < kDumpBytesMax) {
    if (!await(line.get(), POLLIN, until)) {
      return unanswered();
    }
    const ssize_t count = ::read(line.get(), part.data(), part.size());
    if (count < 0) {
      return system_error(errno, "cannot read what the Java virtual machine says");
    }
    if (count == 0) {
      break;
    }
    answer.append(part.data(), static_cast<size_t>(count));
  }
  if (!answer.starts_with("0\n")) {
    return cluster_error(fmt::format("the Java virtual machine refuses: {}",
                                     printable(answer.substr(0, answer.find('\n')))));
  }
  return answer.substr(2);
}

}  // namespace muster::os
