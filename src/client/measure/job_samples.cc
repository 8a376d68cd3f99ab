#include "client/measure/job_samples.h"

#include "base/median.h"
#include "base/text.h"
#include "client/show/master_question.h"
#include "cluster/cluster.h"
#include "metrics/metric.h"
#include "metrics/trend.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <variant>

namespace muster::client {
namespace {

using metrics::Builtin;

constexpr Duration kAnswerMax = std::chrono::seconds(5);
constexpr std::string_view kStep = "user.step";
constexpr std::string_view kStepRate = "user.step.rate";
/// A peak is the mean over this time: what one second needs beyond it, others lend.
constexpr int64_t kPeakS = 10;

/// Asks for what the master has not written yet and, on another machine, what is not here yet.
std::vector<std::string> ask_live(Session& session, const FoundJob& job, const SampleFiles& files,
                                  uint32_t step_s) {
  const auto* const running = std::get_if<cluster::Running>(&job.report);
  if (running == nullptr || job.ended()) {
    return {};
  }
  const wire::MetricsAsked asked{.step_s = step_s, .from_s = std::max<int64_t>(0, files.end_s())};
  std::optional<wire::ClientEvent> answer =
      ask_master(session, job.folder, running->place.address, asked, kAnswerMax,
                 [](const wire::ClientEvent& event) {
                   return std::holds_alternative<wire::MetricsAnswered>(event);
                 });
  if (!answer) {
    session.console.err(
        "muster: the job's master does not answer; the last seconds may be missing\n");
    return {};
  }
  return std::move(std::get<wire::MetricsAnswered>(*answer).blocks);
}

/// nullopt if the value cannot be a count of bytes.
std::optional<uint64_t> bytes_of(const metrics::Point& point) {
  return std::isfinite(point.value) && point.value >= 0 && point.value < 1e18
             ? std::optional(static_cast<uint64_t>(point.value))
             : std::nullopt;
}

/// The points of one series, each weighted by the time that it stands for.
struct Weighed {
  const metrics::Series& series;
  int64_t minutes_before_s = 0;

