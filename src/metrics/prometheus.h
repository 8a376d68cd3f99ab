#pragma once

#include "metrics/block.h"

#include <functional>
#include <string>
#include <string_view>

namespace muster::metrics {

/// What labels say besides the series itself.
struct PrometheusContext {
  std::string job;
  /// The host of a task's running attempt; "" if it has none.
  std::function<std::string(const Subject&)> host_of;
};

/// The name of a metric on Prometheus: "muster_task_container_cpu_usage"; counters end in _total.
/// `of_host`: "muster_job_system_...", as a job sees its hosts.
[[nodiscard]] std::string prometheus_name(const Metric& metric, bool of_host);

/// The latest values in Prometheus' text format (0.0.4), metrics in order of their names, each with
/// HELP where it is one of Muster's own, and TYPE. Of a task the newest attempt counts.
[[nodiscard]] std::string prometheus_text(const PrometheusContext& context, const Block& latest);

}  // namespace muster::metrics
