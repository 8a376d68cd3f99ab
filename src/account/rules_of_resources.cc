#include "account/rules_of_resources.h"

#include "account/held_back.h"
#include "account/rules_of_waits.h"
#include "base/text.h"
#include "job/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace muster::account {
namespace {

constexpr uint64_t kMebibyte = 1ULL << 20;
/// Proposals are multiples of this, with a quarter above the peak.
constexpr uint64_t kMemoryStep = 32 * kMebibyte;
constexpr uint64_t kMemorySaved =
    256 * kMebibyte;  ///< Less than this per task is not worth mentioning.
constexpr Duration kLongRun = std::chrono::minutes(10);
constexpr double kFullProcessor = 0.85;
constexpr double kIdleProcessor = 0.4;
constexpr double kFullGpu = 0.85;
constexpr double kIdleGpu = 0.05;

std::string set_of(const RoleEvidence& role, std::string_view key, std::string_view value) {
  return fmt::format("roles.{}.{}={}", role.name, key, value);
}

uint64_t memory_for(uint64_t peak) {
  const uint64_t wanted = peak + peak / 4;
  return std::max<uint64_t>((wanted + kMemoryStep - 1) / kMemoryStep, 1) * kMemoryStep;
}

std::string memory_text(uint64_t bytes) { return fmt::format("{}m", bytes / kMebibyte); }

const TaskEvidence* highest_peak(const RoleEvidence& role) {
  const auto found = std::ranges::max_element(role.members, {}, [](const TaskEvidence& task) {
    return task.memory_peak_bytes.value_or(0);
  });
  return found == role.members.end() || !found->memory_peak_bytes ? nullptr : &*found;
}

bool ran_enough(const TaskEvidence& task) { return task.whole || task.ran >= kLongRun; }

/// Returns the role's mean of a value per task; nullopt if any task lacks it.
template <class Value>
std::optional<double> mean_of(const RoleEvidence& role, Value value) {
  double sum = 0;
  for (const TaskEvidence& task : role.members) {
    const std::optional<double> each = value(task);
    if (!each || !ran_enough(task)) {
      return std::nullopt;
    }
    sum += *each;
  }
  return role.members.empty() ? std::nullopt
                              : std::optional(sum / static_cast<double>(role.members.size()));
}

std::optional<double> cores_of(const RoleEvidence& role) {
  return mean_of(role, [](const TaskEvidence& task) { return task.cores.mean; });
}

/// Returns how many of the processors that its role requests a task would have used on a host of
/// its own; 0 if unknown.
double wanted_of(const TaskEvidence& task, const RoleEvidence& role) {
  return std::min(task.cores.wanted.value_or(0), static_cast<double>(role.requested.vcores));
}

/// Returns how many of the requested processors the tasks kept busy, or would have if others had
/// not kept their hosts busy.
std::optional<double> demand_of(const RoleEvidence& role) {
  return mean_of(role, [&](const TaskEvidence& task) {
    return task.cores.mean ? std::optional(std::max(*task.cores.mean, wanted_of(task, role)))
                           : std::nullopt;
  });
}

/// " (it could have used 1.0: others kept the host busy, or a limit held it back)", if it got less
/// than it wanted.
std::string busy_host_text(double used, double demand) {
  constexpr double kGot = 0.85;
  return used >= kGot * demand
             ? std::string()
             : fmt::format(
                   " (it could have used {:.1f}: others kept the host busy, or a limit of "
                   "its container held it back)",
                   demand);
}

std::optional<double> gpu_of(const RoleEvidence& role) {
  return mean_of(role, [](const TaskEvidence& task) { return task.gpu.mean; });
}

/// Returns whether some task took memory on its GPUs: it has then found them, however little they
/// do for it.
bool found_its_gpus(const RoleEvidence& role) {
  // CUDA alone takes more than this, in each process that uses a GPU.
  constexpr uint64_t kTakenMin = 64 * kMebibyte;
  return std::ranges::any_of(role.members, [](const TaskEvidence& task) {
    return task.gpu.memory_first_bytes &&
           task.gpu.memory_peak_bytes.value_or(0) >= *task.gpu.memory_first_bytes + kTakenMin;
  });
}

/// Returns whether its GPUs did nothing, and no task is known to have found them.
bool has_unused_gpus(const RoleEvidence& role, double gpu) {
  return gpu < kIdleGpu && !found_its_gpus(role);
}

/// Returns the highest of its tasks' peaks; nullopt if any task lacks one.
std::optional<double> peak_cores_of(const RoleEvidence& role) {
  double peak = 0;
  for (const TaskEvidence& task : role.members) {
    if (!task.cores.peak || !ran_enough(task)) {
      return std::nullopt;
    }
    peak = std::max({peak, *task.cores.peak, wanted_of(task, role)});
  }
  return role.members.empty() ? std::nullopt : std::optional(peak);
}

/// Returns whether it is busy with about one core of several: then one thread does it all.
bool is_one_thread(const RoleEvidence& role, double demand) {
  return role.requested.vcores > 1 && demand > 0.8 && demand < 1.3;
}

uint32_t cores_for(double peak) {
  return std::max<uint32_t>(1, static_cast<uint32_t>(std::ceil(peak * 1.2)));
}

std::string cores(uint32_t count) { return job::count_of(count, "core"); }

void advise_fewer_cores(const Rule& rule, const RoleEvidence& role, double peak, std::string beside,
                        std::vector<Advice>& advice) {
  const uint32_t wanted = cores_for(peak);
  const uint32_t saved = (role.requested.vcores - wanted) * role.tasks;
  advice.push_back(
      {.rule = std::string(rule.name),
       .role = role.name,
       .evidence = fmt::format("{} used at most {:.1f} of {}{}", role.name, peak,
                               cores(role.requested.vcores), beside),
       .what = fmt::format("request {} per task", cores(wanted)),
       .saves = fmt::format("{}, for others or for more tasks", cores(saved)),
       .sets = {set_of(role, "vcores", std::to_string(wanted))},
       .numbers = {{"requested", role.requested.vcores}, {"used", peak}, {"proposed", wanted}}});
}

}  // namespace