  [[nodiscard]] std::optional<double> mean() const {
    double sum = 0;
    double weight = 0;
    for (const metrics::Point& point : series.points) {
      if (std::isfinite(point.value)) {
        const double seconds = point.time_s < minutes_before_s ? 60 : 1;
        sum += seconds * point.value;
        weight += seconds;
      }
    }
    return weight > 0 ? std::optional(sum / weight) : std::nullopt;
  }
  /// The highest mean over ten seconds.
  [[nodiscard]] std::optional<double> peak() const {
    std::map<int64_t, std::pair<double, uint32_t>> sums;
    for (const metrics::Point& point : series.points) {
      if (std::isfinite(point.value)) {
        auto& [sum, count] = sums[metrics::floor_time(point.time_s, kPeakS)];
        sum += point.value;
        ++count;
      }
    }
    std::optional<double> peak;
    for (const auto& [time, part] : sums) {
      peak = std::max(peak.value_or(0), part.first / part.second);
    }
    return peak;
  }
  [[nodiscard]] std::optional<uint64_t> most_bytes() const {
    std::optional<uint64_t> most;
    for (const metrics::Point& point : series.points) {
      most = std::max(most, bytes_of(point));
    }
    return most;
  }
  [[nodiscard]] std::optional<uint64_t> first_bytes() const {
    return series.points.empty() ? std::nullopt : bytes_of(series.points.front());
  }
  /// For a counter: the mean increase per second; nullopt if it was seen for too short a time.
  [[nodiscard]] std::optional<double> per_second() const {
    constexpr int64_t kSecondsMin = 20;
    const int64_t seconds =
        series.points.empty() ? 0 : series.points.back().time_s - series.points.front().time_s;
    const double more = seconds == 0 ? 0 : series.points.back().value - series.points.front().value;
    return seconds >= kSecondsMin && std::isfinite(more) && more >= 0
               ? std::optional(more / static_cast<double>(seconds))
               : std::nullopt;
  }
  /// For a counter: the median, over pieces of ten seconds, of the increase per second.
  [[nodiscard]] std::optional<double> usual_per_second() const {
    std::vector<double> rates;
    const metrics::Point* from = nullptr;
    for (const metrics::Point& point : series.points) {
      if (from != nullptr && point.time_s - from->time_s < kPeakS) {
        continue;
      }
      if (from != nullptr && point.value >= from->value) {
        rates.push_back((point.value - from->value) /
                        static_cast<double>(point.time_s - from->time_s));
      }
      from = &point;
    }
    return rates.empty() ? std::nullopt : std::optional(median(std::move(rates)));
  }
};

/// Returns the median time of a step, from the steps per second.
std::optional<Duration> step_time(const metrics::Series& rates) {
  std::vector<double> known;
  for (const metrics::Point& point : rates.points) {
    if (std::isfinite(point.value) && point.value > 1e-6) {
      known.push_back(point.value);
    }
  }
  if (known.empty()) {
    return std::nullopt;
  }
  return std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(1 / median(std::move(known))));
}

/// For the whole run: what a metric says about an attempt's use.
struct WholeSum {
  Builtin metric;
  void (*add)(const Weighed& weighed, account::AttemptUse& use);
};

constexpr auto kWhole = std::to_array<WholeSum>({
    {Builtin::ContainerCpuUsage,
     [](const Weighed& weighed, account::AttemptUse& use) {
       use.cores.mean = weighed.mean();
       use.cores.peak = weighed.peak();
     }},
    {Builtin::ProcessRunning,
     [](const Weighed& weighed, account::AttemptUse& use) { use.cores.wanted = weighed.mean(); }},
    {Builtin::ContainerMemoryPeak,
     [](const Weighed& weighed, account::AttemptUse& use) {
       use.memory_peak_bytes = weighed.most_bytes();
     }},
    {Builtin::GpuUtilization,
     [](const Weighed& weighed, account::AttemptUse& use) { use.gpu.mean = weighed.mean(); }},
    {Builtin::GpuMemoryUsage,
     [](const Weighed& weighed, account::AttemptUse& use) {
       use.gpu.memory_peak_bytes = weighed.most_bytes();
       use.gpu.memory_first_bytes = weighed.first_bytes();
     }},
    {Builtin::GpuMemoryLimit,
     [](const Weighed& weighed, account::AttemptUse& use) {
       use.gpu.memory_limit_bytes = weighed.most_bytes();
     }},
    {Builtin::ContainerCpuThrottled,
     [](const Weighed& weighed, account::AttemptUse& use) {
       use.hindrances.throttled = weighed.mean();
     }},
    {Builtin::ProcessNice, [](const Weighed& weighed,
                              account::AttemptUse& use) { use.hindrances.nice = weighed.mean(); }},
    {Builtin::JvmCollectorTime,
     [](const Weighed& weighed, account::AttemptUse& use) {
       use.hindrances.collector_cores = weighed.per_second();
     }},
});

account::Growth growth_of(const metrics::Rise& rise) {
  return {.from = rise.from, .to = rise.to, .span = std::chrono::seconds(rise.span_s)};
}

/// Adds what the disk has lost since the first look; its size is not needed for this.
void add_disk_left(const metrics::Series& left, account::AttemptUse& use) {
  if (left.points.empty()) {
    return;
  }
  use.disk.left_bytes = static_cast<uint64_t>(std::max(0.0, left.points.back().value));
  std::vector<metrics::Point> lost = left.points;
  for (metrics::Point& point : lost) {
    point.value = left.points.front().value - point.value;
  }
  if (const auto rise = metrics::steady_rise(lost)) {
    use.growths.disk_bytes = growth_of(*rise);
  }
}

/// For metrics that show one moment of a second or two: a few moments say little.
std::optional<double> mean_of_moments(const Weighed& later, size_t moments_min) {
  return later.series.points.size() < moments_min ? std::nullopt : later.mean();
}

/// Some are seen only at every second look.
constexpr size_t kMomentsMin = 20;
constexpr size_t kRareMomentsMin = 12;

template <std::optional<double> account::MainWaits::* kMember>
void add_wait(const Weighed& later, account::AttemptUse& use) {
  use.waits.*kMember = mean_of_moments(later, kRareMomentsMin);
}

/// The same, from the first step on.
struct CourseSum {
  Builtin metric;
  void (*add)(const Weighed& later, account::AttemptUse& use);
};

constexpr auto kCourse = std::to_array<CourseSum>({
    {Builtin::ProcessWaiting,
     [](const Weighed& later, account::AttemptUse& use) { use.waiting = later.mean(); }},
    {Builtin::ProcessDiskWaiting,
     [](const Weighed& later, account::AttemptUse& use) {
       use.disk.waiting = mean_of_moments(later, kMomentsMin);
     }},
    {Builtin::ContainerDiskRead,
     [](const Weighed& later, account::AttemptUse& use) {
       use.disk.read_per_s = later.per_second();
     }},
    {Builtin::ContainerDiskWrite,
     [](const Weighed& later, account::AttemptUse& use) {
       use.disk.written_per_s = later.per_second();
     }},
    {Builtin::ContainerPageFaultsMajor,
     [](const Weighed& later, account::AttemptUse& use) {
       use.disk.faults_major_per_s = later.per_second();
     }},
    {Builtin::ContainerMemoryPressure,
     [](const Weighed& later, account::AttemptUse& use) {
       use.hindrances.memory_waiting = later.mean();
     }},
    {Builtin::ContainerMemoryHigh,
     [](const Weighed& later, account::AttemptUse& use) {
       use.hindrances.over_high_per_s = later.per_second();
     }},
    {Builtin::ContainerDiskAvailable,
     [](const Weighed& later, account::AttemptUse& use) { add_disk_left(later.series, use); }},
    {Builtin::ContainerCpuUsage,
     [](const Weighed& later, account::AttemptUse& use) { use.at_work.cores = later.mean(); }},
    {Builtin::ProcessRunning,
     [](const Weighed& later, account::AttemptUse& use) {
       use.at_work.cores_wanted = later.mean();
     }},
    {Builtin::GpuUtilization,
     [](const Weighed& later, account::AttemptUse& use) { use.at_work.gpu = later.mean(); }},
    {Builtin::ProcessSleeping, add_wait<&account::MainWaits::sleeping>},
    {Builtin::ProcessSocketWaiting, add_wait<&account::MainWaits::socket>},
    {Builtin::ProcessNameWaiting, add_wait<&account::MainWaits::name_server>},
    {Builtin::ProcessChildWaiting, add_wait<&account::MainWaits::children>},
    {Builtin::PythonLockWaiting, add_wait<&account::MainWaits::python_lock>},
});

/// From the first step on: what rises all the time.
struct GrowthSum {
  Builtin metric;
  std::optional<account::Growth> account::Growths::* growth;
};

constexpr auto kGrowths = std::to_array<GrowthSum>({
    {Builtin::ContainerMemoryUsage, &account::Growths::memory_bytes},
    {Builtin::ProcessOpenFiles, &account::Growths::open_files},
    {Builtin::ProcessThreads, &account::Growths::threads},
    {Builtin::ContainerProcesses, &account::Growths::processes},
});

/// The same for a host.
struct HostSum {
  Builtin metric;
  std::optional<double> (Weighed::*sum)() const;
  std::optional<double> account::HostUse::* use;
};

constexpr auto kOfHosts = std::to_array<HostSum>({
    {Builtin::SystemDiskWrite, &Weighed::usual_per_second, &account::HostUse::written_per_s},
    {Builtin::SystemNetworkReceive, &Weighed::usual_per_second, &account::HostUse::received_per_s},
    {Builtin::SystemNetworkTransmit, &Weighed::usual_per_second, &account::HostUse::sent_per_s},
    {Builtin::SystemSwapIn, &Weighed::usual_per_second, &account::HostUse::swapped_in_per_s},
    {Builtin::NetworkSpeed, &Weighed::mean, &account::HostUse::network_per_s},
});

/// Returns a table's row for a metric; nullptr if there is none.
template <class Table>
auto row_of(const Table& table, const metrics::Series& series) -> decltype(table.data()) {
  const auto found = std::ranges::find_if(table, [&](const auto& row) {
    return metrics::describe(row.metric).name == series.metric.name;
  });
  return found == table.end() ? nullptr : &*found;
}

/// Adds what an attempt used over its run.
void add_whole(const metrics::Series& series, int64_t minutes_before_s, account::AttemptUse& use) {
  if (const WholeSum* const row = row_of(kWhole, series)) {
    row->add(Weighed{series, minutes_before_s}, use);
  } else if (series.metric.name == kStepRate) {
    use.step = step_time(series);
  }
}

/// Adds what rises, and the share of its time that it waits, both judged from the first step,
/// `from_s`.
void add_course(const metrics::Series& series, int64_t from_s, int64_t minutes_before_s,
                account::AttemptUse& use) {
  const CourseSum* const course = row_of(kCourse, series);
  const GrowthSum* const rising = row_of(kGrowths, series);
  const bool is_rate = series.metric.name == kStepRate;
  if (course == nullptr && rising == nullptr && !is_rate) {
    return;
  }
  metrics::Series later{.subject = series.subject, .metric = series.metric, .points = {}};
  std::ranges::copy_if(series.points, std::back_inserter(later.points),
                       [&](const metrics::Point& point) { return point.time_s >= from_s; });
  if (course != nullptr) {
    course->add(Weighed{later, minutes_before_s}, use);
    return;
  }
  if (is_rate) {
    std::erase_if(later.points, [](const metrics::Point& point) { return point.value <= 1e-6; });
    for (metrics::Point& point : later.points) {
      point.value = 1 / point.value;
    }
  }
  if (const std::optional<metrics::Rise> rise = metrics::steady_rise(later.points)) {
    use.growths.*(is_rate ? &account::Growths::step_s : rising->growth) = growth_of(*rise);
  }
}

/// Returns the job's time at which something was reported in that second.
Time time_of(int64_t time_s, WallTime started) {
  return Time{} + std::max(Duration::zero(), metrics::middle_of_second(time_s) - started);
}

void add_steps(const metrics::Series& series, WallTime started, account::AttemptSigns& signs) {
  signs.first_step = time_of(series.points.front().time_s, started);
  for (const metrics::Point& point : series.points) {
    if (std::isfinite(point.value)) {
      signs.steps.push_back({.at = time_of(point.time_s, started), .number = point.value});
    }
  }
}

/// When an attempt had begun to work, for judging it by its course: its first step or, if it
/// reports none, its first line of output, but at the earliest after a quarter and at the latest
/// after half of the known time.
class Beginnings {
 public:
  explicit Beginnings(std::span<const metrics::Series> series) {
    for (const metrics::Series& one : series) {
      if (one.metric.name == kStep && !one.points.empty()) {
        steps_[one.subject] = one.points.front().time_s + 1;
      }
    }
  }
  /// `output`: when it first wrote something, if that is known.
  [[nodiscard]] int64_t of(const metrics::Series& series, std::optional<WallTime> output) const {
    if (const auto step = steps_.find(series.subject); step != steps_.end()) {
      return step->second;
    }
    const int64_t first = series.points.front().time_s;
    const int64_t known = series.points.back().time_s - first;
    const auto wrote = [](WallTime at) {
      return std::chrono::ceil<std::chrono::seconds>(at.time_since_epoch()).count();
    };
    const int64_t quarter = first + known / 4;
    return output ? std::clamp(wrote(*output), quarter, first + known / 2) : quarter;
  }

