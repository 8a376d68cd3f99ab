#include "metrics/series.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace muster::metrics {

std::string Subject::task() const { return is_host() ? role : fmt::format("{}:{}", role, index); }

Subject subject_of_host(std::string_view host) { return {.role = "@" + std::string(host)}; }

WallTime middle_of_second(int64_t time_s) {
  return WallTime(std::chrono::seconds(time_s) + std::chrono::milliseconds(500));
}

int64_t floor_time(int64_t time_s, int64_t step_s) {
  const int64_t rest = time_s % step_s;
  return time_s - (rest < 0 ? rest + step_s : rest);
}

bool Query::wants(const Subject& subject) const {
  return tasks.empty() || std::ranges::any_of(tasks, [&](const std::string& task) {
           return task == subject.role || task == subject.task();
         });
}

bool Query::wants(const Metric& metric) const {
  return names.empty() || std::ranges::any_of(names, [&](const std::string& name) {
           return name.ends_with('.') ? metric.name.starts_with(name) : metric.name == name;
         });
}

}  // namespace muster::metrics