void memory_near_limit(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice) {
  for (const RoleEvidence& role : evidence.roles) {
    const TaskEvidence* const top = highest_peak(role);
    const auto over = std::ranges::find_if(role.members, &TaskEvidence::over_memory);
    const uint64_t requested = role.requested.memory_bytes;
    if (requested == 0 || (top == nullptr && over == role.members.end())) {
      continue;
    }
    const uint64_t peak = top == nullptr ? requested : *top->memory_peak_bytes;
    if (over == role.members.end() &&
        static_cast<double>(peak) < rule.threshold * static_cast<double>(requested)) {
      continue;
    }
    // A task that was ended because of its memory may have wanted any amount more.
    const uint64_t wanted = over == role.members.end()
                                ? memory_for(peak)
                                : memory_for(std::max(peak, requested) * 6 / 5);
    const std::string evidence_text =
        over == role.members.end()
            ? fmt::format("{} used up to {} of the {} that each task of {} may use", top->name,
                          format_bytes(peak), format_bytes(requested), role.name)
            : fmt::format("{} was ended because it wanted more than its {}", over->name,
                          format_bytes(requested));
    advice.push_back({.rule = std::string(rule.name),
                      .role = role.name,
                      .evidence = evidence_text,
                      .what = fmt::format("request {} per task", format_bytes(wanted)),
                      .saves = "the loss of a run that goes over its memory",
                      .sets = {set_of(role, "memory", memory_text(wanted))},
                      .numbers = {{"requested", static_cast<double>(requested)},
                                  {"used", static_cast<double>(peak)},
                                  {"proposed", static_cast<double>(wanted)}}});
  }
}