 private:
  std::map<metrics::Subject, int64_t> steps_;
};

}  // namespace

Result<JobSamples> samples_of(Session& session, const FoundJob& job, uint32_t step_s) {
  MUSTER_TRY_STATUS(session.clusters->of(job.folder).fetch_samples(job.folder));
  MUSTER_TRY(SampleFiles files, SampleFiles::read(*session.files, job.folder.metrics()));
  for (const std::string& damage : files.damages()) {
    session.console.err("muster: " + printable(damage) + "\n");
  }
  std::vector<std::string> live = ask_live(session, job, files, step_s);
  return JobSamples{.files = std::move(files), .live = std::move(live)};
}

void sum_up_samples(std::span<const metrics::Series> series, int64_t minutes_before_s,
                    const job::Plan& plan, WallTime started, account::Uses& uses,
                    account::Signs& signs) {
  const Beginnings beginnings(series);
  for (const metrics::Series& one : series) {
    const metrics::Subject& subject = one.subject;
    const std::optional<job::RoleIndex> role = plan.find_role(subject.role);
    if (!role || subject.attempt == 0 || one.points.empty()) {
      continue;
    }
    const job::AttemptId attempt{.task = {*role, subject.index}, .number = subject.attempt};
    if (one.metric.name == kStep) {
      add_steps(one, started, signs[attempt]);
      continue;
    }
    add_whole(one, minutes_before_s, uses[attempt]);
    const auto sign = signs.find(attempt);
    const std::optional<Time> output =
        sign == signs.end() ? std::nullopt : sign->second.first_output;
    const std::optional<WallTime> wrote =
        output ? std::optional(started + output->time_since_epoch()) : std::nullopt;
    add_course(one, beginnings.of(one, wrote), minutes_before_s, uses[attempt]);
  }
}

account::HostUses host_uses(std::span<const metrics::Series> series) {
  account::HostUses uses;
  for (const metrics::Series& one : series) {
    if (!one.subject.is_host()) {
      continue;
    }
    account::HostUse& use = uses[job::HostName(one.subject.role.substr(1))];
    if (const HostSum* const row = row_of(kOfHosts, one)) {
      use.*(row->use) = (Weighed{one, 0}.*(row->sum))();
    }
  }
  return uses;
}

std::vector<std::string> summed_metrics() {
  std::vector<std::string> names = {std::string(kStep), std::string(kStepRate)};
  const auto add = [&names](const auto& table) {
    for (const auto& row : table) {
      names.emplace_back(metrics::describe(row.metric).name);
    }
  };
  add(kWhole);
  add(kCourse);
  add(kGrowths);
  add(kOfHosts);
  return names;
}

}  // namespace muster::client
