#include "account/advice.h"

#include "account/held_back.h"
#include "account/rules_of_growth.h"
#include "account/rules_of_resources.h"
#include "account/rules_of_time.h"
#include "account/rules_of_waits.h"

#include <fmt/format.h>

#include <array>

namespace muster::account {
namespace {

constexpr std::array kRules = {
    Rule{.name = "memory.near_limit",
         .needs = "the memory peak of the role's tasks",
         .threshold = 0.92,
         .means = "highest peak / requested memory",
         .judge = memory_near_limit},
    Rule{.name = "memory.leak",
         .needs = "memory for 30 s or more after the first step",
         .threshold = 0.15,
         .means = "what was added / the memory at the end, rising steadily, 64 MiB at least",
         .judge = memory_leak},
    Rule{.name = "files.leak",
         .needs = "open files for 30 s or more after the first step",
         .threshold = 0.15,
         .means = "what was added / the open files at the end, rising steadily, 100 at least",
         .judge = files_leak},
    Rule{.name = "threads.leak",
         .needs = "threads and processes for 30 s or more after the first step",
         .threshold = 0.15,
         .means = "what was added / the threads at the end, rising steadily, 50 at least",
         .judge = threads_leak},
    Rule{.name = "memory.far_from_use",
         .needs = "the memory peak of every task of the role, each run to a good end or for 10 min",
         .threshold = 2,
         .means = "requested memory / what would do",
         .judge = memory_far_from_use},
    Rule{.name = "gpu.input_bound",
         .needs = "processor and GPU utilisation",
         .threshold = 0.5,
         .means = "GPU utilisation, while the processor is full",
         .judge = gpu_input_bound},
    Rule{.name = "gpu.starved",
         .needs = "processor and GPU utilisation",
         .threshold = 0.4,
         .means = "GPU utilisation, while the processor is not full either",
         .judge = gpu_starved},
    Rule{.name = "gpu.unused",
         .needs = "processor and GPU utilisation",
         .threshold = 0.05,
         .means = "GPU utilisation",
         .judge = gpu_unused},
    Rule{.name = "gpu.memory_far_from_use",
         .needs = "GPU utilisation and the GPU memory peak of every task of the role",
         .threshold = 0.25,
         .means = "highest peak / the GPUs' memory, while they are neither idle nor full",
         .judge = gpu_memory_far_from_use},
    Rule{.name = "gpu.compute_bound",
         .needs = "processor and GPU utilisation",
         .threshold = 0.85,
         .means = "GPU utilisation, while the processor is idle",
         .judge = gpu_compute_bound},
    Rule{.name = "cores.near_limit",
         .needs = "processor time",
         .threshold = 0.95,
         .means = "cores used / requested",
         .judge = cores_near_limit},
    Rule{.name = "cores.far_from_use",
         .needs = "processor time",
         .threshold = 0.5,
         .means = "peak of cores used / requested",
         .judge = cores_far_from_use},
    Rule{.name = "cores.held_back",
         .needs = "processor time, and main threads that ran or waited for a processor, for 30 s",
         .threshold = 0.6,
         .means = "cores used / what main threads could have used",
         .judge = cores_held_back},
    Rule{.name = "ps.saturated",
         .needs = "processor time of parameter servers and workers; or of workers, and bytes over "
                  "the network of hosts that tell its speed",
         .threshold = 0.85,
         .means = "cores used / requested of the parameter servers, or bytes / what the network "
                  "carries, while workers wait",
         .judge = ps_saturated},
    Rule{.name = "disk.filling",
         .needs =
             "what is left of the disk, and what tasks write, for 30 s or more after the first "
             "step",
         .threshold = 48,
         .means = "hours until the disk is full, at the rate at which the job fills it",
         .judge = disk_filling},
    Rule{.name = "steps.disk_bound",
         .needs = "what main threads wait for, and bytes read and written, at 20 moments or more "
                  "after the first step",
         .threshold = 0.5,
         .means = "the share of time in which the main thread waits for a disk",
         .judge = steps_disk_bound},
    Rule{.name = "input.behind",
         .needs = "what main threads wait for, at 12 moments or more after the first step",
         .threshold = kWaitingForChildrenMuch,
         .means = "the share of time in which the main thread waits for child processes of its own "
                  "that compute",
         .judge = input_behind},
    Rule{.name = "python.lock",
         .needs = "threads that wait for Python's global lock, at 12 moments or more after the "
                  "first step, and processor time",
         .threshold = kWaitingForLockMany,
         .means = "threads that wait for it, while one core is busy",
         .judge = python_lock},
    Rule{.name = "names.slow",
         .needs = "what main threads wait for, at 12 moments or more after the first step",
         .threshold = 0.3,
         .means = "the share of time in which the main thread waits for a name server",
         .judge = names_slow},
    Rule{.name = "steps.network_bound",
         .needs = "times of steps, and what main threads wait for, of tasks without peers",
         .threshold = 0.5,
         .means = "the share of time in which the main thread waits for a connection",
         .judge = steps_network_bound},
    Rule{.name = "steps.starved",
         .needs = "times of steps, processor time and what main threads wait for, of tasks without "
                  "peers, GPUs and Java",
         .threshold = 0.6,
         .means = "the share of time in which the main thread waits for threads of its own, while "
                  "they compute next to nothing",
         .judge = steps_starved},
    Rule{.name = "memory.short",
         .needs = "pressure of control groups (version 2), for 30 s",
         .threshold = kWaitingForMemoryMuch,
         .means = "the share of time in which the control group waited for memory",
         .judge = memory_short},
    Rule{.name = "java.garbage",
         .needs = "processor time of Java virtual machines and of their collectors, for 30 s",
         .threshold = kCollectingMuch,
         .means = "processor time of the collectors / of the task",
         .judge = java_garbage},
    Rule{.name = "rank.slow",
         .needs = "times of steps, or of whole runs of independent tasks, of 3 tasks or more; of "
                  "tasks in lockstep what share of their time they wait",
         .threshold = 1.25,
         .means = "the slowest task's time / the median of its role",
         .judge = rank_slow},
    Rule{.name = "steps.slower",
         .needs = "times of steps for 30 s or more",
         .threshold = 1.5,
         .means = "the time of a step at the end / at the start, rising steadily",
         .judge = steps_slower},
    Rule{.name = "gang.waits_for_last",
         .needs = "the first gathering, complete",
         .threshold = 0.1,
         .means = "time held while waiting for the last containers / time granted",
         .judge = gang_waits_for_last},
    Rule{.name = "checkpoint.missing",
         .needs = "2 failures or more",
         .threshold = 0.1,
         .means = "repeated time / time granted, without any checkpoint",
         .judge = checkpoint_missing},
    Rule{.name = "checkpoint.interval",
         .needs = "2 failures or more, 3 checkpoints or more, and what one costs",
         .threshold = 2,
         .means = "the interval / the best one, or the reverse",
         .judge = checkpoint_interval},
    Rule{.name = "restarts.never_help",
         .needs = "3 failures of one task in the same way, after about the same time",
         .threshold = 3,
         .means = "failures alike",
         .judge = restarts_never_help},
    Rule{.name = "tasks.too_small",
         .needs = "8 tasks or more that ended, none above 1 min",
         .threshold = 0.5,
         .means = "time not at work / time granted",
         .judge = tasks_too_small},
    Rule{.name = "staging.again",
         .needs = "3 submissions of the job, with the files they sent",
         .threshold = 3,
         .means = "uploads of a file whose content changed each time",
         .judge = staging_again},
};

/// Every rule has its own name, and says what it needs and what it counts.
consteval bool is_whole() {
  for (size_t i = 0; i < kRules.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      if (kRules[i].name == kRules[k].name) {
        return false;
      }
    }
    if (kRules[i].name.empty() || kRules[i].needs.empty() || kRules[i].means.empty()) {
      return false;
    }
  }
  return true;
}
static_assert(is_whole());

}  // namespace

std::string percent_text(double share) { return fmt::format("{:.0f} %", share * 100); }

std::vector<Advice> advise(const Evidence& evidence) {
  std::vector<Advice> advice;
  for (const Rule& rule : kRules) {
    rule.judge(rule, evidence, advice);
  }
  return advice;
}

}  // namespace muster::account
