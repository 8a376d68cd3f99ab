#pragma once

#include "metrics/block.h"

#include <functional>
#include <string>
#include <string_view>

namespace muster::metrics {

/// What labels say besides the series itself.
struct PrometheusContext {
  std::string job;
  /// Returns the host of a task's running attempt; "" if it has none.
  std::function<std::string(const Subject&)> host_of;
};

/// Returns the name of a metric in Prometheus: "muster_task_container_cpu_usage"; counters end in
/// _total. `of_host`: "muster_job_system_...", as a job sees its hosts.
[[nodiscard]] std::string prometheus_name(const Metric& metric, bool of_host);

/// Returns the latest values in Prometheus' text format (0.0.4), metrics sorted by name, each with
/// TYPE, and with HELP if it is one of Muster's own. For a task, the newest attempt counts.
[[nodiscard]] std::string prometheus_text(const PrometheusContext& context, const Block& latest);

}  // namespace muster::metrics
