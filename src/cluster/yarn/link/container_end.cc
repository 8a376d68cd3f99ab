#include "cluster/yarn/link/container_end.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace muster::cluster::yarn {
namespace {

using hadoop::yarn::ExitStatus;

constexpr size_t kDiagnosticsMax = 4096;
constexpr int64_t kMiB = 1 << 20;
constexpr int32_t kFirstSignalCode = 129;

job::ContainerEndKind kind_of(int32_t exit_status, bool released) {
  switch (static_cast<ExitStatus>(exit_status)) {
    case ExitStatus::Aborted:
      return released ? job::ContainerEndKind::Released : job::ContainerEndKind::HostLost;
    case ExitStatus::DisksFailed:
      return job::ContainerEndKind::HostLost;
    case ExitStatus::Preempted:
      return job::ContainerEndKind::Preempted;
    case ExitStatus::OverVirtualMemory:
    case ExitStatus::OverMemory:
      return job::ContainerEndKind::OverMemory;
    case ExitStatus::StoppedByMaster:
      return released ? job::ContainerEndKind::Released : job::ContainerEndKind::Killed;
    case ExitStatus::Invalid:
    case ExitStatus::LaunchFailed:
      return job::ContainerEndKind::LaunchFailed;
    case ExitStatus::KilledByResourceManager:
    case ExitStatus::ApplicationEnded:
    case ExitStatus::PushedOut:
    case ExitStatus::TooMuchOutput:
      return job::ContainerEndKind::Killed;
  }
  if (released) {
    return job::ContainerEndKind::Released;
  }
  return exit_status >= kFirstSignalCode ? job::ContainerEndKind::Killed
                                         : job::ContainerEndKind::Completed;
}

// Removes the "[2026-11-21 15:09:19.638]" before a sentence.
std::string_view without_time(std::string_view line) {
  const size_t end = line.find(']');
  const bool dated = line.size() > 1 && line[0] == '[' && line[1] >= '0' && line[1] <= '9';
  return dated && end != std::string_view::npos ? trim(line.substr(end + 1)) : line;
}

// Removes what the resource manager puts around a master's words.
std::string_view without_frame(std::string_view line) {
  constexpr std::string_view kBegin = "Failing this attempt.Diagnostics:";
  const bool says_nothing =
      line.starts_with("For more detailed output") || line == ". Failing the application.";
  if (says_nothing) {
    return {};
  }
  return line.starts_with(kBegin) ? trim(line.substr(kBegin.size())) : line;
}

bool is_place_in_java(std::string_view line) {
  return (line.starts_with("at ") && line.ends_with(")")) ||
         (line.starts_with("... ") && line.ends_with(" more"));
}

/// Returns what the cluster's diagnostics say, without times, stack traces and Java's repetitions.
std::vector<std::string> plain_words(std::string_view diagnostics) {
  std::vector<std::string> lines;
  for (const std::string_view raw : split(diagnostics, '\n')) {
    const std::string_view line = without_time(without_frame(without_time(trim(raw))));
    const bool again = std::ranges::any_of(lines, [&](const std::string& before) {
      return line == before || line.ends_with(": " + before);
    });
    if (!line.empty() && !is_place_in_java(line) && !again) {
      lines.emplace_back(line);
    }
  }
  return lines;
}

}  // namespace

job::ContainerEnded end_of(const hadoop::yarn::ContainerStatus& status, bool released) {
  job::ContainerEnded ended;
  ended.container = job::ContainerId(to_string(status.id));
  ended.kind = kind_of(status.exit_status, released);
  ended.cluster_code = fmt::to_string(status.exit_status);
  if (status.exit_status >= 0) {
    ended.exit_code = status.exit_status;
  }
  if (ended.kind != job::ContainerEndKind::Released && status.exit_status != 0) {
    const std::string words = join(plain_words(status.diagnostics), "\n");
    ended.diagnostics = hadoop::yarn::describe_exit(status.exit_status) +
                        (words.empty() ? "" : ": " + words.substr(0, kDiagnosticsMax));
  }
  return ended;
}

std::string words_of_end(std::string_view diagnostics) {
  std::string words;
  for (const std::string& line : plain_words(diagnostics)) {
    const bool sentence = words.empty() || words.ends_with('.') || words.ends_with(':');
    words += (words.empty() ? "" : sentence ? " " : "; ") + line;
  }
  return words.substr(0, kDiagnosticsMax);
}

std::optional<job::HostHealth> health_of(hadoop::yarn::NodeState state) {
  switch (state) {
    case hadoop::yarn::NodeState::Running:
    case hadoop::yarn::NodeState::Rebooted:
      return job::HostHealth::Healthy;
    case hadoop::yarn::NodeState::Unhealthy:
      return job::HostHealth::Unhealthy;
    case hadoop::yarn::NodeState::Decommissioning:
      return job::HostHealth::Decommissioning;
    case hadoop::yarn::NodeState::Decommissioned:
    case hadoop::yarn::NodeState::Lost:
    case hadoop::yarn::NodeState::Shutdown:
      return job::HostHealth::Lost;
    case hadoop::yarn::NodeState::Unknown:
    case hadoop::yarn::NodeState::New:
      return std::nullopt;
  }
  return std::nullopt;
}

hadoop::yarn::Resource resource_of(const job::Resources& resources) {
  hadoop::yarn::Resource asked;
  asked.memory_mb = (static_cast<int64_t>(resources.memory_bytes) + kMiB - 1) / kMiB;
  asked.vcores = static_cast<int32_t>(resources.vcores);
  for (const auto& [name, amount] : resources.other) {
    asked.others[name] = {.value = static_cast<int64_t>(amount), .unit = {}};
  }
  if (resources.gpus > 0) {
    asked.others[std::string(hadoop::yarn::kGpu)] = {.value = resources.gpus, .unit = {}};
  }
  return asked;
}

uint32_t gpus_of(const hadoop::yarn::Resource& resource) {
  const auto found = resource.others.find(std::string(hadoop::yarn::kGpu));
  return found == resource.others.end()
             ? 0
             : static_cast<uint32_t>(std::max<int64_t>(found->second.value, 0));
}

std::string never_fits(const hadoop::yarn::Resource& asked, const hadoop::yarn::Resource& largest) {
  if (asked.memory_mb > largest.memory_mb || asked.vcores > largest.vcores) {
    return fmt::format("a container of {} is requested; the largest that the cluster grants has {}",
                       to_string(asked), to_string(largest));
  }
  for (const auto& [name, amount] : asked.others) {
    const auto found = largest.others.find(name);
    if (found == largest.others.end()) {
      return fmt::format("the cluster has no resource type {}", name);
    }
    if (amount.unit == found->second.unit && amount.value > found->second.value) {
      return fmt::format("{} {} are requested in one container; the cluster grants at most {}",
                         amount.value, name, found->second.value);
    }
  }
  return {};
}

}  // namespace muster::cluster::yarn
