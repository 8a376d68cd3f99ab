#include "agent/program/told_series.h"

#include <algorithm>
#include <utility>

namespace muster::agent {
namespace {

constexpr std::string_view kUserPrefix = "user.";
constexpr std::string_view kStep = "user.step";
constexpr std::string_view kStepRate = "user.step.rate";
constexpr std::string_view kStepMax = "user.step.max";
/// How far behind a program's clock may be and still be believed: event files are buffered.
constexpr Duration kLateMax = std::chrono::hours(1);

int64_t second_of(WallTime at) {
  return std::chrono::floor<std::chrono::seconds>(at.time_since_epoch()).count();
}

bool is_own(std::string_view name) {
  return name == kStep || name == kStepRate || name == kStepMax;
}

}  // namespace

std::string ToldSeries::take_line(std::string_view line, Now now) {
  const int64_t second = second_of(now.wall);
  if (second != std::exchange(lines_second_, second)) {
    lines_in_second_ = 0;
  }
  if (++lines_in_second_ > kLinesPerSecond) {
    late_line_ = line.substr(0, scalars::kLineBytesMax + 1);
    return {};
  }
  late_line_.clear();
  return take_report(line, now);
}

std::string ToldSeries::take_report(std::string_view line, Now now) {
  const Result<scalars::Report> report = scalars::parse_report_line(line);
  if (!report) {
    return report.error().message;
  }
  if (report->step) {
    if (!std::exchange(steps_by_line_, true)) {
      progress_ = {};
    }
    progress_.reached(*report->step, now.host);
    // Within one second, the step and the values come from the same line.
    put(std::string(kStep), "{step}", static_cast<double>(*report->step),
        report->scalars.empty() ? now.wall : time_of(report->scalars.front(), now));
  }
  if (report->max_steps) {
    progress_.expects(*report->max_steps);
  }
  for (const scalars::Scalar& scalar : report->scalars) {
    put_scalar(scalar, now);
  }
  return {};
}

void ToldSeries::begin_run(const std::string& run) {
  if (!main_run_) {
    main_run_ = run;
  }
}

void ToldSeries::take_event(const std::string& run, scalars::Scalar scalar, Now now) {
  begin_run(run);
  if (run != *main_run_) {
    scalar.name = (run.empty() ? "." : run) + "/" + scalar.name;
    if (!scalars::is_name(scalar.name)) {
      ++names_refused_;
      return;
    }
  } else if (!steps_by_line_ && scalar.step) {
    const Duration ago = now.wall - time_of(scalar, now);
    event_step(scalar, now.host - ago);
  }
  put_scalar(scalar, now);
}

/// Programs count several things, such as epochs beside batches. The highest count is the step.
void ToldSeries::event_step(const scalars::Scalar& scalar, HostTime at) {
  if (scalar.name != stepping_) {
    if (*scalar.step <= progress_.step().value_or(-1)) {
      return;
    }
    stepping_ = scalar.name;
  }
  progress_.reached(*scalar.step, at);
}

void ToldSeries::put_scalar(const scalars::Scalar& scalar, Now now) {
  const std::string name = std::string(kUserPrefix) + scalar.name;
  if (!is_own(name)) {
    put(name, "", scalar.value, time_of(scalar, now));
  }
}

void ToldSeries::put(const std::string& name, std::string_view unit, double value, WallTime at) {
  if (!names_.contains(name)) {
    if (names_.size() >= kNamesMax && !is_own(name)) {
      ++names_refused_;
      return;
    }
    names_.emplace(name, unit);
  }
  waiting_[{second_of(at), name}] = value;
  if (waiting_.size() > kWaitingMax) {
    waiting_.erase(waiting_.begin());
  }
}

std::vector<Told> ToldSeries::take_away(Now now) {
  put_steps(now);
  return take_until(second_of(now.wall));
}

std::vector<Told> ToldSeries::take_rest(Now now) {
  put_steps(now);
  return take_until(INT64_MAX);
}

void ToldSeries::put_steps(Now now) {
  if (!late_line_.empty()) {
    (void)take_report(std::exchange(late_line_, {}), now);
  }
  if (const std::optional<int64_t> step = progress_.step()) {
    put(std::string(kStep), "{step}", static_cast<double>(*step), now.wall);
    if (const std::optional<double> rate = progress_.steps_per_second(now.host)) {
      put(std::string(kStepRate), "{step}/s", *rate, now.wall);
    }
    if (const std::optional<int64_t> steps = progress_.max_steps()) {
      put(std::string(kStepMax), "{step}", static_cast<double>(*steps), now.wall);
    }
  }
}

std::vector<Told> ToldSeries::take_until(int64_t second) {
  std::vector<Told> told;
  const auto end = waiting_.lower_bound({second, ""});
  for (auto next = waiting_.begin(); next != end; ++next) {
    const auto& [at, name] = next->first;
    told.push_back({.name = name, .unit = names_.at(name), .value = next->second, .time_s = at});
  }
  waiting_.erase(waiting_.begin(), end);
  return told;
}

/// Uses a program's clock as long as it is believable.
WallTime ToldSeries::time_of(const scalars::Scalar& scalar, Now now) {
  const bool believed = scalar.at && *scalar.at <= now.wall && *scalar.at >= now.wall - kLateMax;
  return believed ? *scalar.at : now.wall;
}

}  // namespace muster::agent
