#include "account/rules_of_growth.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace muster::account {
namespace {

double in_seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

double per_second(const Growth& growth) {
  return (growth.to - growth.from) / std::max(1.0, in_seconds(growth.span));
}

std::string bytes_text(double bytes) { return format_bytes(static_cast<uint64_t>(bytes)); }

/// "3.2 MiB per second", "12 MiB per hour": in the unit in which the number is easy to imagine.
template <class Text>
std::string rate_text(double per_second, double least, Text text) {
  if (per_second >= least) {
    return text(per_second) + " per second";
  }
  if (60 * per_second >= least) {
    return text(60 * per_second) + " per minute";
  }
  return text(3600 * per_second) + " per hour";
}

std::string count_text(double count) { return fmt::format("{:.0f}", count); }

/// Something about a task that may have grown.
using Measure = std::optional<Growth> Growths::*;

/// A measure whose growth is a leak.
struct Leak {
  Measure measure;
  double least;                ///< Less than this is no leak that anybody has to fix today.
  std::string_view what;       ///< What to do about it.
  std::string_view rate_name;  ///< The name of its rate among the numbers.
};

constexpr Leak kMemory{
    .measure = &Growths::memory_bytes,
    .least = 64.0 * (1ULL << 20),
    .what =
        "look for what is kept from step to step: losses with their graph (`.item()`), lists of "
        "results, caches without a bound",
    .rate_name = "bytes_per_s"};
constexpr Leak kFiles{
    .measure = &Growths::open_files,
    .least = 100,
    .what =
        "close files, sockets and pipes when you are done with them (`with open(...)`), before the "
        "limit (`ulimit -n`) is reached",
    .rate_name = "files_per_s"};
constexpr Leak kThreads{
    .measure = &Growths::threads,
    .least = 50,
    .what = "end threads that have done their work: pools and executors belong outside of the loop",
    .rate_name = "per_s"};
constexpr Leak kProcesses{
    .measure = &Growths::processes,
    .least = 50,
    .what =
        "end child processes that have done their work, wait for them (`Popen.wait`), and start "
        "pools outside of the loop",
    .rate_name = "per_s"};

/// Returns the task of a role for which `measure` rose fastest; nullptr if it rose for none.
const TaskEvidence* fastest(const RoleEvidence& role, Measure measure) {
  const TaskEvidence* found = nullptr;
  for (const TaskEvidence& task : role.members) {
    const std::optional<Growth>& own = task.growths.*measure;
    if (own && (found == nullptr || per_second(*own) > per_second(*(found->growths.*measure)))) {
      found = &task;
    }
  }
  return found;
}

/// "; so did 3 of 4 tasks in all", "; none of the other 3 did"
std::string others_text(const RoleEvidence& role, Measure measure) {
  const auto many = std::ranges::count_if(
      role.members, [&](const TaskEvidence& task) { return (task.growths.*measure).has_value(); });
  if (role.members.size() < 2) {
    return "";
  }
  return many < 2 ? fmt::format("; none of the other {} did", role.members.size() - 1)
                  : fmt::format("; so did {} of {} tasks in all", many, role.members.size());
}

/// Returns the advice on the task of the role that leaks fastest; nullopt if none does. `text` says
/// how it grew: "worker-1 grew steadily from 1 GiB to 3 GiB".
template <class Text>
std::optional<Advice> advice_on(const Leak& leak, const Rule& rule, const RoleEvidence& role,
                                Text text) {
  const TaskEvidence* const task = fastest(role, leak.measure);
  if (task == nullptr) {
    return std::nullopt;
  }
  const Growth& own = *(task->growths.*leak.measure);
  if (own.to - own.from < std::max(leak.least, rule.threshold * own.to)) {
    return std::nullopt;
  }
  return Advice{
      .rule = std::string(rule.name),
      .role = role.name,
      .evidence = text(*task, own) + others_text(role, leak.measure),
      .what = std::string(leak.what),
      .saves = {},
      .sets = {},
      .numbers = {
          {std::string(leak.rate_name), per_second(own)}, {"from", own.from}, {"to", own.to}}};
}

std::string memory_text(const TaskEvidence& task, const Growth& own) {
  return fmt::format("{} grew steadily from {} to {} in {}, {}", task.name, bytes_text(own.from),
                     bytes_text(own.to), format_duration(own.span),
                     rate_text(per_second(own), 1 << 20, bytes_text));
}

/// Makes the text for things that are counted: "the threads of worker-1 rose steadily from 3 to 90
/// in ...".
auto text_on(std::string_view counted) {
  return [counted](const TaskEvidence& task, const Growth& own) {
    return fmt::format("the {} of {} rose steadily from {:.0f} to {:.0f} in {}, by {}", counted,
                       task.name, own.from, own.to, format_duration(own.span),
                       rate_text(per_second(own), 1, count_text));
  };
}

}  // namespace

