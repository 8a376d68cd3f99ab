#pragma once

#include "metrics/series.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace muster::metrics {

/// Returns the shortest text that yields the same value again; "NaN", "+Inf", "-Inf".
[[nodiscard]] std::string number_text(double value);

/// {"schema":"muster.metrics/1","now":N,"series":[{"task","attempt","name","unit","kind",
/// "points":[[time_s,value],...]}]}; what is not finite is null.
[[nodiscard]] std::string series_json(int64_t now_s, std::span<const Series> series);
/// {"schema":"muster.metric_names/1","names":[{"name","unit","kind"}]}: each name once.
[[nodiscard]] std::string names_json(std::span<const Metric> metrics);

inline constexpr std::string_view kCsvHead = "time,task,attempt,name,unit,value\n";
/// Returns one line for each point, by time, then task; times in RFC 3339, UTC. Texts with commas
/// or quotes are quoted.
[[nodiscard]] std::string series_csv(std::span<const Series> series);
/// The same, one JSON object per line.
[[nodiscard]] std::string series_json_lines(std::span<const Series> series);

}  // namespace muster::metrics