void memory_far_from_use(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice) {
  for (const RoleEvidence& role : evidence.roles) {
    const TaskEvidence* const top = highest_peak(role);
    const bool complete = std::ranges::all_of(role.members, [](const TaskEvidence& task) {
      // A task that is still growing has not yet shown what it needs.
      return task.memory_peak_bytes && ran_enough(task) && !task.over_memory &&
             !task.growths.memory_bytes;
    });
    if (top == nullptr || !complete) {
      continue;
    }
    const uint64_t requested = role.requested.memory_bytes;
    const uint64_t wanted = memory_for(*top->memory_peak_bytes);
    if (static_cast<double>(requested) < rule.threshold * static_cast<double>(wanted) ||
        requested - wanted < kMemorySaved) {
      continue;
    }
    const double saved_gib_hours =
        static_cast<double>(requested - wanted) / static_cast<double>(1ULL << 30) *
        role.tasks_per_container *
        std::chrono::duration<double, std::ratio<3600>>(role.granted).count();
    advice.push_back(
        {.rule = std::string(rule.name),
         .role = role.name,
         .evidence = fmt::format("{} used at most {} (task {}) of the {} that each task requested",
                                 role.name, format_bytes(*top->memory_peak_bytes), top->name,
                                 format_bytes(requested)),
         .what = fmt::format("request {} per task: the peak plus a quarter", format_bytes(wanted)),
         .saves = fmt::format("{} at a time, {:.1f} GiB-hours of this run",
                              format_bytes((requested - wanted) * role.tasks), saved_gib_hours),
         .sets = {set_of(role, "memory", memory_text(wanted))},
         .numbers = {{"requested", static_cast<double>(requested)},
                     {"used", static_cast<double>(*top->memory_peak_bytes)},
                     {"proposed", static_cast<double>(wanted)},
                     {"saved_gib_hours", saved_gib_hours}}});
  }
}

void cores_near_limit(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice) {
  for (const RoleEvidence& role : evidence.roles) {
    const std::optional<double> used = cores_of(role);
    const uint32_t requested = role.requested.vcores;
    // With GPUs, another rule considers both.
    if (!used || requested == 0 || role.requested.gpus > 0 || *used < rule.threshold * requested ||
        std::ranges::any_of(role.members, is_held_by_lock)) {
      continue;  // Threads that run one at a time have no use for more.
    }
    const uint32_t wanted = requested + std::max<uint32_t>(1, requested / 2);
    advice.push_back(
        {.rule = std::string(rule.name),
         .role = role.name,
         .evidence = fmt::format("{} kept {:.1f} of its {} busy all the time", role.name, *used,
                                 cores(requested)),
         .what = fmt::format("request {} per task, if the program can use them", cores(wanted)),
         .saves = "time, if the processor is what holds it up",
         .sets = {set_of(role, "vcores", std::to_string(wanted))},
         .numbers = {{"requested", requested}, {"used", *used}, {"proposed", wanted}}});
  }
}

void cores_held_back(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice) {
  constexpr Duration kNoticeable = std::chrono::seconds(30);
  for (const RoleEvidence& role : evidence.roles) {
    const TaskEvidence* most = nullptr;
    uint32_t many = 0;
    for (const TaskEvidence& task : role.members) {
      const double wanted = wanted_of(task, role);
      if (!is_held_back(task) || task.ran < kNoticeable ||
          *task.cores.mean > rule.threshold * wanted) {
        continue;
      }
      ++many;
      if (most == nullptr ||
          wanted - *task.cores.mean > wanted_of(*most, role) - *most->cores.mean) {
        most = &task;
      }
    }
    if (most == nullptr) {
      continue;
    }
    const double wanted = wanted_of(*most, role);
    const std::string others =
        role.members.size() < 2
            ? std::string()
            : fmt::format(" ({} of {} tasks were held back like this)", many, role.members.size());
    advice.push_back(
        {.rule = std::string(rule.name),
         .role = role.name,
         .evidence =
             fmt::format("{} used {:.1f} cores and could have used {:.1f}{}: {}", most->name,
                         *most->cores.mean, wanted, others, why_held_back(evidence, *most)),
         .what = after_held_back(*most),
         .saves = fmt::format("up to {} of the run", percent_text(1 - *most->cores.mean / wanted)),
         .sets = {},
         .numbers = {{"used", *most->cores.mean}, {"wanted", wanted}}});
  }
}

void cores_far_from_use(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice) {
  for (const RoleEvidence& role : evidence.roles) {
    const std::optional<double> peak = peak_cores_of(role);
    if (!peak || role.requested.gpus > 0 || role.requested.vcores < 2 ||
        *peak > rule.threshold * role.requested.vcores ||
        cores_for(*peak) >= role.requested.vcores ||
        std::ranges::any_of(role.members, is_behind_with_input)) {
      continue;  // More child processes will have a use for them.
    }
    advise_fewer_cores(rule, role, *peak, "", advice);
  }
}