void memory_leak(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice) {
  for (const RoleEvidence& role : evidence.roles) {
    std::optional<Advice> each = advice_on(kMemory, rule, role, memory_text);
    if (!each) {
      continue;
    }
    const TaskEvidence& task = *fastest(role, kMemory.measure);
    const Growth& own = *task.growths.memory_bytes;
    const auto limit = static_cast<double>(role.requested.memory_bytes);
    if (limit > own.to) {
      const double left_s = (limit - own.to) / per_second(own);
      each->numbers["limit_in_s"] = left_s;
      each->saves =
          fmt::format("the end of {} at its {}, {} later", task.name, bytes_text(limit),
                      format_duration(std::chrono::seconds(std::llround(std::min(left_s, 1e9)))));
    }
    advice.push_back(*std::move(each));
  }
}

void files_leak(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice) {
  for (const RoleEvidence& role : evidence.roles) {
    if (auto each = advice_on(kFiles, rule, role, text_on("open files"))) {
      advice.push_back(*std::move(each));
    }
  }
}

void threads_leak(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice) {
  // Each process brings its first thread along, so threads leak only if their number rises faster.
  constexpr double kThreadsPerProcess = 2;
  for (const RoleEvidence& role : evidence.roles) {
    auto threads = advice_on(kThreads, rule, role, text_on("threads"));
    auto processes = advice_on(kProcesses, rule, role, text_on("processes"));
    const auto rate = [](const Advice& each) { return each.numbers.at("per_s"); };
    const bool by_threads =
        threads && (!processes || rate(*threads) >= kThreadsPerProcess * rate(*processes));
    // Threads are counted over all processes, so one piece of advice is enough.
    if (auto& each = by_threads ? threads : processes) {
      advice.push_back(*std::move(each));
    }
  }
}

namespace {

/// A task whose disk is filling, and how much of that is due to the job.
struct Filling {
  const TaskEvidence* task = nullptr;
  const TaskEvidence* most = nullptr;    ///< The job's task on that host that writes most,
  const RoleEvidence* writer = nullptr;  ///< and its role.
  double written_per_s = 0;              ///< By all tasks of the job on that host.
  double lost_per_s = 0;                 ///< How much the disk loses, whoever writes.
  double full_in_s = 0;
};

/// As far as anybody can tell, the job's tasks on one host write to one disk; the one that writes
/// most is named.
void add_written(const Evidence& evidence, Filling& filling) {
  const job::HostName host = filling.task->host;
  double most = -1;
  for (const RoleEvidence& role : evidence.roles) {
    for (const TaskEvidence& task : role.members) {
      if (task.host != host) {
        continue;
      }
      const double own = task.disk.written_per_s.value_or(0);
      filling.written_per_s += own;
      if (own > most) {
        most = own;
        filling.writer = &role;
        filling.most = &task;
      }
    }
  }
}

/// Returns whether the job fills the disk: its tasks wrote at least half of what is lost, and at
/// least half of what they write stays. Neither is true if others fill it, or if each checkpoint
/// replaces the previous one.
bool is_by_job(const Filling& filling) {
  return 2 * filling.written_per_s >= filling.lost_per_s &&
         2 * filling.lost_per_s >= filling.written_per_s;
}

/// A task that goes on must soon fill the disk; of one that is done, the next run must.
bool is_near(const Filling& filling, double hours_max) {
  const Growth& own = *filling.task->growths.disk_bytes;
  return filling.task->whole ? filling.task->disk.left_bytes < own.to - own.from
                             : filling.full_in_s <= hours_max * 3600;
}

/// Returns the disk that will be full first; one without a task if there is none.
Filling first_full(const Rule& rule, const Evidence& evidence) {
  constexpr double kLeast = 64.0 * (1ULL << 20);
  Filling first;
  for (const RoleEvidence& role : evidence.roles) {
    for (const TaskEvidence& task : role.members) {
      const std::optional<Growth>& own = task.growths.disk_bytes;
      if (!own || !task.disk.left_bytes || own->to - own->from < kLeast) {
        continue;
      }
      Filling filling{.task = &task, .lost_per_s = per_second(*own)};
      filling.full_in_s = static_cast<double>(*task.disk.left_bytes) / filling.lost_per_s;
      add_written(evidence, filling);
      if (is_by_job(filling) && is_near(filling, rule.threshold) &&
          (first.task == nullptr || filling.full_in_s < first.full_in_s)) {
        first = filling;
      }
    }
  }
  return first;
}

}  // namespace

