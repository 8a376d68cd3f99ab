#pragma once

#include "base/time.h"
#include "metrics/metric.h"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::metrics {

/// What a series belongs to: an attempt of a task, or a host.
struct Subject {
  std::string role;      ///< "worker"; "@node7" for a host.
  uint32_t index = 0;    ///< 0 for a host.
  uint32_t attempt = 0;  ///< Counted from 1; 0 for a host.
  auto operator<=>(const Subject&) const = default;

  [[nodiscard]] bool is_host() const { return role.starts_with('@'); }
  /// "worker:3", "@node7".
  [[nodiscard]] std::string task() const;
};

[[nodiscard]] Subject subject_of_host(std::string_view host);

/// A value of one of Muster's own metrics.
struct Reading {
  Builtin metric = Builtin::ContainerCpuUsage;
  double value = 0;
  bool operator==(const Reading&) const = default;
};

/// A value of any metric.
struct NamedReading {
  Metric metric;
  double value = 0;
  bool operator==(const NamedReading&) const = default;
};

/// A value at a time, in whole seconds since 1970 UTC: the beginning of its step.
struct Point {
  int64_t time_s = 0;
  double value = 0;
  bool operator==(const Point&) const = default;
};

struct Series {
  Subject subject;
  Metric metric;
  std::vector<Point> points;  ///< By time, each time once.
  bool operator==(const Series&) const = default;
};

/// Returns the time of an event of which only the second is known: its middle, so that a slightly
/// fast or slow clock still puts it into the same second.
[[nodiscard]] WallTime middle_of_second(int64_t time_s);

/// Returns the largest multiple of `step_s` that is not after `time_s`.
[[nodiscard]] int64_t floor_time(int64_t time_s, int64_t step_s);

/// Which series, and since when.
struct Query {
  std::vector<std::string> tasks;  ///< "worker:3", "worker" for all of it, "@node7"; empty: all.
  std::vector<std::string> names;  ///< Whole names, or "user." for all that begin so; empty: all.
  int64_t from_s = INT64_MIN;
  int64_t until_s = INT64_MAX;  ///< Times before this one.
  uint32_t step_s = 1;          ///< 1, 10 or 60.

  [[nodiscard]] bool wants(const Subject& subject) const;
  [[nodiscard]] bool wants(const Metric& metric) const;
};

}  // namespace muster::metrics
