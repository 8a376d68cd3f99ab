#include "client/follow/told_progress.h"

#include "base/text.h"
#include "client/measure/sample_files.h"
#include "client/show/job_watch.h"
#include "client/show/master_question.h"
#include "metrics/block.h"
#include "metrics/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace muster::client {
namespace {

constexpr Duration kProgressPatience = std::chrono::seconds(1);
constexpr size_t kProgressPointsMax = 2'000'000;
constexpr size_t kNumbersShownMax = 6;

/// The last values of one attempt, by their names without "user.".
using Values = std::map<std::string, double>;

std::optional<double> value_in(const Values& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() || !std::isfinite(found->second) ? std::nullopt
                                                                : std::optional(found->second);
}

std::string steps_text_of(const Values& values) {
  const std::optional<double> step = value_in(values, "step");
  if (!step) {
    return {};
  }
  std::string text = fmt::format("step {:.0f}", *step);
  if (const std::optional<double> most = value_in(values, "step.max"); most && *most > 0) {
    text += fmt::format(" of {:.0f} ({:.0f} %)", *most, std::floor(*step / *most * 100));
  }
  if (const std::optional<double> rate = value_in(values, "step.rate")) {
    text += fmt::format(", {:.3g} steps/s", *rate);
  }
  return text;
}

std::string numbers_text_of(const Values& values) {
  std::string text;
  size_t shown = 0;
  for (const auto& [name, value] : values) {
    if (name == "step" || name == "step.max" || name == "step.rate") {
      continue;
    }
    if (shown++ == kNumbersShownMax) {
      return text + ", ...";
    }
    text += fmt::format("{}{} {:.4g}", text.empty() ? "" : ", ", printable(name), value);
  }
  return text;
}

// Returns what a running job's master currently has about every task.
std::vector<metrics::Series> latest_series(Session& session, const FoundJob& job,
                                           const std::string& address) {
  const std::optional<wire::ClientEvent> answer =
      ask_master(session, job.folder, address, wire::FollowMetrics{.on = true}, kProgressPatience,
                 [](const wire::ClientEvent& event) {
                   return std::holds_alternative<wire::MetricsPushed>(event);
                 });
  metrics::SeriesReader reader(metrics::Query{});
  if (answer) {
    reader.add(std::get<wire::MetricsPushed>(*answer).block);
  }
  return reader.take();
}

}  // namespace

std::string progress_line(std::span<const metrics::Series> series) {
  struct Told {
    uint32_t attempt = 0;
    Values values;
  };
  std::map<std::string, Told> tasks;
  for (const metrics::Series& each : series) {
    if (each.points.empty() || !each.metric.name.starts_with(metrics::kUserPrefix)) {
      continue;
    }
    Told& told = tasks[each.subject.task()];
    if (each.subject.attempt > told.attempt) {
      told = {.attempt = each.subject.attempt, .values = {}};
    }
    if (each.subject.attempt == told.attempt) {
      told.values[each.metric.name.substr(metrics::kUserPrefix.size())] = each.points.back().value;
    }
  }
  const auto furthest = std::ranges::max_element(tasks, {}, [](const auto& entry) {
    return value_in(entry.second.values, "step").value_or(-1);
  });
  if (furthest == tasks.end()) {
    return {};
  }
  const std::string steps = steps_text_of(furthest->second.values);
  const std::string numbers = numbers_text_of(furthest->second.values);
  return fmt::format("progress: {}{}{} ({})", steps, steps.empty() || numbers.empty() ? "" : "; ",
                     numbers, printable(furthest->first));
}

std::map<std::string, TopUsage> usage_in(std::span<const metrics::Series> series) {
  std::map<std::string, uint32_t> attempts;
  for (const metrics::Series& each : series) {
    uint32_t& last = attempts[each.subject.task()];
    last = std::max(last, each.subject.attempt);
  }
  std::map<std::string, TopUsage> usage;
  for (const metrics::Series& each : series) {
    const std::string task = each.subject.task();
    if (!each.subject.is_host() && !each.points.empty() &&
        each.subject.attempt == attempts.at(task)) {
      put_usage(usage[task], each.metric, each.points.back().value);
    }
  }
  return usage;
}

Measured ask_measured(Session& session, const FoundJob& job) {
  const auto line_of = [](std::span<const metrics::Series> series) {
    const std::string line = progress_line(series);
    return line.empty() ? "" : line + "\n";
  };
  if (const auto* const running = std::get_if<cluster::Running>(&job.report);
      running != nullptr && !job.ended()) {
    const std::vector<metrics::Series> latest = latest_series(session, job, running->place.address);
    return {.progress = line_of(latest), .usage = usage_in(latest)};
  }
  const Result<SampleFiles> files = SampleFiles::read(*session.files, job.folder.metrics());
  if (!files) {
    return {};
  }
  const Result<std::vector<metrics::Series>> told = files->series(
      {.tasks = {}, .names = {std::string(metrics::kUserPrefix)}}, {}, kProgressPointsMax);
  return {.progress = told ? line_of(*told) : "", .usage = {}};
}

}  // namespace muster::client
