#include "cluster/spark/messages.h"

#include "base/text.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <array>
#include <limits>
#include <optional>

namespace muster::cluster::spark {
namespace json = boost::json;
namespace {

Error corrupt(std::string_view what) {
  return Error{Errc::Corrupt, Blame::Muster,
               fmt::format("malformed message from the Spark driver: {}", what)};
}

Result<std::string> text_of(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  if (value == nullptr || !value->is_string()) {
    return corrupt(fmt::format("it has no string \"{}\"", key));
  }
  return std::string(value->get_string());
}

Result<uint32_t> number_of(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  if (value == nullptr || !value->is_int64() || value->get_int64() < 0 ||
      value->get_int64() > std::numeric_limits<uint32_t>::max()) {
    return corrupt(fmt::format("it has no number \"{}\"", key));
  }
  return static_cast<uint32_t>(value->get_int64());
}

Result<DriverMessage> parse_granted(const json::object& object) {
  Granted granted;
  MUSTER_TRY(granted.request.value, number_of(object, "request"));
  MUSTER_TRY(granted.container.value, text_of(object, "container"));
  MUSTER_TRY(granted.host.value, text_of(object, "host"));
  MUSTER_TRY(granted.folder, text_of(object, "folder"));
  MUSTER_TRY(granted.listen_host, text_of(object, "listen"));
  return granted;
}

Result<DriverMessage> parse_refused(const json::object& object) {
  job::RequestRefused refused;
  MUSTER_TRY(refused.request.value, number_of(object, "request"));
  MUSTER_TRY(refused.reason, text_of(object, "reason"));
  refused.kind = job::RefusalKind::Transient;
  return refused;
}

Result<DriverMessage> parse_launch_failed(const json::object& object) {
  job::LaunchFailed failed;
  MUSTER_TRY(failed.container.value, text_of(object, "container"));
  MUSTER_TRY(failed.reason, text_of(object, "reason"));
  return failed;
}

/// Converts the Spark driver's names for the ends that it can tell apart.
std::optional<job::ContainerEndKind> end_kind(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, job::ContainerEndKind>, 4> kKinds = {
      {{"completed", job::ContainerEndKind::Completed},
       {"released", job::ContainerEndKind::Released},
       {"host_lost", job::ContainerEndKind::HostLost},
       {"killed", job::ContainerEndKind::Killed}}};
  for (const auto& [text, kind] : kKinds) {
    if (text == name) {
      return kind;
    }
  }
  return std::nullopt;
}

Result<DriverMessage> parse_ended(const json::object& object) {
  job::ContainerEnded ended;
  MUSTER_TRY(ended.container.value, text_of(object, "container"));
  MUSTER_TRY(const std::string kind, text_of(object, "kind"));
  const std::optional<job::ContainerEndKind> known = end_kind(kind);
  if (!known) {
    return corrupt("a container ended in an unknown way: " + printable(kind));
  }
  ended.kind = *known;
  MUSTER_TRY(ended.diagnostics, text_of(object, "diagnostics"));
  if (const json::value* code = object.if_contains("exit_code"); code != nullptr) {
    MUSTER_TRY(const uint32_t number, number_of(object, "exit_code"));
    ended.exit_code = static_cast<int32_t>(number);
  }
  if (object.contains("code")) {
    MUSTER_TRY(ended.cluster_code, text_of(object, "code"));
  } else if (ended.exit_code) {
    ended.cluster_code = fmt::to_string(*ended.exit_code);
  }
  return ended;
}

Result<DriverMessage> parse_headroom(const json::object& object) {
  job::HeadroomReported headroom;
  MUSTER_TRY(headroom.vcores, number_of(object, "vcores"));
  MUSTER_TRY(headroom.hosts, number_of(object, "hosts"));
  return headroom;
}

}  // namespace

Result<DriverMessage> parse_driver_message(std::string_view line) {
  boost::system::error_code error;
  const json::value document = json::parse(line, error);
  if (error || !document.is_object()) {
    return corrupt("it is not a JSON object");
  }
  const json::object& object = document.get_object();
  MUSTER_TRY(const std::string is, text_of(object, "is"));
  if (is == "granted") {
    return parse_granted(object);
  }
  if (is == "refused") {
    return parse_refused(object);
  }
  if (is == "launch-failed") {
    return parse_launch_failed(object);
  }
  if (is == "ended") {
    return parse_ended(object);
  }
  if (is == "headroom") {
    return parse_headroom(object);
  }
  if (is == "stop") {
    MUSTER_TRY(std::string by, text_of(object, "by"));
    return job::StopAsked{std::move(by)};
  }
  if (is == "waits") {
    MUSTER_TRY(std::string text, text_of(object, "for"));
    return Waits{std::move(text)};
  }
  if (is == "finished") {
    return Finished{};
  }
  return corrupt("unknown kind: " + printable(is));
}

std::string request_line(const job::RequestContainer& request, std::string_view role) {
  json::array avoid;
  for (const job::HostName& host : request.avoid) {
    avoid.emplace_back(host.value);
  }
  return json::serialize(json::object{{"do", "request"},
                                      {"request", request.request.value},
                                      {"role", role},
                                      {"avoid", std::move(avoid)}}) +
         "\n";
}

std::string cancel_line(job::RequestId request) {
  return json::serialize(json::object{{"do", "cancel"}, {"request", request.value}}) + "\n";
}

std::string launch_line(const AgentLaunch& launch) {
  AgentLaunch keyless = launch;
  keyless.order.agent_key_hex.clear();
  return json::serialize(json::object{{"do", "launch"},
                                      {"container", launch.order.container.value},
                                      {"order", encode(keyless)},
                                      {"key", launch.order.agent_key_hex}}) +
         "\n";
}

std::string release_line(const job::ContainerId& container) {
  return json::serialize(json::object{{"do", "release"}, {"container", container.value}}) + "\n";
}

std::string reconcile_line() { return "{\"do\":\"reconcile\"}\n"; }

std::string finish_line(std::string_view result) {
  return json::serialize(json::object{{"do", "finish"}, {"result", result}}) + "\n";
}

}  // namespace muster::cluster::spark