void gpu_input_bound(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice) {
  for (const RoleEvidence& role : evidence.roles) {
    const std::optional<double> used = cores_of(role);
    const std::optional<double> gpu = gpu_of(role);
    const double demand = demand_of(role).value_or(0);
    if (!used || !gpu || role.requested.gpus == 0 || role.requested.vcores == 0 ||
        *gpu > rule.threshold || demand < kFullProcessor * role.requested.vcores) {
      continue;
    }
    const bool may_not_use_it = *gpu < kIdleGpu;
    const double factor = std::min(4.0, 0.9 / std::max(*gpu, 0.01));
    const auto wanted = static_cast<uint32_t>(std::ceil(role.requested.vcores * factor));
    advice.push_back(
        {.rule = std::string(rule.name),
         .role = role.name,
         .evidence =
             fmt::format("the GPUs of {} were busy {} of the working time, while {:.1f} of {} per "
                         "task were{}: the input does not keep up",
                         role.name, percent_text(*gpu), *used, cores(role.requested.vcores),
                         busy_host_text(*used, demand)),
         .what = fmt::format(
             "request {} per task and read with more processes, or prepare the "
             "input beforehand{}",
             cores(wanted),
             may_not_use_it ? "; or check which parts of the model compute on the processor" : ""),
         .saves = fmt::format("up to {} of the run", percent_text(1 - 1 / factor)),
         .sets = {set_of(role, "vcores", std::to_string(wanted))},
         .numbers = {{"gpu", *gpu}, {"used", *used}, {"wanted", demand}, {"proposed", wanted}}});
  }
}

void gpu_starved(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice) {
  for (const RoleEvidence& role : evidence.roles) {
    const std::optional<double> used = cores_of(role);
    const std::optional<double> gpu = gpu_of(role);
    const double demand = demand_of(role).value_or(0);
    if (!used || !gpu || role.requested.gpus == 0 || role.requested.vcores == 0 ||
        *gpu > rule.threshold || has_unused_gpus(role, *gpu) ||
        demand >= kFullProcessor * role.requested.vcores) {
      continue;
    }
    const bool one_thread = is_one_thread(role, demand);
    advice.push_back(
        {.rule = std::string(rule.name),
         .role = role.name,
         .evidence = fmt::format(
             "the GPUs of {} were busy {} of the working time, with only {:.1f} of {} per "
             "task busy{}{}",
             role.name, percent_text(*gpu), *used, cores(role.requested.vcores),
             busy_host_text(*used, demand),
             one_thread ? ": one thread prepares all input" : ": both wait for something else"),
         .what = one_thread ? "read with several processes (num_workers, tf.data's "
                              "num_parallel_calls)"
                            : "look where the input comes from: a disk, a network file system, a "
                              "server (`muster stacks` shows what a task waits for)",
         .saves = fmt::format("up to {} of the run", percent_text(1 - *gpu / 0.9)),
         .sets = {},
         .numbers = {{"gpu", *gpu}, {"used", *used}}});
  }
}

void gpu_unused(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice) {
  for (const RoleEvidence& role : evidence.roles) {
    const std::optional<double> used = cores_of(role);
    const std::optional<double> gpu = gpu_of(role);
    if (!used || !gpu || role.requested.gpus == 0 || *gpu >= rule.threshold ||
        found_its_gpus(role) || *used >= kFullProcessor * std::max(1U, role.requested.vcores)) {
      continue;
    }
    const uint32_t saved = role.requested.gpus * role.tasks;
    advice.push_back({.rule = std::string(rule.name),
                      .role = role.name,
                      .evidence = fmt::format("the GPUs of {} were busy {} of the working time",
                                              role.name, percent_text(*gpu)),
                      .what = "request none, or see whether the program finds its GPU",
                      .saves = job::count_of(saved, "GPU") + " at a time",
                      .sets = {set_of(role, "gpus", "0")},
                      .numbers = {{"gpu", *gpu}, {"requested", role.requested.gpus}}});
  }
}

