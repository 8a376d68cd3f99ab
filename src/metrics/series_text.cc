#include "metrics/series_text.h"

#include "base/text.h"
#include "base/time.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <tuple>
#include <vector>

namespace muster::metrics {
namespace {

std::string json_number(double value) { return std::isfinite(value) ? number_text(value) : "null"; }

/// "2026-11-23T09:30:00Z"
std::string time_text(int64_t time_s) {
  std::string text = format_iso(WallTime(std::chrono::seconds(time_s)));
  if (const size_t dot = text.rfind('.'); dot != std::string::npos) {
    text.replace(dot, std::string::npos, "Z");
  }
  return text;
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) {
    return std::string(text);
  }
  std::string quoted = "\"";
  for (const char byte : text) {
    quoted += byte == '"' ? "\"\"" : std::string(1, byte);
  }
  return quoted + "\"";
}

/// Calls for each point of all series, by time, and at the same time in the order of the series.
template <class Call>
void each_by_time(std::span<const Series> series, const Call& call) {
  std::vector<std::tuple<int64_t, size_t, size_t>> order;
  for (size_t s = 0; s < series.size(); ++s) {
    for (size_t p = 0; p < series[s].points.size(); ++p) {
      order.emplace_back(series[s].points[p].time_s, s, p);
    }
  }
  std::ranges::sort(order);
  for (const auto& [time, s, p] : order) {
    call(series[s], series[s].points[p]);
  }
}

}  // namespace

std::string number_text(double value) {
  if (std::isnan(value)) {
    return "NaN";
  }
  if (std::isinf(value)) {
    return value > 0 ? "+Inf" : "-Inf";
  }
  constexpr double kWholeMax = 1e15;
  if (std::fabs(value) < kWholeMax && value == std::floor(value)) {
    return fmt::format("{}", static_cast<int64_t>(value));
  }
  return fmt::format("{}", value);
}

std::string series_json(int64_t now_s, std::span<const Series> series) {
  std::string out = fmt::format(R"({{"schema":"muster.metrics/1","now":{},"series":[)", now_s);
  for (size_t i = 0; i < series.size(); ++i) {
    const Series& one = series[i];
    out += fmt::format(R"({}{{"task":{},"attempt":{},"name":{},"unit":{},"kind":"{}","points":[)",
                       i == 0 ? "" : ",", json_quote(one.subject.task()), one.subject.attempt,
                       json_quote(one.metric.name), json_quote(one.metric.unit),
                       to_string(one.metric.kind));
    for (size_t p = 0; p < one.points.size(); ++p) {
      out += fmt::format("{}[{},{}]", p == 0 ? "" : ",", one.points[p].time_s,
                         json_number(one.points[p].value));
    }
    out += "]}";
  }
  return out + "]}\n";
}

std::string names_json(std::span<const Metric> metrics) {
  std::string out = R"({"schema":"muster.metric_names/1","names":[)";
  for (size_t i = 0; i < metrics.size(); ++i) {
    out += fmt::format(R"({}{{"name":{},"unit":{},"kind":"{}"}})", i == 0 ? "" : ",",
                       json_quote(metrics[i].name), json_quote(metrics[i].unit),
                       to_string(metrics[i].kind));
  }
  return out + "]}\n";
}

std::string series_csv(std::span<const Series> series) {
  std::string out;
  each_by_time(series, [&](const Series& one, const Point& point) {
    out +=
        fmt::format("{},{},{},{},{},{}\n", time_text(point.time_s), csv_field(one.subject.task()),
                    one.subject.attempt, csv_field(one.metric.name), csv_field(one.metric.unit),
                    number_text(point.value));
  });
  return out;
}

std::string series_json_lines(std::span<const Series> series) {
  std::string out;
  each_by_time(series, [&](const Series& one, const Point& point) {
    out += fmt::format(R"({{"time":"{}","task":{},"attempt":{},"name":{},"unit":{},"value":{}}})"
                       "\n",
                       time_text(point.time_s), json_quote(one.subject.task()), one.subject.attempt,
                       json_quote(one.metric.name), json_quote(one.metric.unit),
                       json_number(point.value));
  });
  return out;
}

}  // namespace muster::metrics