void disk_filling(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice) {
  const Filling filling = first_full(rule, evidence);
  if (filling.task == nullptr) {
    return;
  }
  const TaskEvidence& task = *filling.task;
  const Growth& own = *task.growths.disk_bytes;
  const auto left = static_cast<double>(*task.disk.left_bytes);
  const std::string until =
      format_duration(std::chrono::seconds(std::llround(std::min(filling.full_in_s, 1e9))));
  advice.push_back(
      {.rule = std::string(rule.name),
       .role = filling.writer->name,
       .evidence = fmt::format(
           "the free space on the disk of {} on {} fell by {} in {}, steadily, at {}; the job's "
           "tasks there wrote {}, and {} are left",
           filling.most->name, task.host.value, bytes_text(own.to - own.from),
           format_duration(own.span), rate_text(filling.lost_per_s, 1 << 20, bytes_text),
           rate_text(filling.written_per_s, 1 << 20, bytes_text), bytes_text(left)),
       .what =
           "remove old checkpoints and logs as new ones come, or write them where there is more "
           "room",
       .saves = task.whole ? "the failure of the next run because of a full disk"
                           : fmt::format("a failure because of a full disk {} later", until),
       .sets = {},
       .numbers = {{"written_per_s", filling.written_per_s},
                   {"lost_per_s", filling.lost_per_s},
                   {"left", left},
                   {"full_in_s", filling.full_in_s}}});
}

void steps_slower(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice) {
  for (const RoleEvidence& role : evidence.roles) {
    const TaskEvidence* const task = fastest(role, &Growths::step_s);
    if (task == nullptr || task->growths.step_s->from <= 0) {
      continue;
    }
    const Growth& own = *task->growths.step_s;
    const double factor = own.to / own.from;
    if (factor < rule.threshold) {
      continue;
    }
    const auto text = [](double value) {
      return format_duration(Duration(std::llround(std::min(value, 1e9) * 1e6)));
    };
    advice.push_back(
        {.rule = std::string(rule.name),
         .role = role.name,
         .evidence =
             fmt::format("a step of {} took {} at first and {} after {}, {:.1f} times as "
                         "long, and got slower all the time{}",
                         task->name, text(own.from), text(own.to), format_duration(own.span),
                         factor, others_text(role, &Growths::step_s)),
         .what = "look for what grows with the steps: lists that are walked, logs that are written "
                 "again, graphs that are kept (`muster debug JOB TASK flame` shows where the time "
                 "goes)",
         .saves = fmt::format("up to {:.0f} % of each step at the end", (1 - 1 / factor) * 100),
         .sets = {},
         .numbers = {{"factor", factor}, {"first_s", own.from}, {"last_s", own.to}}});
  }
}

}  // namespace muster::account