void gpu_memory_far_from_use(const Rule& rule, const Evidence& evidence,
                             std::vector<Advice>& advice) {
  for (const RoleEvidence& role : evidence.roles) {
    const std::optional<double> busy = gpu_of(role);
    const TaskEvidence* top = nullptr;
    bool known = !role.members.empty();
    for (const TaskEvidence& task : role.members) {
      known = known && task.gpu.memory_peak_bytes && task.gpu.memory_limit_bytes.value_or(0) > 0;
      if (known && (top == nullptr || *task.gpu.memory_peak_bytes > *top->gpu.memory_peak_bytes)) {
        top = &task;
      }
    }
    // Idle GPUs have another problem, and full ones work no faster with more at once.
    if (!known || !busy || role.requested.gpus == 0 || *busy < kIdleGpu || *busy > kFullGpu) {
      continue;
    }
    const auto peak = static_cast<double>(*top->gpu.memory_peak_bytes);
    const auto limit = static_cast<double>(*top->gpu.memory_limit_bytes);
    if (peak > rule.threshold * limit) {
      continue;
    }
    advice.push_back(
        {.rule = std::string(rule.name),
         .role = role.name,
         .evidence = fmt::format("{} used up to {} of the {} that its GPUs have, and they were "
                                 "busy {} of the working time",
                                 top->name, format_bytes(*top->gpu.memory_peak_bytes),
                                 format_bytes(*top->gpu.memory_limit_bytes), percent_text(*busy)),
         .what = "raise the batch size until memory or the GPU is full, or request GPUs with less "
                 "memory",
         .saves = fmt::format("up to {} of the run", percent_text(1 - *busy)),
         .sets = {},
         .numbers = {{"gpu", *busy}, {"used", peak}, {"limit", limit}}});
  }
}

void gpu_compute_bound(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice) {
  for (const RoleEvidence& role : evidence.roles) {
    const std::optional<double> peak = peak_cores_of(role);
    const std::optional<double> gpu = gpu_of(role);
    if (!peak || !gpu || role.requested.gpus == 0 || role.requested.vcores < 2 ||
        *gpu < rule.threshold || *peak > kIdleProcessor * role.requested.vcores ||
        cores_for(*peak) >= role.requested.vcores) {
      continue;
    }
    advise_fewer_cores(rule, role, *peak,
                       fmt::format(" per task, while its GPUs were busy {} of the working time",
                                   percent_text(*gpu)),
                       advice);
  }
}

namespace {

/// What the network of a role's hosts carried in the busier direction, counting each host once.
struct Traffic {
  double per_s = 0;    ///< All hosts together.
  double carries = 0;  ///< What the networks can carry.
  bool comes = false;  ///< The busier direction is receiving.
};

std::map<job::HostName, HostUse> hosts_of(const RoleEvidence& role) {
  std::map<job::HostName, HostUse> hosts;
  for (const TaskEvidence& task : role.members) {
    hosts.try_emplace(task.host, task.host_use);
  }
  return hosts;
}

/// nullopt if it is unknown for any host.
std::optional<Traffic> traffic_of(const RoleEvidence& role) {
  double received = 0;
  double sent = 0;
  Traffic traffic;
  for (const auto& [host, use] : hosts_of(role)) {
    if (!use.received_per_s || !use.sent_per_s || !use.network_per_s) {
      return std::nullopt;
    }
    received += *use.received_per_s;
    sent += *use.sent_per_s;
    traffic.carries += *use.network_per_s;
  }
  traffic.comes = received >= sent;
  traffic.per_s = std::max(received, sent);
  return traffic.carries > 0 ? std::optional(traffic) : std::nullopt;
}

/// Returns whether workers on other hosts account for the traffic: what servers receive, workers
/// send.
bool is_from(const RoleEvidence& workers, const RoleEvidence& servers, const Traffic& traffic) {
  const std::map<job::HostName, HostUse> own = hosts_of(servers);
  double theirs = 0;
  for (const auto& [host, use] : hosts_of(workers)) {
    if (!own.contains(host)) {
      theirs += (traffic.comes ? use.sent_per_s : use.received_per_s).value_or(0);
    }
  }
  return 2 * theirs >= traffic.per_s;
}

/// For parameter servers whose processors have time left: their network may have none.
void advise_on_network(const Rule& rule, const RoleEvidence& servers, const RoleEvidence& workers,
                       double busy, std::vector<Advice>& advice) {
  const std::optional<Traffic> traffic = traffic_of(servers);
  if (!traffic || traffic->per_s < rule.threshold * traffic->carries ||
      !is_from(workers, servers, *traffic)) {
    return;
  }
  const double factor = std::min(4.0, 0.9 / std::max(busy, 0.01));
  const auto wanted = static_cast<uint32_t>(std::ceil(servers.tasks * factor));
  const double share = traffic->per_s / traffic->carries;
  advice.push_back(
      {.rule = std::string(rule.name),
       .role = servers.name,
       .evidence = fmt::format(
           "the hosts of {} {} {} per second, {} of what their network carries, while workers used "
           "{} of their cores",
           servers.name, traffic->comes ? "received" : "sent",
           format_bytes(static_cast<uint64_t>(traffic->per_s)), percent_text(share),
           percent_text(busy)),
       .what = fmt::format("run {} parameter servers, each on a host of its own, or let workers "
                           "send less: larger batches, 16-bit or sparse gradients",
                           wanted),
       .saves = fmt::format("up to {} of the run", percent_text(1 - 1 / factor)),
       .sets = {set_of(servers, "tasks", std::to_string(wanted))},
       .numbers = {{"network", share}, {"worker_load", busy}, {"proposed", wanted}}});
}

}  // namespace

