#include "account/rules_of_time.h"

#include "account/held_back.h"
#include "account/rules_of_waits.h"
#include "base/median.h"
#include "base/text.h"
#include "job/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <ranges>
#include <tuple>

namespace muster::account {
namespace {

constexpr Duration kNoticeable = std::chrono::seconds(30);
constexpr Duration kSmallTask = std::chrono::minutes(1);

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

double share(Duration part, Duration whole) {
  return whole <= Duration::zero()
             ? 0
             : static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

std::string container_time(Duration duration) {
  return fmt::format("{} of container time", format_duration(duration));
}

Duration in(const ByClass& classes, Class what) { return classes[index_of(what)]; }

/// Returns how long a task takes for what all tasks of its role do alike; nullopt if unknown.
std::optional<Duration> pace_of(const RoleEvidence& role, const TaskEvidence& task) {
  if (task.step) {
    return task.step;
  }
  // The tasks of a gang end together, however slow one of them is.
  if (role.membership == spec::Membership::Independent && task.whole && task.ran >= kNoticeable) {
    return task.ran;
  }
  return std::nullopt;
}

/// What a slow task suffers from, and what to do about it.
struct Suspect {
  std::string text;  ///< "" if unknown.
  std::string what;
};

constexpr std::string_view kSpreadInput =
    "move its part of the input elsewhere, or spread the input evenly";

/// Returns whether a disk answers many page faults of a task, each with a few pages: then memory
/// was taken from it, or it reads a mapped file here and there. If it reads a mapped file in order,
/// each fault brings as much as the kernel reads ahead.
bool pages_come_back(const TaskEvidence& task) {
  constexpr double kFaultsMin = 20;
  constexpr double kBytesPerFaultMax = 256 << 10;
  const double faults = task.disk.faults_major_per_s.value_or(0);
  return faults >= kFaultsMin && task.disk.read_per_s.value_or(0) <= kBytesPerFaultMax * faults;
}

std::string swap_text(const TaskEvidence& task) {
  constexpr double kSwapMin = 256 << 10;
  const double bytes = task.host_use.swapped_in_per_s.value_or(0);
  return bytes < kSwapMin
             ? std::string()
             : fmt::format("; {} brought {} per second back from swap", task.host.value,
                           format_bytes(static_cast<uint64_t>(bytes)));
}

std::string paging_text(const TaskEvidence& task) {
  return pages_come_back(task) ? fmt::format(" for {:.0f} page faults{}",
                                             *task.disk.faults_major_per_s, swap_text(task))
                               : std::string();
}

constexpr double kMuchInDisk = 0.3;

/// Returns what was measured to take a task's time, whatever the other tasks do; nullopt if nothing
/// was.
std::optional<Suspect> measured_suspect(const Evidence& evidence, const TaskEvidence& slow) {
  if (is_short_of_memory(slow)) {
    return Suspect{.text = "; " + why_short_of_memory(slow), .what = after_short_of_memory(slow)};
  }
  if (is_held_back(slow)) {
    return Suspect{
        .text = fmt::format("; it used {:.1f} cores and could have used {:.1f}: {}",
                            *slow.cores.mean, *slow.cores.wanted, why_held_back(evidence, slow)),
        .what = after_held_back(slow)};
  }
  if (collecting_of(slow) >= kCollectingMuch) {
    return Suspect{
        .text = fmt::format("; its Java virtual machine spent {:.0f} % of its processor time "
                            "collecting garbage",
                            collecting_of(slow) * 100),
        .what = after_collecting()};
  }
  return std::nullopt;
}

/// For a task that computes less than the others: returns what it waits for, as far as that was
/// measured.
std::string waits_text(const TaskEvidence& slow) {
  if (std::string known = long_wait_of(slow).text; !known.empty()) {
    return known;
  }
  if (!slow.disk.waiting) {
    return "it waits, for its input or its disk";
  }
  return *slow.disk.waiting >= kMuchInDisk
             ? fmt::format(
                   "its main thread waited for a disk for {:.0f} % of the time, while it "
                   "read {} per second{}",
                   *slow.disk.waiting * 100,
                   format_bytes(static_cast<uint64_t>(slow.disk.read_per_s.value_or(0))),
                   paging_text(slow))
             : std::string("it waits, for its input, a lock or the network, not for a disk");
}

/// Returns what to do about that.
std::string after_waits(const TaskEvidence& slow) {
  std::string known = long_wait_of(slow).what;
  return known.empty() ? std::string(kSpreadInput) : known;
}

/// Suggests how to see what a program does with its time, if no measurement shows it.
std::string flame_of(const TaskEvidence& slow) {
  return fmt::format("`muster debug JOB {} flame` shows where its time goes", slow.name);
}

Suspect suspect(const Evidence& evidence, const RoleEvidence& role, const TaskEvidence& slow,
                Duration usual, double threshold) {
  const bool host_is_slow = std::ranges::any_of(role.members, [&](const TaskEvidence& other) {
    const std::optional<Duration> pace = pace_of(role, other);
    return other.name != slow.name && other.host == slow.host && pace &&
           share(*pace, usual) >= threshold;
  });
  if (host_is_slow) {
    return {.text = fmt::format("; others on {} are slow, too", slow.host.value),
            .what = fmt::format("look at host {}, or run without it", slow.host.value)};
  }
  std::vector<double> others;
  for (const TaskEvidence& task : role.members) {
    if (task.name != slow.name && task.cores.mean) {
      others.push_back(*task.cores.mean);
    }
  }
  if (others.empty() || !slow.cores.mean) {
    return {.text = {},
            .what = fmt::format("compare its input with that of the others, then its host {}",
                                slow.host.value)};
  }
  const double usual_cores = median(std::move(others));
  if (std::optional<Suspect> measured = measured_suspect(evidence, slow)) {
    return *std::move(measured);
  }
  if (*slow.cores.mean < 0.6 * usual_cores) {
    return {.text = fmt::format("; it used {:.1f} cores and the others {:.1f}: {}",
                                *slow.cores.mean, usual_cores, waits_text(slow)),
            .what = after_waits(slow)};
  }
  return {.text = fmt::format("; it used {:.1f} cores like the others: its processor is slower, or "
                              "its part of the work larger",
                              *slow.cores.mean),
          .what = fmt::format("compare the processor of {} and the size of its part; {}",
                              slow.host.value, flame_of(slow))};
}

}  // namespace

namespace {

/// For tasks in lockstep: how much less one must wait than the others, as a share of the time.
constexpr double kWaitsLess = 0.2;

/// The cores that tasks used, for comparing each task with the others.
class CoresUsed {
 public:
  /// nullopt if one of them is unknown.
  [[nodiscard]] static std::optional<CoresUsed> of(const std::vector<const TaskEvidence*>& all) {
    CoresUsed used;
    for (const TaskEvidence* task : all) {
      if (!task->cores.mean) {
        return std::nullopt;
      }
      used.sorted_.push_back(*task->cores.mean);
    }
    std::ranges::sort(used.sorted_);
    return used;
  }
  /// Returns the median of the others, for a task that used `own`. There must be another one.
  [[nodiscard]] double usual_beside(double own) const {
    const auto middle = static_cast<std::ptrdiff_t>((sorted_.size() - 1) / 2);
    const bool own_comes_first = std::ranges::lower_bound(sorted_, own) <= sorted_.begin() + middle;
    return *(sorted_.begin() + middle + (own_comes_first ? 1 : 0));
  }

