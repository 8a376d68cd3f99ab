#include "base/text.h"
#include "client/commands.h"
#include "client/reach/forward_run.h"
#include "client/show/failure.h"
#include "spec/duration_text.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace muster::client {
namespace {

Error bad_port(std::string_view text) {
  return user_error(fmt::format(
      "`{}` is not a port; write PORT, as in 8265, or LOCAL:PORT, as in 0:8265 for any free port "
      "of this machine",
      printable(text)));
}

Result<uint16_t> parse_port(std::string_view text, std::string_view whole, uint16_t min) {
  uint16_t port = 0;
  const char* const end = text.end();
  const auto read = std::from_chars(text.begin(), end, port);
  if (read.ec != std::errc{} || read.ptr != end || port < min) {
    return bad_port(whole);
  }
  return port;
}

Result<ForwardPlan::Port> parse_ports(const std::string& text) {
  const size_t colon = text.find(':');
  ForwardPlan::Port port;
  MUSTER_TRY(port.remote, parse_port(std::string_view(text).substr(colon + 1), text, 1));
  port.local = port.remote;
  if (colon != std::string::npos) {
    MUSTER_TRY(port.local, parse_port(std::string_view(text).substr(0, colon), text, 0));
  }
  return port;
}

/// No role's name begins with a digit.
bool is_port(const std::string& text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0;
}

Result<ForwardPlan> plan_of_options(const ForwardOptions& command) {
  ForwardPlan plan;
  plan.task = command.task;
  plan.by_master = command.relay;
  plan.any_user = command.any_user;
  std::vector<std::string> ports = command.ports;
  if (is_port(plan.task)) {
    ports.insert(ports.begin(), std::exchange(plan.task, ""));
  }
  if (command.socks) {
    MUSTER_TRY(plan.socks, parse_port(*command.socks, *command.socks, 0));
    if (!ports.empty() || !plan.task.empty()) {
      return user_error(
          "--socks is for all hosts and ports of the job; do not name a task or a port");
    }
  } else if (ports.empty()) {
    return user_error("name the port, as in muster forward last worker:0 8265");
  }
  for (const std::string& text : ports) {
    MUSTER_TRY(const ForwardPlan::Port port, parse_ports(text));
    plan.ports.push_back(port);
  }
  Result<Duration> wait = spec::parse_duration(command.wait);
  if (!wait) {
    return wait.error().within("--wait");
  }
  plan.wait = *wait;
  return plan;
}

}  // namespace

int forward_ports(Session& session, const ForwardOptions& command) {
  const Result<ForwardPlan> plan = plan_of_options(command);
  return plan ? forward_to_task(session, command.id, command.on, *plan)
              : fail(session.console, plan.error());
}

}  // namespace muster::client
