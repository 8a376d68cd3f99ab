#include "account/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string_view>

/// Profiles whose truth is known: for each, the advice must be what a good adviser would give,
/// within a tenth, and nothing else may be advised.
namespace muster::account {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint64_t kMebibyte = 1ULL << 20;
constexpr uint64_t kGibibyte = 1ULL << 30;

/// A role of `tasks` equal tasks, which ran for an hour and ended well. Nothing about it is
/// remarkable.
RoleEvidence role_of(std::string name, uint32_t tasks) {
  RoleEvidence role;
  role.name = std::move(name);
  role.tasks = role.tasks_min = tasks;
  role.requested = {.memory_bytes = 2 * kGibibyte, .vcores = 4, .gpus = 0, .other = {}};
  role.membership = spec::Membership::Static;
  role.granted = tasks * Duration(1h);
  role.classes[index_of(Class::Productive)] = tasks * Duration(58min);
  role.classes[index_of(Class::Gathering)] = tasks * Duration(2min);
  for (uint32_t i = 0; i < tasks; ++i) {
    TaskEvidence task;
    task.name = role.name + ":" + std::to_string(i);
    task.host = job::HostName("h" + std::to_string(i));
    task.ran = 58min;
    task.whole = true;
    task.memory_peak_bytes = 1500 * kMebibyte;
    task.cores.mean = 3.0;
    task.cores.peak = 3.6;
    role.members.push_back(task);
    role.first_grants.push_back(Time(2s));
  }
  return role;
}

Evidence job_of(std::vector<RoleEvidence> roles) {
  Evidence evidence;
  for (const RoleEvidence& role : roles) {
    evidence.account.granted += role.granted;
    for (size_t i = 0; i < kClasses; ++i) {
      evidence.account.classes[i] += role.classes[i];
    }
  }
  evidence.roles = std::move(roles);
  evidence.ran = 58min;
  evidence.restarts_allowed = 3;
  return evidence;
}

std::vector<std::string> rules_that_speak(const Evidence& evidence) {
  std::vector<std::string> names;
  for (const Advice& each : advise(evidence)) {
    names.push_back(each.rule);
  }
  return names;
}

/// Returns the only advice on `evidence`.
Advice only(const Evidence& evidence) {
  const std::vector<Advice> advice = advise(evidence);
  EXPECT_EQ(advice.size(), 1U);
  return advice.empty() ? Advice{} : advice.front();
}

void expect_near(double value, double truth) { EXPECT_NEAR(value, truth, truth / 10); }

Failed failure(Duration at, uint32_t task, uint32_t number, Duration ran,
               std::string class_name = "program.exit") {
  return {.at = Time(at),
          .ran = ran,
          .attempt = {{job::RoleIndex(0), task}, number},
          .host = job::HostName("h1"),
          .class_name = std::move(class_name),
          .origin = true};
}

TEST(Advice, IsSilentOnAJobThatUsesWhatItAsksFor) {
  EXPECT_THAT(rules_that_speak(job_of({role_of("worker", 4)})), IsEmpty());
}

TEST(Advice, IsSilentWhereNothingWasMeasured) {
  RoleEvidence role = role_of("worker", 4);
  for (TaskEvidence& task : role.members) {
    task.memory_peak_bytes = {};
    task.cores.mean = task.cores.peak = {};
  }
  EXPECT_THAT(rules_that_speak(job_of({role})), IsEmpty());
}

TEST(Advice, MemoryFarFromUse) {
  RoleEvidence role = role_of("worker", 4);
  role.requested.memory_bytes = 8 * kGibibyte;
  for (TaskEvidence& task : role.members) {
    task.memory_peak_bytes = 100 * kMebibyte;
  }
  const Advice advice = only(job_of({role}));
  EXPECT_EQ(advice.rule, "memory.far_from_use");
  expect_near(advice.numbers.at("used"), 100.0 * kMebibyte);
  EXPECT_THAT(advice.sets, ElementsAre("roles.worker.memory=128m"));
  expect_near(advice.numbers.at("saved_gib_hours"), 4 * 7.9);
  EXPECT_THAT(advice.evidence, HasSubstr("100 MiB"));
  EXPECT_THAT(advice.evidence, HasSubstr("8 GiB"));
}

TEST(Advice, MemoryFarFromUseGoesByTheHighestPeak) {
  RoleEvidence role = role_of("worker", 3);
  role.requested.memory_bytes = 16 * kGibibyte;
  for (TaskEvidence& task : role.members) {
    task.memory_peak_bytes = kGibibyte;
  }
  role.members[1].memory_peak_bytes = 4 * kGibibyte;
  EXPECT_THAT(only(job_of({role})).sets, ElementsAre("roles.worker.memory=5120m"));
}

TEST(Advice, MemoryWaitsForAWholeRun) {
  RoleEvidence role = role_of("worker", 1);
  role.requested.memory_bytes = 8 * kGibibyte;
  role.members[0].memory_peak_bytes = 100 * kMebibyte;
  role.members[0].whole = false;
  role.members[0].ran = 1min;
  EXPECT_THAT(rules_that_speak(job_of({role})), IsEmpty());
  role.members[0].ran = 20min;
  EXPECT_THAT(rules_that_speak(job_of({role})), ElementsAre("memory.far_from_use"));
}

TEST(Advice, MemoryNearTheLimit) {
  RoleEvidence role = role_of("worker", 2);
  role.members[1].memory_peak_bytes = 2000 * kMebibyte;
  const Advice advice = only(job_of({role}));
  EXPECT_EQ(advice.rule, "memory.near_limit");
  expect_near(advice.numbers.at("proposed"), 2500.0 * kMebibyte);
  EXPECT_THAT(advice.evidence, HasSubstr("worker:1"));
}

TEST(Advice, MemoryThatWasExceeded) {
  RoleEvidence role = role_of("worker", 2);
  role.members[0].over_memory = true;
  role.members[0].memory_peak_bytes = 2 * kGibibyte;
  const Advice advice = only(job_of({role}));
  EXPECT_EQ(advice.rule, "memory.near_limit");
  expect_near(advice.numbers.at("proposed"), 3.0 * kGibibyte);
}

TEST(Advice, MemoryWithoutALimitIsNobodysBusiness) {
  RoleEvidence role = role_of("worker", 2);
  role.requested.memory_bytes = 0;
  EXPECT_THAT(rules_that_speak(job_of({role})), IsEmpty());
}

TEST(Advice, CoresFarFromUse) {
  RoleEvidence role = role_of("worker", 2);
  role.requested.vcores = 16;
  for (TaskEvidence& task : role.members) {
    task.cores.mean = 0.9;
    task.cores.peak = 1.6;
  }
  const Advice advice = only(job_of({role}));
  EXPECT_EQ(advice.rule, "cores.far_from_use");
  EXPECT_THAT(advice.sets, ElementsAre("roles.worker.vcores=2"));
}

TEST(Advice, CoresNearTheLimit) {
  RoleEvidence role = role_of("worker", 2);
  for (TaskEvidence& task : role.members) {
    task.cores.mean = 3.95;
    task.cores.peak = 4;
  }
  const Advice advice = only(job_of({role}));
  EXPECT_EQ(advice.rule, "cores.near_limit");
  EXPECT_THAT(advice.sets, ElementsAre("roles.worker.vcores=6"));
}

RoleEvidence with_gpus(double gpu, double cores) {
  RoleEvidence role = role_of("worker", 2);
  role.requested.gpus = 1;
  for (TaskEvidence& task : role.members) {
    task.gpu.mean = gpu;
    task.cores.mean = cores;
    task.cores.peak = cores;
  }
  return role;
}

TEST(Advice, GpusThatWaitForTheirInput) {
  const Advice advice = only(job_of({with_gpus(0.3, 3.8)}));
  EXPECT_EQ(advice.rule, "gpu.input_bound");
  EXPECT_THAT(advice.sets, ElementsAre("roles.worker.vcores=12"));
  EXPECT_THAT(advice.saves, HasSubstr("67 %"));
}

TEST(Advice, ProcessorsThatWaitForTheirGpu) {
  RoleEvidence role = with_gpus(0.95, 1.4);
  role.requested.vcores = 16;
  const Advice advice = only(job_of({role}));
  EXPECT_EQ(advice.rule, "gpu.compute_bound");
  EXPECT_THAT(advice.evidence, HasSubstr("% of the working time"));
  EXPECT_THAT(advice.sets, ElementsAre("roles.worker.vcores=2"));
}

TEST(Advice, GpusThatNobodyUses) {
  const Advice advice = only(job_of({with_gpus(0.01, 2)}));
  EXPECT_EQ(advice.rule, "gpu.unused");
  EXPECT_THAT(advice.evidence, HasSubstr("% of the working time"));
  EXPECT_THAT(advice.sets, ElementsAre("roles.worker.gpus=0"));
}

TEST(Advice, GpuMemoryThatIsHardlyUsed) {
  RoleEvidence role = with_gpus(0.5, 2);
  for (TaskEvidence& task : role.members) {
    task.gpu.memory_peak_bytes = 2 * kGibibyte;
    task.gpu.memory_limit_bytes = 80 * kGibibyte;
  }
  const Advice advice = only(job_of({role}));
  EXPECT_EQ(advice.rule, "gpu.memory_far_from_use");
  EXPECT_THAT(advice.evidence, HasSubstr("2 GiB of the 80 GiB"));
  EXPECT_THAT(advice.evidence, HasSubstr("busy 50 % of the working time"));
  EXPECT_THAT(advice.what, HasSubstr("batch size"));
  EXPECT_THAT(advice.saves, HasSubstr("50 %"));
  role.members[1].gpu.memory_peak_bytes = 40 * kGibibyte;
  EXPECT_THAT(rules_that_speak(job_of({role})), IsEmpty()) << "one task needs it";
  role.members[1].gpu.memory_peak_bytes = {};
  EXPECT_THAT(rules_that_speak(job_of({role})), IsEmpty()) << "one task is unknown";
}

TEST(Advice, GpuMemoryOfAFullGpuIsLeftAlone) {
  RoleEvidence role = with_gpus(0.95, 3);
  for (TaskEvidence& task : role.members) {
    task.gpu.memory_peak_bytes = 2 * kGibibyte;
    task.gpu.memory_limit_bytes = 80 * kGibibyte;
  }
  EXPECT_THAT(rules_that_speak(job_of({role})), IsEmpty());
}

TEST(Advice, ABusyGpuIsLeftAlone) {
  EXPECT_THAT(rules_that_speak(job_of({with_gpus(0.8, 2)})), IsEmpty());
}

TEST(Advice, ParameterServersThatHoldUpTheWorkers) {
  RoleEvidence servers = role_of("ps", 2);
  RoleEvidence workers = role_of("worker", 8);
  for (TaskEvidence& task : servers.members) {
    task.cores.mean = 3.6;
    task.cores.peak = 4;
  }
  for (TaskEvidence& task : workers.members) {
    task.cores.mean = 1.8;
    task.cores.peak = 3.6;
  }
  const Advice advice = only(job_of({servers, workers}));
  EXPECT_EQ(advice.rule, "ps.saturated");
  EXPECT_THAT(advice.sets, ElementsAre("roles.ps.tasks=4"));
  EXPECT_THAT(advice.what, HasSubstr("no more than 4 workers"));
}

TEST(Advice, ParameterServersBesideBusyWorkersAreLeftAlone) {
  RoleEvidence servers = role_of("ps", 2);
  for (TaskEvidence& task : servers.members) {
    task.cores.mean = 3.6;
  }
  EXPECT_THAT(rules_that_speak(job_of({servers, role_of("worker", 8)})), IsEmpty());
}

RoleEvidence with_steps(std::vector<Duration> steps) {
  RoleEvidence role = role_of("worker", static_cast<uint32_t>(steps.size()));
  for (size_t i = 0; i < steps.size(); ++i) {
    role.members[i].step = steps[i];
  }
  return role;
}

TEST(Advice, ASlowRankByItsData) {
  RoleEvidence role = with_steps({100ms, 101ms, 99ms, 160ms});
  role.members[3].cores.mean = 1;
  const Advice advice = only(job_of({role}));
  EXPECT_EQ(advice.rule, "rank.slow");
  expect_near(advice.numbers.at("factor"), 1.6);
  EXPECT_THAT(advice.evidence, HasSubstr("worker:3"));
  EXPECT_THAT(advice.evidence, HasSubstr("input"));
}

TEST(Advice, ASlowRankByItsClock) {
  const Advice advice = only(job_of({with_steps({100ms, 101ms, 99ms, 150ms})}));
  EXPECT_EQ(advice.rule, "rank.slow");
  EXPECT_THAT(advice.evidence, HasSubstr("its processor is slower"));
}

/// Three ranks on one host, the second of which gets only a fifth of a core.
Evidence one_held_back(double others_wanted) {
  RoleEvidence role = role_of("worker", 3);
  for (TaskEvidence& task : role.members) {
    task.host = job::HostName("h0");
    task.step = 200ms;
    task.cores.mean = 0.9;
    task.cores.wanted = others_wanted;
  }
  role.members[1].step = 900ms;
  role.members[1].cores.mean = 0.2;
  role.members[1].cores.wanted = 0.95;
  return job_of({role});
}

const Advice& of_rule(const std::vector<Advice>& advice, std::string_view rule) {
  const auto found = std::ranges::find(advice, rule, &Advice::rule);
  EXPECT_NE(found, advice.end()) << rule;
  return *found;
}

TEST(Advice, ARankThatALimitHoldsBackDoesNotWaitForItsInput) {
  const std::vector<Advice> advice = advise(one_held_back(0.95));
  EXPECT_THAT(of_rule(advice, "rank.slow").evidence,
              HasSubstr("it used 0.2 cores and could have used 0.9: a processor limit of its "
                        "container holds it back"));
  const Advice& held = of_rule(advice, "cores.held_back");
  EXPECT_THAT(held.evidence, HasSubstr("worker:1 used 0.2 cores and could have used 0.9 (1 of 3 "
                                       "tasks were held back like this): a processor limit"));
  EXPECT_THAT(held.what, HasSubstr("`nr_throttled`"));
}

TEST(Advice, ATaskBesideOthersThatAreHeldBackIsOnABusyHost) {
  const std::vector<Advice> advice = advise(one_held_back(3.0));
  EXPECT_THAT(of_rule(advice, "cores.held_back").evidence, HasSubstr("others keep h0 busy"));
  Evidence alone = one_held_back(0.95);
  alone.roles[0].members[1].host = job::HostName("h7");
  EXPECT_THAT(of_rule(advise(alone), "cores.held_back").evidence,
              HasSubstr("others keep h7 busy, or a processor limit of its container"));
}

TEST(Advice, ARankThatWaitsForItsOwnThreadsIsNamed) {
  RoleEvidence role = role_of("worker", 3);
  role.requested.vcores = 1;
  for (TaskEvidence& task : role.members) {
    task.cores.mean = task.cores.peak = 0.1;
    task.waiting = 0.88;
  }
  role.members[1].cores.mean = role.members[1].cores.peak = 0.9;
  role.members[1].waiting = 0.8;
  const Advice slow = only(job_of({role}));
  EXPECT_EQ(slow.rule, "rank.slow");
  EXPECT_THAT(slow.evidence, HasSubstr("the others wait for worker:1"));
  EXPECT_THAT(slow.evidence, HasSubstr("its main thread waits for threads of its own"));
}

TEST(Advice, MemoryThatIsReadAgainIsNoInput) {
  RoleEvidence role = role_of("worker", 1);
  TaskEvidence& task = role.members[0];
  task.disk.waiting = 0.8;
  task.disk.read_per_s = 9e6;
  task.disk.written_per_s = 0;
  task.disk.faults_major_per_s = 310;
  const Advice paging = only(job_of({role}));
  EXPECT_THAT(paging.evidence, HasSubstr("per second for 310 page faults"));
  EXPECT_THAT(paging.what, HasSubstr("its memory is short"));
  task.disk.faults_major_per_s = 1;
  EXPECT_THAT(only(job_of({role})).what, HasSubstr("num_workers"));
}

TEST(Advice, WhoReadsAMappedFileInOrderIsNotShortOfMemory) {
  RoleEvidence role = role_of("worker", 1);
  TaskEvidence& task = role.members[0];
  task.disk.waiting = 0.8;
  task.disk.read_per_s = 240e6;  // Like a kernel that reads 8 MiB ahead.
  task.disk.written_per_s = 0;
  task.disk.faults_major_per_s = 30;
  const Advice reads = only(job_of({role}));
  EXPECT_EQ(reads.rule, "steps.disk_bound");
  EXPECT_THAT(reads.what, HasSubstr("read ahead"));
  task.disk.read_per_s = 3.2e6;
  task.disk.faults_major_per_s = 400;
  task.host_use.swapped_in_per_s = 3e6;
  const Advice swaps = only(job_of({role}));
  EXPECT_THAT(swaps.evidence, HasSubstr("for 400 page faults; h0 brought 2.9 MiB per second back"));
  EXPECT_THAT(swaps.what, HasSubstr("its memory is short"));
}

TEST(Advice, ALimitIsToldByItsCounters) {
  Evidence evidence = one_held_back(1.3);
  TaskEvidence& task = evidence.roles[0].members[1];
  task.hindrances.throttled = 0.87;
  const std::vector<Advice> advice = advise(evidence);
  EXPECT_THAT(of_rule(advice, "cores.held_back").evidence,
              HasSubstr("the processor limit of its control group held it back in 87 % of the "
                        "scheduler's periods"))
      << "though others are held back, too";
  EXPECT_THAT(of_rule(advice, "rank.slow").what, HasSubstr("`cpu.max`"));
  task.hindrances.throttled = 0;
  const std::vector<Advice> unlimited = advise(evidence);
  EXPECT_THAT(of_rule(unlimited, "rank.slow").evidence, HasSubstr("others keep h0 busy"));
  EXPECT_THAT(of_rule(unlimited, "rank.slow").what, HasSubstr("check what else is running on h0"));
  task.hindrances.nice = 19;
  EXPECT_THAT(of_rule(advise(evidence), "cores.held_back").evidence,
              HasSubstr("others keep h0 busy, and it gives way to them (nice 19)"));
}

TEST(Advice, WhoIsShortOfMemoryDoesNotWaitForADisk) {
  RoleEvidence role = role_of("worker", 3);
  for (TaskEvidence& task : role.members) {
    task.disk.waiting = task.waiting = 0;
    task.disk.read_per_s = task.disk.written_per_s = 0;
    task.step = 100ms;
  }
  role.members[2].step = 900ms;
  role.members[2].disk.waiting = 0.8;  // The kernel holds the process back.
  role.members[2].hindrances.memory_waiting = 0.7;
  role.members[2].hindrances.over_high_per_s = 12;
  const std::vector<Advice> advice = advise(job_of({role}));
  EXPECT_THAT(rules_that_speak(job_of({role})), ElementsAre("memory.short", "rank.slow"));
  EXPECT_THAT(of_rule(advice, "memory.short").evidence,
              HasSubstr("worker:2: its control group waited for memory for 70 % of the time, and "
                        "was held up for being over `memory.high` 12.0 times per second"));
  EXPECT_THAT(of_rule(advice, "rank.slow").evidence, HasSubstr("; its control group waited for"));
  role.members[2].hindrances.memory_waiting = 0.1;
  EXPECT_THAT(rules_that_speak(job_of({role})), ElementsAre("steps.disk_bound", "rank.slow"));
}

TEST(Advice, AHeapThatIsTooSmallIsNamed) {
  RoleEvidence role = role_of("worker", 4);
  role.members[1].hindrances.collector_cores = 2.4;
  role.members[2].hindrances.collector_cores = 0.1;
  const Advice advice = only(job_of({role}));
  EXPECT_EQ(advice.rule, "java.garbage");
  expect_near(advice.numbers.at("collecting"), 0.8);
  EXPECT_THAT(advice.evidence, HasSubstr("the Java virtual machine of worker:1 spent 80 % of its "
                                         "processor time collecting garbage (1 of 4 tasks"));
  role.members[1].cores.mean = role.members[1].cores.peak = 0.04;
  role.members[1].hindrances.collector_cores = 0.035;
  EXPECT_THAT(rules_that_speak(job_of({role})), IsEmpty()) << "it costs next to nothing";
}

TEST(Advice, WhatASlowRankWaitsForIsToldAsFarAsItWasMeasured) {
  RoleEvidence role = with_steps({100ms, 101ms, 99ms, 160ms});
  role.members[3].cores.mean = 1;
  role.members[3].disk.waiting = 0.02;
  EXPECT_THAT(only(job_of({role})).evidence, HasSubstr("not for a disk"));
  role.members[3].waits.sleeping = 0.93;
  EXPECT_THAT(only(job_of({role})).evidence,
              HasSubstr("its main thread slept for 93 % of the time"));
  EXPECT_THAT(only(job_of({role})).what,
              HasSubstr("find out where it sleeps: `muster stacks JOB "));
  role.members[3].waits = {.socket = 0.8, .name_server = 0.1};
  EXPECT_THAT(only(job_of({role})).evidence,
              HasSubstr("the other end of a connection for 80 % of the time"));
  role.members[3].waits = {.children = 0.4};
  EXPECT_THAT(only(job_of({role})).evidence, HasSubstr("its own child processes for 40 %"));
  role.members[3].waits = {};
  role.members[3].disk.waiting = 0.45;
  role.members[3].disk.read_per_s = 3e6;
  EXPECT_THAT(only(job_of({role})).evidence,
              HasSubstr("its main thread waited for a disk for 45 % of the time, while it read"));
}

TEST(Advice, ASlowRankByItsHost) {
  RoleEvidence role = with_steps({100ms, 101ms, 99ms, 98ms, 150ms, 148ms});
  role.members[4].host = role.members[5].host = job::HostName("h9");
  const Advice advice = only(job_of({role}));
  EXPECT_EQ(advice.rule, "rank.slow");
  EXPECT_THAT(advice.what, HasSubstr("look at host h9"));
}

TEST(Advice, ASlowIndependentTaskByItsRun) {
  RoleEvidence role = role_of("worker", 4);
  role.membership = spec::Membership::Independent;
  role.members[2].ran = 116min;
  const Advice advice = only(job_of({role}));
  EXPECT_EQ(advice.rule, "rank.slow");
  expect_near(advice.numbers.at("factor"), 2);
}

TEST(Advice, StepsThatDifferALittleAreUsual) {
  EXPECT_THAT(rules_that_speak(job_of({with_steps({100ms, 110ms, 95ms, 118ms})})), IsEmpty());
}

TEST(Advice, AGangThatWaitsForItsLastContainer) {
  RoleEvidence role = role_of("worker", 8);
  role.first_grants.back() = Time(2s + 30min);
  const Advice advice = only(job_of({role}));
  EXPECT_EQ(advice.rule, "gang.waits_for_last");
  expect_near(advice.numbers.at("idle_container_s"), 7 * 1800);
  EXPECT_THAT(advice.sets, ElementsAre("roles.worker.min=7", "roles.worker.max=8"));
}

TEST(Advice, IndependentTasksNeedNotWait) {
  RoleEvidence role = role_of("worker", 8);
  role.membership = spec::Membership::Independent;
  role.first_grants.back() = Time(2s + 30min);
  EXPECT_THAT(only(job_of({role})).sets, ElementsAre("barrier=as_granted"));
}

TEST(Advice, AGangThatGathersEvenlyIsUsual) {
  RoleEvidence role = role_of("worker", 8);
  for (size_t i = 0; i < role.first_grants.size(); ++i) {
    role.first_grants[i] = Time(i * 1s);
  }
  EXPECT_THAT(rules_that_speak(job_of({role})), IsEmpty());
}

TEST(Advice, CheckpointsThatAreMissing) {
  Evidence evidence = job_of({role_of("worker", 1)});
  evidence.account.classes[index_of(Class::Repeated)] = 30min;
  evidence.failures = {failure(20min, 0, 1, 15min), failure(40min, 0, 2, 5min)};
  const Advice advice = only(evidence);
  EXPECT_EQ(advice.rule, "checkpoint.missing");
  EXPECT_THAT(advice.evidence, HasSubstr("50 %"));
}

/// A day with a failure every 4 h, and checkpoints that take 30 s.
Evidence with_checkpoints(Duration every) {
  Evidence evidence = job_of({role_of("worker", 1)});
  evidence.ran = 24h;
  evidence.checkpoint_cost = 30s;
  evidence.checkpoint_every = every;
  for (uint32_t i = 1; i <= 6; ++i) {
    evidence.failures.push_back(failure(i * Duration(4h), 0, i, 3h + i * 1h));
    evidence.commits.push_back({.at = Time(i * Duration(4h) - 1min), .attempt = {}});
  }
  return evidence;
}

TEST(Advice, CheckpointsThatAreTooRare) {
  const Advice advice = only(with_checkpoints(2h));
  EXPECT_EQ(advice.rule, "checkpoint.interval");
  // sqrt(2 * 30 s * 4 h) = 929.5 s; Daly's further terms subtract 20 s.
  expect_near(advice.numbers.at("best_s"), 909);
  EXPECT_THAT(advice.evidence, HasSubstr("too rare"));
}

TEST(Advice, CheckpointsThatAreTooOften) {
  const Advice advice = only(with_checkpoints(2min));
  EXPECT_THAT(advice.evidence, HasSubstr("too often"));
  // A quarter of the time goes into checkpoints of 30 s every 2 min.
  expect_near(advice.numbers.at("saved"), 0.25 - 0.064 + 0.0042);
}

TEST(Advice, CheckpointsThatAreAboutRight) {
  EXPECT_THAT(rules_that_speak(with_checkpoints(20min)), IsEmpty());
}

TEST(Advice, RestartsThatNeverHelp) {
  Evidence evidence = job_of({role_of("worker", 1)});
  for (uint32_t i = 1; i <= 4; ++i) {
    evidence.failures.push_back(failure(i * Duration(1min), 0, i, 20s));
  }
  const Advice advice = only(evidence);
  EXPECT_EQ(advice.rule, "restarts.never_help");
  EXPECT_THAT(advice.sets, Contains("restart.process=1"));
  EXPECT_THAT(advice.evidence, HasSubstr("4 times"));
}

TEST(Advice, RestartsThatGetFurtherHelp) {
  Evidence evidence = job_of({role_of("worker", 1)});
  for (uint32_t i = 1; i <= 4; ++i) {
    evidence.failures.push_back(failure(i * Duration(10min), 0, i, i * 100s));
  }
  EXPECT_THAT(rules_that_speak(evidence), IsEmpty());
}

TEST(Advice, TasksThatAreTooSmall) {
  RoleEvidence role = role_of("worker", 64);
  role.membership = spec::Membership::Independent;
  role.classes = {};
  role.granted = 64 * Duration(10s);
  role.classes[index_of(Class::Productive)] = 64 * Duration(2s);
  role.classes[index_of(Class::Gathering)] = 64 * Duration(7s);
  role.classes[index_of(Class::Ending)] = 64 * Duration(1s);
  for (TaskEvidence& task : role.members) {
    task.ran = 2s;
  }
  const Advice advice = only(job_of({role}));
  EXPECT_EQ(advice.rule, "tasks.too_small");
  expect_near(advice.numbers.at("overhead"), 0.8);
  EXPECT_THAT(advice.sets, ElementsAre("roles.worker.tasks_per_container=8"));
}

TEST(Advice, FilesThatAreSentAgain) {
  Evidence evidence = job_of({role_of("worker", 1)});
  evidence.staged = {{.name = "src.zip", .bytes = 50 * kMebibyte, .uploads = 5, .submissions = 5},
                     {.name = "model.bin", .bytes = kGibibyte, .uploads = 1, .submissions = 5}};
  const Advice advice = only(evidence);
  EXPECT_EQ(advice.rule, "staging.again");
  EXPECT_THAT(advice.evidence, HasSubstr("src.zip"));
}

// Young's estimate if the cost is small compared with the time between failures; the numbers of
// Daly's paper stay within a tenth of those from a search for the least waste.
TEST(CheckpointInterval, IsYoungsWhereTheCostIsSmall) {
  const Duration best = best_checkpoint_interval(1s, 100h);
  EXPECT_NEAR(std::chrono::duration<double>(best).count(), std::sqrt(2.0 * 360'000), 10);
}

TEST(CheckpointInterval, CostsTheLeast) {
  for (const double cost : {5.0, 60.0, 600.0}) {
    for (const double between : {3600.0, 86'400.0}) {
      // Daly's complete expression for the time that a job takes per unit of work.
      const auto waste = [&](double every) {
        return between * (std::exp((every + cost) / between) - 1) / every;
      };
      const auto best = std::chrono::duration<double>(
          best_checkpoint_interval(Duration(static_cast<int64_t>(cost * 1e6)),
                                   Duration(static_cast<int64_t>(between * 1e6))));
      EXPECT_LT(waste(best.count()), waste(best.count() * 1.1) * 1.0005) << cost << " " << between;
      EXPECT_LT(waste(best.count()), waste(best.count() / 1.1) * 1.0005) << cost << " " << between;
    }
  }
}

}  // namespace
}  // namespace muster::account
