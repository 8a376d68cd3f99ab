#include "cluster/agent_launch.h"

#include "base/check.h"
#include "base/text.h"

#include <charconv>
#include <map>
#include <optional>

namespace muster::cluster {
namespace {

constexpr std::string_view kMagic = "muster-agent-launch=1";

Error corrupt(std::string_view what) {
  return Error{Errc::Corrupt, Blame::Muster,
               "the agent's launch order is damaged: " + std::string(what)};
}

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

void put(std::string& text, std::string_view key, std::string_view value) {
  MUSTER_CHECK(value.find('\n') == std::string_view::npos, "a launch value contains a newline");
  text.append(key).append("=").append(value).append("\n");
}

/// Values by key, each taken exactly once.
class Fields {
 public:
  Status read(std::string_view text) {
    for (const std::string_view line : split(text, '\n')) {
      if (line.empty()) {
        continue;
      }
      const size_t equals = line.find('=');
      if (equals == std::string_view::npos ||
          !values_.emplace(line.substr(0, equals), line.substr(equals + 1)).second) {
        return corrupt("a line is not a pair, or occurs twice");
      }
    }
    return {};
  }

  Result<std::string> text(std::string_view key) const {
    const auto found = values_.find(key);
    if (found == values_.end()) {
      return corrupt(key);
    }
    return std::string(found->second);
  }

  template <class Number>
  Result<Number> number(std::string_view key) const {
    MUSTER_TRY(const std::string value, text(key));
    const std::optional<Number> number = parse_number<Number>(value);
    if (!number) {
      return corrupt(key);
    }
    return *number;
  }

 private:
  std::map<std::string_view, std::string_view> values_;
};

Result<std::vector<uint32_t>> parse_gpus(std::string_view text) {
  std::vector<uint32_t> gpus;
  if (text.empty()) {
    return gpus;
  }
  for (const std::string_view part : split(text, ',')) {
    const std::optional<uint32_t> index = parse_number<uint32_t>(part);
    if (!index) {
      return corrupt("gpus");
    }
    gpus.push_back(*index);
  }
  return gpus;
}

}  // namespace

std::string encode(const AgentLaunch& launch) {
  std::vector<std::string> gpus;
  gpus.reserve(launch.gpus.size());
  for (const uint32_t gpu : launch.gpus) {
    gpus.push_back(std::to_string(gpu));
  }
  std::string text(kMagic);
  text += '\n';
  put(text, "container", launch.order.container.value);
  put(text, "host", launch.order.host.value);
  put(text, "job", launch.order.job.value);
  put(text, "epoch", std::to_string(launch.order.epoch.value));
  put(text, "master", launch.order.master_address);
  put(text, "key", launch.order.agent_key_hex);
  put(text, "job-folder", launch.job_folder);
  put(text, "listen-host", launch.listen_host);
  put(text, "interface", launch.network.interface);
  const spec::PortRange ports = launch.network.port_range.value_or(spec::PortRange{});
  put(text, "port-low", std::to_string(ports.low));
  put(text, "port-high", std::to_string(ports.high));
  put(text, "task-port", std::to_string(launch.task_port));
  put(text, "gpus", join(gpus, ","));
  put(text, "orphan-us", std::to_string(launch.orphan.count()));
  return text;
}

Result<AgentLaunch> decode_agent_launch(std::string_view text) {
  if (text.size() > kAgentLaunchMax || !text.starts_with(kMagic)) {
    return corrupt("it is too long, or not a launch order at all");
  }
  Fields fields;
  MUSTER_TRY_STATUS(fields.read(text));
  AgentLaunch launch;
  MUSTER_TRY(launch.order.container.value, fields.text("container"));
  MUSTER_TRY(launch.order.host.value, fields.text("host"));
  MUSTER_TRY(launch.order.job.value, fields.text("job"));
  MUSTER_TRY(launch.order.epoch.value, fields.number<uint32_t>("epoch"));
  MUSTER_TRY(launch.order.master_address, fields.text("master"));
  MUSTER_TRY(launch.order.agent_key_hex, fields.text("key"));
  MUSTER_TRY(launch.job_folder, fields.text("job-folder"));
  MUSTER_TRY(launch.listen_host, fields.text("listen-host"));
  MUSTER_TRY(launch.network.interface, fields.text("interface"));
  spec::PortRange ports;
  MUSTER_TRY(ports.low, fields.number<uint16_t>("port-low"));
  MUSTER_TRY(ports.high, fields.number<uint16_t>("port-high"));
  if (ports.high != 0) {
    launch.network.port_range = ports;
  }
  MUSTER_TRY(launch.task_port, fields.number<uint16_t>("task-port"));
  MUSTER_TRY(const std::string gpus, fields.text("gpus"));
  MUSTER_TRY(launch.gpus, parse_gpus(gpus));
  MUSTER_TRY(const int64_t orphan, fields.number<int64_t>("orphan-us"));
  launch.orphan = Duration(orphan);
  return launch;
}

}  // namespace muster::cluster
