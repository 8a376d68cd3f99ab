#include "metrics/prometheus.h"

#include "metrics/series_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace muster::metrics {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char byte : text) {
    switch (byte) {
      case '\\':
        out += "\\\\";
        break;
      case '"':
        out += "\\\"";
        break;
      case '\n':
        out += "\\n";
        break;
      default:
        out += byte;
    }
  }
  return out;
}

struct Line {
  const Subject* subject = nullptr;
  double value = 0;
};

struct Family {
  const Metric* metric = nullptr;
  std::vector<Line> lines;
};

/// Returns the newest attempt of each task that is in the block.
std::map<std::pair<std::string_view, uint32_t>, uint32_t> newest_attempts(const Block& latest) {
  std::map<std::pair<std::string_view, uint32_t>, uint32_t> newest;
  for (const Subject& subject : latest.subjects) {
    uint32_t& attempt = newest[{subject.role, subject.index}];
    attempt = std::max(attempt, subject.attempt);
  }
  return newest;
}

std::string labels_of(const PrometheusContext& context, const Subject& subject) {
  if (subject.is_host()) {
    return fmt::format(R"({{job="{}",host="{}"}})", escaped(context.job),
                       escaped(std::string_view(subject.role).substr(1)));
  }
  return fmt::format(R"({{job="{}",role="{}",index="{}",host="{}"}})", escaped(context.job),
                     escaped(subject.role), subject.index, escaped(context.host_of(subject)));
}

}  // namespace

std::string prometheus_name(const Metric& metric, bool of_host) {
  std::string name = of_host ? "muster_job_" : "muster_task_";
  for (const char byte : metric.name) {
    const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                       (byte >= '0' && byte <= '9');
    name += plain ? byte : '_';
  }
  return metric.kind == Kind::Counter ? name + "_total" : name;
}

std::string prometheus_text(const PrometheusContext& context, const Block& latest) {
  const auto newest = newest_attempts(latest);
  std::map<std::string, Family> families;
  for (const Column& column : latest.columns) {
    for (size_t s = 0; s < latest.subjects.size(); ++s) {
      const Subject& subject = latest.subjects[s];
      if (!column.present[s] || newest.at({subject.role, subject.index}) != subject.attempt) {
        continue;
      }
      Family& family = families[prometheus_name(column.metric, subject.is_host())];
      // Two names that look the same here would make a duplicate series, which scrapers refuse.
      if (family.metric == nullptr || family.metric == &column.metric) {
        family.metric = &column.metric;
        family.lines.push_back({.subject = &subject, .value = column.values[s]});
      }
    }
  }
  std::string out;
  for (const auto& [name, family] : families) {
    if (const BuiltinMetric* const row = find_builtin(family.metric->name)) {
      out += fmt::format("# HELP {} {} ({})\n", name, row->meaning, row->unit);
    }
    out += fmt::format("# TYPE {} {}\n", name, to_string(family.metric->kind));
    for (const Line& line : family.lines) {
      out += fmt::format("{}{} {}\n", name, labels_of(context, *line.subject),
                         number_text(line.value));
    }
  }
  return out;
}

}  // namespace muster::metrics
