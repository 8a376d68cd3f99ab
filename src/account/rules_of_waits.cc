#include "account/rules_of_waits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <optional>
#include <string_view>

namespace muster::account {
namespace {

constexpr Duration kLongEnough = std::chrono::seconds(30);
/// Cores: a task that keeps this much of one busy has a thread that does nothing else.
constexpr double kOneBusy = 0.7;
/// What one thread at a time can use, plus a little native code beside it.
constexpr double kOneAtATime = 1.4;

/// Among a role's tasks that ran long enough to tell, returns the one with the largest `value`;
/// nullptr if that is less than `least` or unknown.
template <class Value>
const TaskEvidence* most(const RoleEvidence& role, double least, Value value) {
  const auto known = [&](const TaskEvidence& task) {
    return task.ran < kLongEnough ? -1 : value(task).value_or(-1);
  };
  const auto found = std::ranges::max_element(role.members, {}, known);
  return found == role.members.end() || known(*found) < least ? nullptr : &*found;
}

/// " (3 of 4 tasks alike)"; "" if there is only one.
template <class Value>
std::string alike_text(const RoleEvidence& role, double least, Value value) {
  const auto many = std::ranges::count_if(
      role.members, [&](const TaskEvidence& task) { return value(task).value_or(-1) >= least; });
  return role.members.size() < 2
             ? std::string()
             : fmt::format(" ({} of {} tasks did so)", many, role.members.size());
}

/// Returns how many cores a task kept busy, or would have on a host of its own.
double busy_of(const TaskEvidence& task) {
  return std::max(task.cores.mean.value_or(0), task.cores.wanted.value_or(0));
}

/// Tasks that meet in every step wait for each other, by whatever means, even across roles.
bool has_peers(const Evidence& evidence, const RoleEvidence& role) {
  size_t coupled = 0;
  for (const RoleEvidence& each : evidence.roles) {
    coupled += each.membership == spec::Membership::Independent ? 0 : each.members.size();
  }
  return role.membership != spec::Membership::Independent && coupled > 1;
}

std::string look_at(const TaskEvidence& task) {
  return fmt::format("`muster stacks JOB {}` shows where", task.name);
}

}  // namespace

void input_behind(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice) {
  const auto waited = [](const TaskEvidence& task) { return task.waits.children; };
  for (const RoleEvidence& role : evidence.roles) {
    const TaskEvidence* const task = most(role, rule.threshold, waited);
    // With GPUs, other rules consider both.
    if (task == nullptr || !task->cores.mean || role.requested.gpus > 0) {
      continue;
    }
    const double busy = busy_of(*task);
    const double share = *task->waits.children;
    const auto used = static_cast<uint32_t>(std::max(1.0, std::round(busy)));
    const auto wanted =
        static_cast<uint32_t>(std::ceil(used * std::min(4.0, 1 / std::max(0.05, 1 - share))));
    const bool fits = wanted <= role.requested.vcores;
    advice.push_back(
        {.rule = std::string(rule.name),
         .role = role.name,
         .evidence = fmt::format(
             "the main thread of {} waited for its own child processes for {} of the time{}, and "
             "all of it kept {:.1f} cores busy: what prepares its input does not keep up",
             task->name, percent_text(share), alike_text(role, rule.threshold, waited), busy),
         .what =
             busy < kOneBusy
                 ? "see what the child processes wait for: a disk, a network file system, a "
                   "server (" +
                       look_at(*task) + ")"
                 : fmt::format("prepare it with about {} child processes (`num_workers`){}, or "
                               "beforehand",
                               wanted, fits ? "" : fmt::format(" and request {} cores", wanted)),
         .saves = fmt::format("up to {} of each step", percent_text(share)),
         .sets = busy < kOneBusy || fits ? std::vector<std::string>()
                                         : std::vector<std::string>{fmt::format(
                                               "roles.{}.vcores={}", role.name, wanted)},
         .numbers = {{"child_waiting", share}, {"busy", busy}, {"proposed", wanted}}});
  }
}

bool is_behind_with_input(const TaskEvidence& task) {
  return task.waits.children.value_or(0) >= kWaitingForChildrenMuch;
}

bool is_held_by_lock(const TaskEvidence& task) {
  const double busy = busy_of(task);
  return task.waits.python_lock.value_or(0) >= kWaitingForLockMany && busy >= kOneBusy &&
         task.cores.mean.value_or(0) <= kOneAtATime;
}

void python_lock(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice) {
  const auto waiting = [](const TaskEvidence& task) {
    return is_held_by_lock(task) ? task.waits.python_lock : std::nullopt;
  };
  for (const RoleEvidence& role : evidence.roles) {
    const TaskEvidence* const task = most(role, rule.threshold, waiting);
    if (task == nullptr) {
      continue;
    }
    const double threads = *task->waits.python_lock;
    const double cores = task->cores.mean.value_or(0);
    advice.push_back(
        {.rule = std::string(rule.name),
         .role = role.name,
         .evidence = fmt::format(
             "on average {:.1f} threads of {} waited for Python's global lock (GIL){}, and all of "
             "them used {:.1f} cores: one of them runs at a time",
             threads, task->name, alike_text(role, rule.threshold, waiting), cores),
         .what = "do their work in processes (`multiprocessing`, `num_workers`), or in libraries "
                 "that release the lock; more cores do not help them",
         .saves = fmt::format("up to {} of the time of that work",
                              percent_text(threads / (threads + 1))),
         .sets = {},
         .numbers = {{"waiting_threads", threads}, {"used", cores}}});
  }
}

void names_slow(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice) {
  const auto waited = [](const TaskEvidence& task) { return task.waits.name_server; };
  for (const RoleEvidence& role : evidence.roles) {
    const TaskEvidence* const task = most(role, rule.threshold, waited);
    if (task == nullptr) {
      continue;
    }
    const double share = *task->waits.name_server;
    advice.push_back(
        {.rule = std::string(rule.name),
         .role = role.name,
         .evidence =
             fmt::format("the main thread of {} waited for the answer of a name server for "
                         "{} of the time{}",
                         task->name, percent_text(share), alike_text(role, rule.threshold, waited)),
         .what = fmt::format("look at `/etc/resolv.conf` of {} for a server that does not answer "
                             "(`muster stacks JOB {}` names it), and look a name up once, not for "
                             "each request",
                             task->host.value, task->name),
         .saves = fmt::format("up to {} of the run", percent_text(share)),
         .sets = {},
         .numbers = {{"name_waiting", share}}});
  }
}

void steps_network_bound(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice) {
  const auto waited = [](const TaskEvidence& task) {
    // Servers naturally wait for their clients; they take no steps.
    const bool is_by_names = 2 * task.waits.name_server.value_or(0) > task.waits.socket.value_or(0);
    return task.step && !is_by_names ? task.waits.socket : std::nullopt;
  };
  for (const RoleEvidence& role : evidence.roles) {
    const TaskEvidence* const task = most(role, rule.threshold, waited);
    if (task == nullptr || has_peers(evidence, role)) {
      continue;
    }
    const double share = *task->waits.socket;
    advice.push_back(
        {.rule = std::string(rule.name),
         .role = role.name,
         .evidence =
             fmt::format("the main thread of {} waited for the other end of a connection for {} of "
                         "the time{}, and used {:.1f} cores",
                         task->name, percent_text(share), alike_text(role, rule.threshold, waited),
                         task->cores.mean.value_or(0)),
         .what = fmt::format(
             "ask for the next while it works on the last (threads, `prefetch`), ask for more at "
             "once, or find out why the other end is slow (`muster stacks JOB {}` names it)",
             task->name),
         .saves = fmt::format("up to {} of each step", percent_text(share)),
         .sets = {},
         .numbers = {{"socket_waiting", share}}});
  }
}

void steps_starved(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice) {
  constexpr double kNextToNothing = 0.3;  // Cores.
  const auto waited = [](const TaskEvidence& task) {
    // The first thread of a Java virtual machine always waits for another one.
    const bool is_java = task.hindrances.collector_cores.has_value();
    return task.step && task.cores.mean && !is_java && busy_of(task) < kNextToNothing
               ? task.waiting
               : std::nullopt;
  };
  for (const RoleEvidence& role : evidence.roles) {
    const TaskEvidence* const task = most(role, rule.threshold, waited);
    if (task == nullptr || has_peers(evidence, role) || role.requested.gpus > 0) {
      continue;
    }
    const double share = *task->waiting;
    advice.push_back(
        {.rule = std::string(rule.name),
         .role = role.name,
         .evidence =
             fmt::format("the main thread of {} waited for threads of its own for {} of the "
                         "time{}, and all of them used {:.1f} cores: they do not keep up with it",
                         task->name, percent_text(share), alike_text(role, rule.threshold, waited),
                         *task->cores.mean),
         .what = fmt::format(
             "see what its other threads wait for ({}), and let more of them work in parallel",
             look_at(*task)),
         .saves = fmt::format("up to {} of each step", percent_text(share)),
         .sets = {},
         .numbers = {{"waiting", share}, {"used", *task->cores.mean}}});
  }
}

LongWait long_wait_of(const TaskEvidence& task) {
  constexpr double kMuch = 0.3;
  struct Kind {
    std::optional<double> share;
    std::string_view text;
    std::string_view what;
  };
  const MainWaits& waits = task.waits;
  const std::array kinds = {
      Kind{waits.sleeping, "its main thread slept for {} of the time",
           "find out where it sleeps: {}; it may be a pause before another try"},
      Kind{waits.name_server,
           "its main thread waited for the answer of a name server for {} of the time",
           "look at `/etc/resolv.conf` of its host; {}"},
      Kind{waits.socket,
           "its main thread waited for the other end of a connection for {} of the time",
           "find out why the other end is slow: {}"},
      Kind{waits.children, "its main thread waited for its own child processes for {} of the time",
           "see why its child processes take longer than those of the others: {}"},
  };
  // If two are equally long, the first says more.
  const auto longest =
      std::ranges::max_element(kinds, {}, [](const Kind& kind) { return kind.share.value_or(0); });
  if (longest->share.value_or(0) < kMuch) {
    return {};
  }
  return {.text = fmt::format(fmt::runtime(longest->text), percent_text(*longest->share)),
          .what = fmt::format(fmt::runtime(longest->what), look_at(task))};
}

}  // namespace muster::account
