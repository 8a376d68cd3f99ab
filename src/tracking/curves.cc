#include "tracking/curves.h"

#include "base/text.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace muster::tracking {
namespace {

constexpr std::string_view kUser = "user.";
constexpr std::string_view kStep = "user.step";
constexpr std::string_view kStepsMax = "user.step.max";
constexpr std::string_view kStepRate = "user.step.rate";
constexpr size_t kKeyBytesMax = 250;
constexpr int64_t kSettledAfterS = 10;
/// Doubles hold whole numbers up to here exactly.
constexpr double kStepMax = 9e15;

/// Returns a task's step at a time: the last one reported until then.
double step_at(const std::vector<metrics::Point>& steps, int64_t time_s, double before) {
  const auto after = std::ranges::upper_bound(steps, time_s, {}, &metrics::Point::time_s);
  return after == steps.begin() ? before : std::prev(after)->value;
}

int64_t whole(double step) {
  return std::isfinite(step) ? std::llround(std::clamp(step, -kStepMax, kStepMax)) : 0;
}

}  // namespace

int64_t settled_until(int64_t now_s, uint32_t step_s, bool over) {
  return over ? now_s + 1 : metrics::floor_time(now_s - kSettledAfterS, step_s);
}

std::string plain_key(std::string_view name) {
  std::string key;
  for (const char c : name.substr(0, kKeyBytesMax)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-' || c == '.' || c == ' ' || c == '/';
    key += plain ? c : '_';
  }
  // Servers take keys for paths, and refuse those that are not in their shortest form.
  std::string path;
  for (const std::string_view part : split(key, '/')) {
    if (!part.empty()) {
      path += path.empty() ? "" : "/";
      path += part == "." || part == ".." ? "_" : part;
    }
  }
  return path.empty() ? "_" : path;
}

std::string Curves::key_of(const metrics::Series& series) const {
  const std::string_view name = series.metric.name == kStepRate
                                    ? std::string_view("steps_per_second")
                                    : std::string_view(series.metric.name).substr(kUser.size());
  const std::string task = series.subject.task();
  if (task == first_) {
    return plain_key(name);
  }
  return plain_key(series.subject.role + "." + std::to_string(series.subject.index) + "/" +
                   std::string(name));
}

std::vector<CurvePoint> Curves::take(const std::vector<metrics::Series>& series) {
  std::map<std::string, const std::vector<metrics::Point>*> steps;
  for (const metrics::Series& each : series) {
    if (each.metric.name == kStep) {
      // Of several attempts the newest comes last.
      steps[each.subject.task()] = &each.points;
    }
  }
  const std::vector<metrics::Point> none;
  std::vector<CurvePoint> points;
  for (const metrics::Series& each : series) {
    if (!each.metric.name.starts_with(kUser) || each.metric.name == kStep ||
        each.metric.name == kStepsMax || each.subject.is_host()) {
      continue;
    }
    const std::string task = each.subject.task();
    const auto told = steps.find(task);
    const std::vector<metrics::Point>& own = told == steps.end() ? none : *told->second;
    const auto last = steps_.find(task);
    const double before = last == steps_.end() ? 0 : last->second;
    const std::string key = key_of(each);
    for (const metrics::Point& point : each.points) {
      points.push_back({.key = key,
                        .value = point.value,
                        .time_s = point.time_s,
                        .step = whole(step_at(own, point.time_s, before))});
    }
  }
  for (const auto& [task, told] : steps) {
    if (!told->empty()) {
      steps_[task] = told->back().value;
    }
  }
  return points;
}

}  // namespace muster::tracking