void ps_saturated(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice) {
  const auto servers = std::ranges::find_if(evidence.roles, [](const RoleEvidence& role) {
    return role.name == "ps" || role.name == "server";  // In TensorFlow and MXNet, respectively.
  });
  const auto workers = std::ranges::find(evidence.roles, "worker", &RoleEvidence::name);
  if (servers == evidence.roles.end() || workers == evidence.roles.end() ||
      servers->requested.vcores == 0 || workers->requested.vcores == 0) {
    return;
  }
  const std::optional<double> used = cores_of(*servers);
  const std::optional<double> load = demand_of(*servers);
  const std::optional<double> work = demand_of(*workers);
  if (!used || !load || !work) {
    return;
  }
  // More cores are of no use to one thread: it can have only one.
  const bool one_thread = is_one_thread(*servers, *load) && *load >= rule.threshold;
  const double share = one_thread ? std::min(1.0, *load) : *load / servers->requested.vcores;
  const double busy = *work / workers->requested.vcores;
  if (busy > 0.6) {
    return;
  }
  if (share < rule.threshold) {
    advise_on_network(rule, *servers, *workers, busy, advice);
    return;
  }
  // If workers were nine tenths busy, they would send that much more.
  const double factor = std::min(4.0, 0.9 / std::max(busy, 0.01));
  const auto wanted = static_cast<uint32_t>(std::ceil(servers->tasks * factor));
  const auto fewer = std::max<uint32_t>(1, static_cast<uint32_t>(workers->tasks / factor));
  advice.push_back(
      {.rule = std::string(rule.name),
       .role = servers->name,
       .evidence = fmt::format(
           "{} kept {:.1f} of {} busy each{}{}, while workers used {} of theirs", servers->name,
           *used, cores(servers->requested.vcores), one_thread ? " with one thread" : "",
           busy_host_text(*used, *load), percent_text(busy)),
       .what = fmt::format("run {} parameter servers, or no more than {} workers", wanted, fewer),
       .saves = fmt::format("up to {} of the run", percent_text(1 - 1 / factor)),
       .sets = {set_of(*servers, "tasks", std::to_string(wanted))},
       .numbers = {{"ps_load", share}, {"worker_load", busy}, {"proposed", wanted}}});
}

void staging_again(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice) {
  for (const StagedAgain& file : evidence.staged) {
    if (file.uploads < rule.threshold || file.uploads < file.submissions ||
        file.bytes < kMebibyte) {
      continue;
    }
    advice.push_back(
        {.rule = std::string(rule.name),
         .role = {},
         .evidence = fmt::format("{} ({}) was uploaded by each of the last {} submissions, because "
                                 "its content was different each time",
                                 printable(file.name), format_bytes(file.bytes), file.submissions),
         .what = "keep what changes (output, logs, caches, time stamps in an archive) out of it; "
                 "the same content is never uploaded twice",
         .saves = fmt::format("{} per submission", format_bytes(file.bytes)),
         .sets = {},
         .numbers = {{"bytes", static_cast<double>(file.bytes)}, {"uploads", file.uploads}}});
  }
}

}  // namespace muster::account
