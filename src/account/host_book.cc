#include "account/host_book.h"

#include "base/text.h"
#include "job/describe.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace muster::account {
namespace {

namespace json = boost::json;

constexpr double kSlowFrom = 1.25;  ///< Times the median of the role.
constexpr Duration kPaceKnownFrom = std::chrono::seconds(30);
constexpr size_t kTasksToCompare = 4;
constexpr size_t kHostNameBytesMax = 255;
constexpr double kHarmMax = 100;  ///< Per line, as a line is only somebody's word.

/// Returns whether a failure speaks against the place where it happened.
bool is_of_host(const job::Failure& failure) {
  if (failure.kind == job::FailureKind::User || failure.kind == job::FailureKind::Stopped ||
      failure.kind == job::FailureKind::PeerLoss) {
    return false;
  }
  // A container that the cluster takes for others says nothing about the host.
  const bool preempted = failure.class_name.contains("preempt");
  return !preempted &&
         (failure.remedy == job::Remedy::Elsewhere || failure.class_name.starts_with("host.") ||
          failure.class_name == "agent.silent");
}

bool is_of_gpu(const job::Failure& failure) {
  return failure.class_name.starts_with("gpu.") &&
         (failure.kind == job::FailureKind::Infrastructure ||
          failure.kind == job::FailureKind::Resource);
}

void note_failures(const job::State& state, WallTime now,
                   std::map<job::HostName, HostRecord>& hosts) {
  for (const std::vector<job::Task>& role : state.tasks) {
    for (const job::Task& task : role) {
      for (const job::Attempt& attempt : task.attempts) {
        if (attempt.part != job::Part::Origin || !attempt.exit || !attempt.exit->failure) {
          continue;
        }
        const job::Failure& failure = *attempt.exit->failure;
        HostRecord& record = hosts[attempt.host];
        if (is_of_gpu(failure)) {
          ++record.gpu_errors;
        } else if (is_of_host(failure)) {
          ++record.failures;
        } else {
          continue;
        }
        record.last_class = failure.class_name;
        record.last_harm = now;
      }
    }
  }
}

// Tasks of a role that depend on nobody are assumed to have equal work; nobody knows better.
void note_slowness(const job::Plan& plan, const job::State& state, WallTime now,
                   std::map<job::HostName, HostRecord>& hosts) {
  for (size_t i = 0; i < plan.roles.size(); ++i) {
    std::vector<std::pair<Duration, job::HostName>> runs;
    for (const job::Task& task : state.tasks[i]) {
      if (!task.attempts.empty() && task.attempts.back().exit &&
          task.attempts.back().exit->succeeded() && task.attempts.back().started > Time{}) {
        runs.emplace_back(task.attempts.back().ended - task.attempts.back().started,
                          task.attempts.back().host);
      }
    }
    if (plan.roles[i].membership != spec::Membership::Independent ||
        runs.size() < kTasksToCompare) {
      continue;
    }
    std::ranges::sort(runs);
    const Duration usual = runs[runs.size() / 2].first;
    std::set<job::HostName> noted;
    for (auto run = runs.rbegin(); run != runs.rend() && usual >= kPaceKnownFrom; ++run) {
      const double factor =
          static_cast<double>(run->first.count()) / static_cast<double>(usual.count());
      if (factor >= kSlowFrom && noted.insert(run->second).second) {
        hosts[run->second].slow += factor - 1;
        hosts[run->second].last_harm = now;
      }
    }
  }
}

double weight(Duration age) {
  const auto half_lives = static_cast<double>(std::max(age, Duration::zero()).count()) /
                          static_cast<double>(kHarmHalfLife.count());
  return std::exp2(-half_lives);
}

double number_in(const json::object& from, std::string_view key) {
  const json::value* const value = from.if_contains(key);
  const double number = value != nullptr && value->is_number() ? value->to_number<double>() : 0;
  return std::isfinite(number) ? std::clamp(number, 0.0, kHarmMax) : 0;
}

std::string text_in(const json::object& from, std::string_view key) {
  const json::value* const value = from.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::string reason_of(const HostRecord& record) {
  std::vector<std::string> parts;
  const auto count = [&](double value, std::string_view noun) {
    const auto rounded = static_cast<uint64_t>(std::llround(value));
    if (rounded > 0) {
      parts.push_back(job::count_of(rounded, noun));
    }
  };
  count(record.failures, "failure");
  count(record.gpu_errors, "GPU error");
  if (record.slow >= 0.2) {
    parts.push_back(fmt::format("{:.0f} % slower than its peers", record.slow * 100));
  }
  const std::string what = record.last_class.empty() ? "" : printable(record.last_class) + ", ";
  return fmt::format("{} ({}{})", join(parts, ", "), what,
                     format_iso(record.last_harm).substr(0, 10));
}

}  // namespace

std::string host_line(const job::Machine& machine, WallTime now) {
  std::map<job::HostName, HostRecord> hosts;
  for (const auto& [id, container] : machine.state().containers) {
    hosts.try_emplace(container.host);
  }
  note_failures(machine.state(), now, hosts);
  note_slowness(machine.plan(), machine.state(), now, hosts);
  std::string list;
  for (const auto& [host, record] : hosts) {
    if (host.value.empty()) {
      continue;
    }
    list += fmt::format(R"({}{{"host":{},"failures":{},"gpu_errors":{},"slow":{:.2f},"class":{}}})",
                        list.empty() ? "" : ",", json_quote(host.value), record.failures,
                        record.gpu_errors, record.slow,
                        record.last_class.empty() ? "null" : json_quote(record.last_class));
  }
  return fmt::format(R"({{"job":{},"at_us":{},"hosts":[{}]}})"
                     "\n",
                     json_quote(machine.plan().job.value), now.time_since_epoch().count(), list);
}

HostBook::HostBook(std::string_view lines, WallTime now) {
  for (const std::string_view line : split(lines, '\n')) {
    if (!trim(line).empty() && !add(line, now)) {
      ++damaged_;
    }
  }
  std::erase_if(hosts_,
                [&](const auto& entry) { return now - entry.second.seen > kHostForgotten; });
}

bool HostBook::add(std::string_view line, WallTime now) {
  boost::system::error_code error;
  const json::value value = json::parse(line, error);
  if (error || !value.is_object()) {
    return false;
  }
  const json::value* const at_us = value.get_object().if_contains("at_us");
  const json::value* const list = value.get_object().if_contains("hosts");
  if (at_us == nullptr || !at_us->is_int64() || list == nullptr || !list->is_array()) {
    return false;
  }
  const WallTime at = std::clamp(WallTime(Duration(at_us->get_int64())), WallTime{}, now);
  for (const json::value& each : list->get_array()) {
    const std::string name = each.is_object() ? text_in(each.get_object(), "host") : "";
    if (name.empty() || name.size() > kHostNameBytesMax || printable(name) != name) {
      return false;
    }
    HostRecord& record = hosts_[job::HostName(name)];
    const json::object& from = each.get_object();
    const double counts = weight(now - at);
    const double before = record.harm();
    record.failures += counts * number_in(from, "failures");
    record.gpu_errors += counts * number_in(from, "gpu_errors");
    record.slow += counts * number_in(from, "slow");
    ++record.jobs;
    record.seen = std::max(record.seen, at);
    if (record.harm() > before && at >= record.last_harm) {
      record.last_harm = at;
      record.last_class = text_in(from, "class");
    }
  }
  return true;
}

std::vector<HostToAvoid> HostBook::to_avoid() const {
  std::vector<std::pair<double, job::HostName>> worst;
  for (const auto& [host, record] : hosts_) {
    if (record.harm() >= kHarmToAvoid) {
      worst.emplace_back(-record.harm(), host);
    }
  }
  std::ranges::sort(worst);
  const size_t most = hosts_.size() / kAvoidShare;
  std::vector<HostToAvoid> avoid;
  for (size_t i = 0; i < std::min(most, worst.size()); ++i) {
    avoid.push_back({.host = worst[i].second, .reason = reason_of(hosts_.at(worst[i].second))});
  }
  return avoid;
}

}  // namespace muster::account
