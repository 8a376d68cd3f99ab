#include "base/text.h"
#include "inside/peers.h"
#include "inside/remote_start.h"
#include "inside/socket_line.h"
#include "inside/surroundings.h"
#include "net/address.h"
#include "rt/fd.h"

#include <fmt/format.h>

#include <charconv>
#include <span>
#include <sys/socket.h>

// The side of the task that asks for a start.

namespace muster::inside {
namespace {

constexpr int kCannotTell = 255;

Result<net::HostPort> address_of(const std::string& task) {
  const size_t dash = task.rfind('-');
  uint32_t index = 0;
  const char* const end = task.data() + task.size();
  const bool numbered = dash != std::string::npos &&
                        std::from_chars(task.data() + dash + 1, end, index).ptr == end &&
                        dash + 1 < task.size();
  if (!numbered) {
    return user_error(
        fmt::format("`{}` is not a task; its name is ROLE-INDEX, as in worker-0", printable(task)));
  }
  const std::string view = text_of(variable("MUSTER_VIEW_FILE"));
  const std::string address = address_in_view(view, task.substr(0, dash), index);
  if (address.empty()) {
    return user_error(fmt::format("{} is not in the job's view", printable(task)));
  }
  return net::parse_host_port(address);
}

Result<int> start(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2) {
    return user_error("muster start-on takes TASK COMMAND...");
  }
  const std::string key = variable("MUSTER_TASK_KEY");
  if (key.empty()) {
    return user_error("MUSTER_TASK_KEY is not set; `runtime: {key: true}` gives it to the tasks");
  }
  MUSTER_TRY(const net::HostPort where, address_of(arguments[0]));
  // As ssh does: the other side's shell splits it into arguments again.
  const std::string command = join(std::span(arguments).subspan(1), " ");
  MUSTER_TRY(const rt::Fd socket, connect_to(where));
  MUSTER_TRY(const std::string challenge, read_line(socket.get(), kLineMax));
  MUSTER_TRY_STATUS(write_all(
      socket.get(),
      fmt::format("{}\n{}\n{}", command.size(), proof_of(key, challenge, command), command)));
  set_patience(socket.get(), 0);  // The command may run for days.
  const int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  MUSTER_TRY(const std::string answer, read_line(socket.get(), kLineMax));
  int status = kCannotTell;
  (void)std::from_chars(answer.data(), answer.data() + answer.size(), status);
  return status;
}

}  // namespace

int start_remotely(const std::vector<std::string>& arguments) {
  const Result<int> status = start(arguments);
  if (status.has_value()) {
    return *status;
  }
  complain((arguments.empty() ? "" : arguments[0] + ": ") + status.error().message);
  return kCannotTell;
}

}  // namespace muster::inside
