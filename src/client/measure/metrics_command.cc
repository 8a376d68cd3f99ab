#include "base/text.h"
#include "client/commands.h"
#include "client/measure/job_samples.h"
#include "client/reach/task_selection.h"
#include "client/show/failure.h"
#include "client/show/job_finder.h"
#include "metrics/series_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace muster::client {
namespace {

constexpr size_t kValuesShownMax = 20'000'000;

Result<metrics::Query> query_of(const MetricsOptions& command, const job::Plan& plan) {
  metrics::Query query;
  for (const std::string& task : command.tasks) {
    if (!task.starts_with('@')) {
      MUSTER_TRY([[maybe_unused]] const cluster::TaskSelector selector, selector_of(task, plan));
    }
    query.tasks.push_back(task);
  }
  query.names = command.names;
  query.step_s = command.step == "60" ? 60 : command.step == "10" ? 10 : 1;
  return query;
}

std::string shown_value(const metrics::Metric& metric, double value) {
  if (metric.unit == "By" && std::isfinite(value) && value >= 0) {
    return format_bytes(static_cast<uint64_t>(value));
  }
  return std::isfinite(value) && std::fabs(value) < 1e6 && value != std::floor(value)
             ? fmt::format("{:.4g}", value)
             : metrics::number_text(value);
}

/// Makes a line for each series: its last value and, for a gauge, the mean and the largest.
std::string table_of(const std::vector<metrics::Series>& all) {
  size_t task_width = 4;
  size_t name_width = 4;
  for (const metrics::Series& series : all) {
    task_width = std::max(task_width, series.subject.task().size() + 3);
    name_width = std::max(name_width, series.metric.name.size());
  }
  std::string out = fmt::format("{:<{}}  {:<{}}  {:>12}  {:>12}  {:>12}  {}\n", "TASK", task_width,
                                "NAME", name_width, "LAST", "MEAN", "MAX", "UNIT");
  for (const metrics::Series& series : all) {
    double sum = 0;
    double most = -INFINITY;
    for (const metrics::Point& point : series.points) {
      sum += point.value;
      most = std::max(most, point.value);
    }
    const bool gauge = series.metric.kind == metrics::Kind::Gauge;
    const std::string task =
        series.subject.attempt > 1
            ? fmt::format("{}#{}", series.subject.task(), series.subject.attempt)
            : series.subject.task();
    const auto number = [&](double value) {
      return gauge ? shown_value(series.metric, value) : std::string("-");
    };
    out += fmt::format("{:<{}}  {:<{}}  {:>12}  {:>12}  {:>12}  {}\n", printable(task), task_width,
                       printable(series.metric.name), name_width,
                       shown_value(series.metric, series.points.back().value),
                       number(sum / static_cast<double>(series.points.size())), number(most),
                       printable(series.metric.unit));
  }
  return out;
}

Result<std::string> metrics_text(Session& session, const MetricsOptions& command) {
  MUSTER_TRY(const FoundJob job, find_job(session, command.id, command.on));
  MUSTER_TRY(const metrics::Query query, query_of(command, job.reading.replayed.machine.plan()));
  MUSTER_TRY(const JobSamples samples, samples_of(session, job, query.step_s));
  MUSTER_TRY(const std::vector<metrics::Series> series,
             samples.files.series(query, samples.live, kValuesShownMax));
  if (command.csv) {
    return std::string(metrics::kCsvHead) + metrics::series_csv(series);
  }
  if (command.json) {
    return metrics::series_json_lines(series);
  }
  if (series.empty()) {
    return std::string(command.names.empty() && command.tasks.empty()
                           ? "nothing was measured: tasks are measured once a second\n"
                           : "nothing was measured for these tasks under these names\n");
  }
  return table_of(series);
}

}  // namespace

int show_metrics(Session& session, const MetricsOptions& command) {
  if (command.csv && command.json) {
    return fail(session.console, user_error("give --json or --csv, not both"));
  }
  const Result<std::string> text = metrics_text(session, command);
  if (!text) {
    return fail(session.console, text.error());
  }
  session.console.out(*text);
  return 0;
}

}  // namespace muster::client