 private:
  std::vector<double> sorted_;
};

/// Returns whether the others wait for a task although its main thread waits as well: for its own
/// threads (such as those that want Python's lock), which keep far more cores busy than the threads
/// of the others.
bool works_while_it_waits(const TaskEvidence& task, const CoresUsed& used) {
  return *task.cores.mean > 2 * used.usual_beside(*task.cores.mean) + 0.3;
}

/// Returns whether tasks meet by means other than threads, such as their own sockets: then nobody
/// is seen to wait for another task, or only one is, for its own threads. That they do meet in
/// every step shows in their steps, which take equally long.
bool meet_unseen(const std::vector<const TaskEvidence*>& all) {
  constexpr double kUnseen = 0.1;
  constexpr double kAlike = 1.15;
  std::vector<double> steps;
  size_t seen = 0;
  for (const TaskEvidence* task : all) {
    if (!task->step || !task->cores.wanted) {
      return false;
    }
    seen += *task->waiting >= kUnseen ? 1 : 0;
    steps.push_back(seconds(*task->step));
  }
  const auto [least, most] = std::ranges::minmax(steps);
  return (seen == 0 || (seen == 1 && all.size() > 2)) && most <= kAlike * least;
}

/// Returns the share of time for which each task waited for its peers.
std::vector<std::pair<double, const TaskEvidence*>> waits_of(
    const std::vector<const TaskEvidence*>& all, const std::optional<CoresUsed>& used) {
  const bool unseen = meet_unseen(all);
  std::vector<std::pair<double, const TaskEvidence*>> waits;
  for (const TaskEvidence* task : all) {
    double waited = *task->waiting;
    if (unseen) {
      const bool by_others = used && works_while_it_waits(*task, *used);
      const double cores =
          by_others ? std::max(*task->cores.mean, *task->cores.wanted) : *task->cores.wanted;
      const double worked = std::min(1.0, cores) + task->disk.waiting.value_or(0);
      waited = std::max(0.0, 1 - worked);
    } else if (used && works_while_it_waits(*task, *used)) {
      waited = std::min(waited, std::max(0.0, 1 - *task->cores.mean));
    }
    waits.emplace_back(waited, task);
  }
  return waits;
}

/// Returns why the others wait for it, and what to do about it.
Suspect suspect_in_lockstep(const Evidence& evidence, const TaskEvidence& slow,
                            const std::optional<CoresUsed>& cores) {
  if (std::optional<Suspect> measured = measured_suspect(evidence, slow)) {
    return *std::move(measured);
  }
  if (!cores) {
    return {.text = {}, .what = std::string(kSpreadInput)};
  }
  const double others = cores->usual_beside(*slow.cores.mean);
  const std::string used =
      fmt::format("; it used {:.1f} cores and they {:.1f}: ", *slow.cores.mean, others);
  if (works_while_it_waits(slow, *cores) && *slow.waiting > 0.5) {
    return {.text = used + "its main thread waits for threads of its own",
            .what =
                "do what its other threads do in processes: of a Python program's threads one "
                "runs at a time"};
  }
  if (*slow.cores.mean > 1.3 * others + 0.05) {
    return {.text = used + "it computes longer",
            .what = fmt::format(
                "compare the size of its part, and the processor of {}, with the others'; {}",
                slow.host.value, flame_of(slow))};
  }
  return {.text = used + waits_text(slow), .what = after_waits(slow)};
}

/// Tasks that meet in every step take the same time for a step, however slow one of them is: the
/// slow one is the one that does not wait for the others.
std::optional<Advice> slow_in_lockstep(const Rule& rule, const Evidence& evidence,
                                       const RoleEvidence& role) {
  std::vector<const TaskEvidence*> tasks;
  for (const TaskEvidence& task : role.members) {
    if (task.waiting && task.ran >= kNoticeable) {
      tasks.push_back(&task);
    }
  }
  if (role.membership == spec::Membership::Independent || tasks.size() < 2 ||
      tasks.size() < role.members.size()) {
    return std::nullopt;
  }
  const std::optional<CoresUsed> cores = CoresUsed::of(tasks);
  std::vector<std::pair<double, const TaskEvidence*>> waits = waits_of(tasks, cores);
  std::ranges::sort(waits, {}, &std::pair<double, const TaskEvidence*>::first);
  const auto [waited, slow] = waits.front();
  if (waits[1].first - waited < kWaitsLess) {
    return std::nullopt;
  }
  std::vector<double> of_others;
  for (const auto& [share, task] : waits | std::views::drop(1)) {
    of_others.push_back(share);
  }
  const double usual = median(std::move(of_others));
  const double factor = (1 - waited) / std::max(0.01, 1 - usual);
  if (factor < rule.threshold) {
    return std::nullopt;
  }
  const Suspect cause = suspect_in_lockstep(evidence, *slow, cores);
  return Advice{.rule = std::string(rule.name),
                .role = role.name,
                .evidence = fmt::format(
                    "the others wait for {} on {}: it waited for {:.0f} % of the time, and they "
                    "for {:.0f} %{}",
                    slow->name, slow->host.value, waited * 100, usual * 100, cause.text),
                .what = cause.what,
                .saves = fmt::format("up to {:.0f} % of each step", (1 - 1 / factor) * 100),
                .sets = {},
                .numbers = {{"factor", factor}, {"waiting", waited}, {"others_waiting", usual}}};
}

}  // namespace

void rank_slow(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice) {
  for (const RoleEvidence& role : evidence.roles) {
    if (std::optional<Advice> lockstep = slow_in_lockstep(rule, evidence, role)) {
      advice.push_back(*std::move(lockstep));
      continue;
    }
    std::vector<std::pair<Duration, const TaskEvidence*>> paces;
    std::vector<Duration> values;
    for (const TaskEvidence& task : role.members) {
      if (const std::optional<Duration> pace = pace_of(role, task)) {
        paces.emplace_back(*pace, &task);
        values.push_back(*pace);
      }
    }
    if (paces.size() < 3 || paces.size() < role.members.size()) {
      continue;
    }
    const Duration usual = median(std::move(values));
    const auto [slowest, task] = *std::ranges::max_element(
        paces, [](const auto& a, const auto& b) { return a.first < b.first; });
    const double factor = share(slowest, usual);
    if (factor < rule.threshold) {
      continue;
    }
    const Suspect cause = suspect(evidence, role, *task, usual, rule.threshold);
    const bool by_step = task->step.has_value();
    advice.push_back(
        {.rule = std::string(rule.name),
         .role = role.name,
         .evidence = fmt::format("{} on {} took {} {}, {:.2f} times the median of {} ({}){}",
                                 task->name, task->host.value, format_duration(slowest),
                                 by_step ? "for a step" : "in all", factor, role.name,
                                 format_duration(usual), cause.text),
         .what = cause.what,
         .saves = by_step ? fmt::format("up to {:.0f} % of the run, where the others wait for it",
                                        (1 - 1 / factor) * 100)
                          : fmt::format("{} at the end", format_duration(slowest - usual)),
         .sets = {},
         .numbers = {
             {"factor", factor}, {"slowest_s", seconds(slowest)}, {"median_s", seconds(usual)}}});
  }
}

namespace {

/// Returns the task of a role that waits most for its disk; nullptr if this is known for none.
const TaskEvidence* most_in_disk(const RoleEvidence& role) {
  const auto found = std::ranges::max_element(
      role.members, {}, [](const TaskEvidence& task) { return task.disk.waiting.value_or(-1); });
  return found == role.members.end() || !found->disk.waiting ? nullptr : &*found;
}

/// Among a role's tasks that ran long enough to tell, returns the one that lost the largest `share`
/// of its time; nullptr if that is less than `least`, which is more than 0.
template <class Share>
const TaskEvidence* most_hindered(const RoleEvidence& role, double least, Share share) {
  const auto known = [&](const TaskEvidence& task) {
    return task.ran < kNoticeable ? 0 : share(task);
  };
  const auto found = std::ranges::max_element(role.members, {}, known);
  return found == role.members.end() || known(*found) < least ? nullptr : &*found;
}

/// " (3 of 4 tasks waited as much)"; "" if there is only one.
std::string alike_text(const RoleEvidence& role, ptrdiff_t many, std::string_view verb) {
  return role.members.size() < 2
             ? std::string()
             : fmt::format(" ({} of {} tasks {} as much)", many, role.members.size(), verb);
}

/// "; others wrote 80 MiB per second to the disks of h1", if they write most of it.
std::string others_on_disk(const Evidence& evidence, const TaskEvidence& task) {
  double own = 0;
  for (const RoleEvidence& role : evidence.roles) {
    for (const TaskEvidence& each : role.members) {
      own += each.host == task.host ? each.disk.written_per_s.value_or(0) : 0;
    }
  }
  const double others = task.host_use.written_per_s.value_or(0) - own;
  return others > std::max(own, 1e6)
             ? fmt::format("; others wrote {} per second to the disks of {}",
                           format_bytes(static_cast<uint64_t>(others)), task.host.value)
             : std::string();
}

}  // namespace

void steps_disk_bound(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice) {
  for (const RoleEvidence& role : evidence.roles) {
    const TaskEvidence* const task = most_in_disk(role);
    if (task == nullptr || !task->disk.read_per_s || !task->disk.written_per_s ||
        *task->disk.waiting < rule.threshold || is_short_of_memory(*task)) {
      continue;  // Waiting for memory looks like that, too; memory_short() reports it.
    }
    const auto many = std::ranges::count_if(role.members, [&](const TaskEvidence& each) {
      return each.disk.waiting.value_or(0) >= rule.threshold;
    });
    constexpr double kNothing = 4096;
    const bool reads = *task->disk.read_per_s > *task->disk.written_per_s;
    const double moved = reads ? *task->disk.read_per_s : *task->disk.written_per_s;
    advice.push_back(
        {.rule = std::string(rule.name),
         .role = role.name,
         .evidence = fmt::format(
             "the main thread of {} waited for a disk for {:.0f} % of the time{}, while it {} {} "
             "per second{}{}",
             task->name, *task->disk.waiting * 100, alike_text(role, many, "waited"),
             reads ? "read" : "wrote", format_bytes(static_cast<uint64_t>(moved)),
             paging_text(*task), others_on_disk(evidence, *task)),
         .what =
             pages_come_back(*task)
                 ? "check whether its memory is short: what it maps or holds is taken from it "
                   "and read again; request more, or read a mapped file in order"
             : moved < kNothing ? "find out what it waits for with `muster stacks`: a network file "
                                  "system, or a lock in the kernel"
             : reads ? "read ahead by other threads or processes (`num_workers`, `prefetch`), or "
                       "put the input on a faster disk"
                     : "write less often and more at once, call fsync() only at checkpoints, and "
                       "let a separate thread write them",
         .saves = fmt::format("up to {:.0f} % of each step", *task->disk.waiting * 100),
         .sets = {},
         .numbers = {{"disk_waiting", *task->disk.waiting},
                     {"read_per_s", *task->disk.read_per_s},
                     {"written_per_s", *task->disk.written_per_s}}});
  }
}

void memory_short(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice) {
  for (const RoleEvidence& role : evidence.roles) {
    const TaskEvidence* const task = most_hindered(
        role, rule.threshold,
        [](const TaskEvidence& each) { return each.hindrances.memory_waiting.value_or(0); });
    if (task == nullptr) {
      continue;
    }
    advice.push_back(
        {.rule = std::string(rule.name),
         .role = role.name,
         .evidence =
             fmt::format("{}: {}{}", task->name, why_short_of_memory(*task), swap_text(*task)),
         .what = after_short_of_memory(*task),
         .saves = fmt::format("up to {:.0f} % of the run", *task->hindrances.memory_waiting * 100),
         .sets = {},
         .numbers = {{"memory_waiting", *task->hindrances.memory_waiting},
                     {"over_high_per_s", task->hindrances.over_high_per_s.value_or(0)}}});
  }
}

void java_garbage(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice) {
  for (const RoleEvidence& role : evidence.roles) {
    const TaskEvidence* const task = most_hindered(role, rule.threshold, collecting_of);
    if (task == nullptr) {
      continue;
    }
    const auto many = std::ranges::count_if(role.members, [&](const TaskEvidence& each) {
      return collecting_of(each) >= rule.threshold;
    });
    const double share = collecting_of(*task);
    advice.push_back(
        {.rule = std::string(rule.name),
         .role = role.name,
         .evidence = fmt::format(
             "the Java virtual machine of {} spent {:.0f} % of its processor time collecting "
             "garbage{}",
             task->name, share * 100, alike_text(role, many, "did")),
         .what = after_collecting(),
         .saves = fmt::format("up to {:.0f} % of its processor time", share * 100),
         .sets = {},
         .numbers = {{"collecting", share},
                     {"collector_cores", *task->hindrances.collector_cores}}});
  }
}

void gang_waits_for_last(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice) {
  if (evidence.barrier != spec::Barrier::Gang) {
    return;
  }
  std::vector<Time> grants;
  for (const RoleEvidence& role : evidence.roles) {
    grants.insert(grants.end(), role.first_grants.begin(), role.first_grants.end());
  }
  std::ranges::sort(grants);
  if (grants.size() < 3) {
    return;
  }
  const Time last = grants.back();
  Duration idle{};
  for (const Time grant : grants) {
    idle += last - grant;
  }
  const Time middle = grants[(grants.size() - 1) / 2];
  // A grant is late if it came in the second half of the wait that began when half of them were
  // there.
  const auto late = std::ranges::count_if(
      grants, [&](Time grant) { return grant > middle + (last - middle) / 2; });
  if (last - middle < kNoticeable || 2 * static_cast<size_t>(late) >= grants.size() ||
      share(idle, evidence.account.granted) < rule.threshold) {
    return;
  }
  const auto role = std::ranges::find_if(evidence.roles, [&](const RoleEvidence& each) {
    return !each.first_grants.empty() && each.first_grants.back() == last;
  });
  Advice each{.rule = std::string(rule.name),
              .role = role->name,
              .evidence = fmt::format("{} of {} containers were held for {} until the last {} came",
                                      grants.size() - static_cast<size_t>(late), grants.size(),
                                      format_duration(last - middle),
                                      late == 1 ? "one" : std::to_string(late)),
              .what = {},
              .saves = container_time(idle),
              .sets = {},
              .numbers = {{"idle_container_s", seconds(idle)},
                          {"waited_s", seconds(last - middle)},
                          {"late", static_cast<double>(late)}}};
  const uint32_t missing = static_cast<uint32_t>(late) * role->tasks_per_container;
  if (role->membership == spec::Membership::Independent) {
    each.what = "start each task as its container comes";
    each.sets = {"barrier=as_granted"};
  } else if (role->tasks_min == role->tasks && role->tasks > missing) {
    each.what = fmt::format("let the job start with {} of {} {}", role->tasks - missing,
                            role->tasks, role->name);
    each.sets = {fmt::format("roles.{}.min={}", role->name, role->tasks - missing),
                 fmt::format("roles.{}.max={}", role->name, role->tasks)};
  } else {
    each.what = "request fewer containers, or smaller ones, or use a queue with more room";
  }
  advice.push_back(std::move(each));
}

namespace {

uint64_t origins(const Evidence& evidence) {
  return static_cast<uint64_t>(std::ranges::count_if(evidence.failures, &Failed::origin));
}

}  // namespace

void checkpoint_missing(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice) {
  const Duration lost = in(evidence.account.classes, Class::Repeated);
  const bool guessed = 2 * evidence.account.guessed > lost;
  const uint64_t failures = origins(evidence);
  if (!evidence.commits.empty() || failures < 2 ||
      share(lost, evidence.account.granted) < rule.threshold) {
    return;
  }
  advice.push_back(
      {.rule = std::string(rule.name),
       .role = {},
       .evidence = fmt::format("{} lost {}{} ({:.0f} % of all), and no checkpoint was complete",
                               job::count_of(failures, "failure"), guessed ? "up to " : "",
                               container_time(lost), share(lost, evidence.account.granted) * 100),
       .what = guessed ? "write checkpoints to MUSTER_CHECKPOINT_DIR and begin with the newest one "
                         "there; if the program keeps its own, let it report its steps, and only "
                         "what it repeats is counted"
                       : "write checkpoints to MUSTER_CHECKPOINT_DIR and begin with the newest "
                         "one there",
       .saves = fmt::format("most of {}", container_time(lost)),
       .sets = {},
       .numbers = {{"failures", static_cast<double>(failures)}, {"lost_s", seconds(lost)}}});
}

void checkpoint_interval(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice) {
  const uint64_t failures = origins(evidence);
  if (failures < 2 || !evidence.checkpoint_cost || !evidence.checkpoint_every ||
      *evidence.checkpoint_cost <= Duration::zero() ||
      *evidence.checkpoint_every <= Duration::zero()) {
    return;
  }
  const Duration between = evidence.ran / static_cast<int64_t>(failures);
  const Duration cost = *evidence.checkpoint_cost;
  const Duration best = best_checkpoint_interval(cost, between);
  const Duration now = *evidence.checkpoint_every;
  if (best <= Duration::zero() || std::max(share(now, best), share(best, now)) < rule.threshold) {
    return;
  }
  // The share of time that is lost: a checkpoint per interval, and half an interval per failure.
  const auto waste = [&](Duration every) {
    return share(cost, every) + share(every / 2 + cost, between);
  };
  const double saved = std::max(0.0, waste(now) - waste(best));
  advice.push_back({.rule = std::string(rule.name),
                    .role = {},
                    .evidence = fmt::format(
                        "a checkpoint every {} costs {}, and a failure came every {}: too {}",
                        format_duration(now), format_duration(cost), format_duration(between),
                        now > best ? "rare" : "often"),
                    .what = fmt::format("save every {} (Young and Daly)", format_duration(best)),
                    .saves = fmt::format("{:.0f} % of the run", saved * 100),
                    .sets = {},
                    .numbers = {{"interval_s", seconds(now)},
                                {"best_s", seconds(best)},
                                {"cost_s", seconds(cost)},
                                {"between_failures_s", seconds(between)},
                                {"saved", saved}}});
}

void restarts_never_help(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice) {
  // Alike means: the same task, the same class, after about the same time.
  std::map<std::pair<job::TaskId, std::string>, std::vector<const Failed*>> alike;
  for (const Failed& failed : evidence.failures) {
    if (failed.origin && !failed.class_name.empty()) {
      alike[{failed.attempt.task, failed.class_name}].push_back(&failed);
    }
  }
  for (const auto& [key, failures] : alike) {
    if (static_cast<double>(failures.size()) < rule.threshold) {
      continue;
    }
    const auto [least, most] = std::ranges::minmax(
        failures, [](const Failed* a, const Failed* b) { return a->ran < b->ran; });
    const bool got_further = most->ran > least->ran * 5 / 4 + std::chrono::seconds(2) ||
                             std::ranges::any_of(evidence.commits, [&](const Commit& commit) {
                               return commit.at > failures.front()->at;
                             });
    if (got_further || evidence.restarts_allowed <= 1) {
      continue;
    }
    Duration lost{};
    for (size_t i = 1; i < failures.size(); ++i) {
      lost += failures[i]->ran;
    }
    advice.push_back(
        {.rule = std::string(rule.name),
         .role = {},
         .evidence = fmt::format("a task failed {} times as {}, each time after about {}",
                                 failures.size(), key.second, format_duration(most->ran)),
         .what = "restart at most once, and fix the cause",
         .saves = fmt::format("{} of runs of that task that could not succeed",
                              format_duration(std::max(lost, Duration::zero()))),
         .sets = {"restart.process=1", "restart.container=0", "restart.host=0"},
         .numbers = {{"failures", static_cast<double>(failures.size())},
                     {"ran_s", seconds(most->ran)}}});
    return;  // One is enough, as all of them set the same keys.
  }
}

void tasks_too_small(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice) {
  for (const RoleEvidence& role : evidence.roles) {
    const bool small = role.tasks >= 8 && role.tasks_per_container == 1 &&
                       std::ranges::all_of(role.members, [](const TaskEvidence& task) {
                         return task.whole && task.ran <= kSmallTask;
                       });
    const Duration around = in(role.classes, Class::Gathering) + in(role.classes, Class::Starting) +
                            in(role.classes, Class::Ending);
    if (!small || share(around, role.granted) < rule.threshold) {
      continue;
    }
    std::vector<Duration> runs;
    for (const TaskEvidence& task : role.members) {
      runs.push_back(task.ran);
    }
    const uint32_t together = std::min<uint32_t>(8, role.tasks);
    advice.push_back(
        {.rule = std::string(rule.name),
         .role = role.name,
         .evidence = fmt::format("{} of {} ran for {} each, and {:.0f} % of their containers' time "
                                 "went by before and after",
                                 role.tasks, role.name, format_duration(median(std::move(runs))),
                                 share(around, role.granted) * 100),
         .what = fmt::format("put {} tasks into a container, or more work into a task", together),
         .saves = container_time(around - around / together),
         .sets = {fmt::format("roles.{}.tasks_per_container={}", role.name, together)},
         .numbers = {{"overhead", share(around, role.granted)}, {"proposed", together}}});
  }
}

}  // namespace muster::account
