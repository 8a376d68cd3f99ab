// What the master makes of attempts that do nothing: when it looks closer, what it asks the agents,
// and which fact results.
#include "master/master_world_test.h"
#include "stacks/stack_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace muster::master {
namespace {

using std::chrono::minutes;
using wire::StreamFrame;

bool is_probe(const wire::StreamOpen& open) {
  const auto* exec = std::get_if<wire::ExecRequest>(&open.request);
  return exec != nullptr && exec->arguments.front() == stacks::probe_command().front();
}

/// Two workers whose agents are played by the test.
struct Stalls : MasterWorld {
  Stalls() { first = make("m1", false, nullptr, coupled_workers); }

  /// An agent reports how long its attempt has been quiet.
  void tell(uint32_t index, Duration quiet, Duration longest = {}) {
    beat(index, {.quiet = wire::Pause{.now = quiet, .longest = longest}});
  }
  /// An agent reports an attempt that is busy and gets nowhere.
  void tell_busy(uint32_t index, Duration pause, Duration longest = {}) {
    beat(index,
         {.quiet = wire::Pause{},
          .fruitless = wire::Fruitless{
              .pause = {.now = pause, .longest = longest}, .knows_past = true, .reports = true}});
  }
  void beat(uint32_t index, wire::Samples samples) {
    samples.attempt = worker(index);
    wire::Beat beat;
    beat.samples.push_back(std::move(samples));
    agent_of(first->master, index).send(beat);
    loop.run_ready();
  }
  /// Worker 0 waits for its peers; worker 1 is at the next of `places` in each round. Both carry on
  /// as before.
  void answer_rounds(const std::vector<stacks::Frame>& places) {
    for (size_t round = 1; round <= 5; ++round) {
      for (int i = 0; i < 4 && probes(1).size() < round; ++i) {
        (void)loop.run_until([] { return false; }, seconds(5));
        tell(0, minutes(11));
        tell_busy(1, minutes(11));
      }
      if (probes(1).size() < round) {
        return;
      }
      waits(0);
      answer(1, places[round % places.size()], "");
    }
  }
  /// Returns the streams that were opened to read the stacks of a worker.
  std::vector<uint64_t> probes(uint32_t index) {
    std::vector<uint64_t> ids;
    for (const StreamFrame& frame : agent_of(first->master, index).got<StreamFrame>()) {
      const auto* open = std::get_if<wire::StreamOpen>(&frame.kind);
      if (open != nullptr && is_probe(*open)) {
        ids.push_back(frame.id);
        last_probe = std::get<wire::ExecRequest>(open->request).arguments;
      }
    }
    return ids;
  }
  /// Returns for how many seconds a probe watches what a worker reads.
  std::string watched(uint32_t index) {
    (void)probes(index);
    const auto flag = std::ranges::find(last_probe, stacks::kWatchFlag);
    return last_probe.end() - flag > 1 ? *(flag + 1) : "";
  }
  void answer(uint32_t index, const stacks::Frame& frame, const std::string& call,
              bool fed = false) {
    stacks::Process process{.pid = 7, .parent = 1, .command = "python3", .python = true};
    process.threads.push_back({.id = 7,
                               .name = "MainThread",
                               .state = 'S',
                               .system_call = call,
                               .fed = fed,
                               .frames = {frame}});
    answer(index, {process});
  }
  void answer(uint32_t index, const std::vector<stacks::Process>& processes) {
    const uint64_t id = probes(index).back();
    testing::ScriptedAgent& agent = agent_of(first->master, index);
    agent.send(StreamFrame{id, wire::StreamOpened{}});
    std::string text;
    for (const stacks::Process& process : processes) {
      text += stacks::process_line(process) + stacks::frames_line(process);
    }
    agent.send(StreamFrame{id, wire::StreamData{wire::encode(wire::ExecOutputBytes{false, text})}});
    agent.send(StreamFrame{id, wire::StreamData{wire::encode(wire::ExecExited{0, ""})}});
    agent.send(StreamFrame{id, wire::StreamClosed{}});
    loop.run_ready();
  }
  /// Answers for a shell that sleeps again and again.
  void loops(uint32_t index) {
    stacks::Process shell{.pid = 7, .parent = 1, .command = "sh"};
    shell.threads.push_back({.id = 7, .name = "sh", .state = 'S', .system_call = "wait4"});
    stacks::Process sleep{.pid = 8, .parent = 7, .command = "sleep 0.5"};
    sleep.threads.push_back(
        {.id = 8, .name = "sleep", .state = 'S', .system_call = "clock_nanosleep"});
    answer(index, {shell, sleep});
  }
  void sleeps(uint32_t index) { answer(index, {"load", "/user/train.py", 12}, "clock_nanosleep"); }
  void waits(uint32_t index) {
    answer(index, {"all_reduce", "/x/torch/distributed/c10d.py", 99}, "futex");
  }
  /// Both have been quiet for long, and sleep for long.
  void both_rest(bool got_on) {
    for (const uint32_t index : {0U, 1U}) {
      beat(index,
           {.quiet = wire::Pause{.now = minutes(11)},
            .fruitless = wire::Fruitless{.pause = {.now = minutes(11)}, .knows_past = got_on}});
    }
    stacks::Process process{.pid = 7, .parent = 1, .command = "python3", .python = true};
    process.threads.push_back({.id = 7,
                               .name = "MainThread",
                               .state = 'S',
                               .system_call = "clock_nanosleep",
                               .sleeps_s = 290,
                               .frames = {{"load", "/user/train.py", 12}}});
    for (const uint32_t index : {0U, 1U}) {
      ASSERT_EQ(probes(index).size(), 1U);
      answer(index, {process});
    }
    ASSERT_TRUE(note(0));
  }
  std::vector<std::string> last_probe;  ///< Its arguments.
  const std::optional<job::StallNote>& note(uint32_t index) {
    return first->master.machine().state().tasks[0][index].attempts.back().stall;
  }
};

TEST_F(Stalls, OfAllAreLookedAtOnceAndTheSuspectIsNamed) {
  run();
  tell(0, minutes(11));
  EXPECT_TRUE(probes(0).empty());
  tell(1, minutes(10));
  ASSERT_EQ(probes(0).size(), 1U);
  ASSERT_EQ(probes(1).size(), 1U);
  waits(0);
  EXPECT_FALSE(note(1).has_value());
  sleeps(1);
  ASSERT_TRUE(note(1).has_value());
  EXPECT_EQ(note(1)->sure, job::Sureness::Certain);
  EXPECT_EQ(note(1)->place, "load (train.py:12)");
  EXPECT_EQ(note(1)->silent, Duration(minutes(10)));
  EXPECT_FALSE(note(0).has_value());
  tell(0, minutes(12));
  tell(1, minutes(12));
  EXPECT_EQ(probes(0).size(), 1U);
}

/// Returns a Python process with one thread that waits there.
stacks::Process waiting(int32_t pid, std::vector<stacks::Frame> frames) {
  stacks::Process process{
      .pid = pid, .parent = pid == 7 ? 1 : 7, .command = "python3", .python = true};
  process.threads.push_back({.id = pid,
                             .name = "MainThread",
                             .state = 'S',
                             .system_call = "futex",
                             .frames = std::move(frames)});
  return process;
}

TEST_F(Stalls, TellOfAPoolThatHasLostAWorker) {
  run();
  tell(0, minutes(11));
  tell(1, minutes(10));
  waits(0);
  const std::vector<stacks::Frame> idle = {
      {"get", "/usr/lib/python3/multiprocessing/queues.py", 1},
      {"worker", "/usr/lib/python3/multiprocessing/pool.py", 2}};
  answer(1, {waiting(7, {{"get", "/usr/lib/python3/multiprocessing/pool.py", 3},
                         {"load", "/user/train.py", 12}}),
             waiting(8, idle), waiting(9, idle)});
  ASSERT_TRUE(note(1).has_value());
  EXPECT_THAT(note(1)->evidence, ::testing::HasSubstr("all 2 workers of its pool wait for work"));
}

TEST_F(Stalls, TellNothingOfAQueueThatALibraryMayFill) {
  run();
  tell(0, minutes(11));
  tell(1, minutes(10));
  waits(0);
  stacks::Process process =
      waiting(7, {{"get", "/usr/lib/python3/queue.py", 1}, {"load", "/user/train.py", 12}});
  process.threads.push_back({.id = 8,
                             .name = "consumer",
                             .state = 'S',
                             .system_call = "futex",
                             .frames = {{"consume", "/env/site-packages/kafka/consumer.py", 9}}});
  answer(1, {process});
  ASSERT_TRUE(note(1).has_value());
  EXPECT_THAT(note(1)->evidence, ::testing::Not(::testing::HasSubstr("is left to put")));
}

TEST_F(Stalls, TellTheStepsThatWereReported) {
  run();
  for (const uint32_t index : {0, 1}) {
    beat(index,
         {.named = {{.metric = {.name = "user.step", .unit = "{step}"}, .value = 42.0 - index}}});
    tell(index, minutes(11));
  }
  waits(0);
  waits(1);
  ASSERT_TRUE(note(0).has_value());
  EXPECT_THAT(note(0)->evidence,
              ::testing::HasSubstr("steps reported: worker:0 at 42, worker:1 at 41"));
}

TEST_F(Stalls, AreNoneOfWhatReceivesWithinTheWatch) {
  run();
  tell(0, minutes(10));
  tell(1, minutes(10));
  EXPECT_EQ(watched(1), "30");
  waits(0);
  answer(1, {"load", "/user/train.py", 12}, "recvfrom", true);
  EXPECT_FALSE(note(0).has_value());
  EXPECT_FALSE(note(1).has_value());
}

TEST_F(Stalls, OfManyAreWatchedNoLongerThanOfOne) {
  first = make("m1", false, nullptr,
               [](const std::string& text, const std::string& job, uint64_t seed) {
                 Result<job::Plan> plan = two_workers(text, job, seed);
                 plan.value().roles[0].membership = spec::Membership::Independent;
                 return plan;
               });
  run();
  tell(0, minutes(10));
  EXPECT_EQ(watched(0), "30");
  tell(1, minutes(10));
  answer(0, {"load", "/user/train.py", 12}, "recvfrom", true);
  tell(1, minutes(10));
  EXPECT_EQ(watched(1), "15");
}

TEST_F(Stalls, DoNotConcernOneWhosePeerComputes) {
  run();
  for (int minute = 1; minute < 60; ++minute) {
    tell(0, minutes(minute));
    tell(1, seconds(3));
  }
  EXPECT_TRUE(probes(0).empty());
}

TEST_F(Stalls, AreNoneOfProgramsThatHaveOnlySleptSoFar) {
  run();
  both_rest(false);
  EXPECT_EQ(note(0)->sure, job::Sureness::Sign);
}

TEST_F(Stalls, MayBeOfProgramsThatSleepAfterTheyHadGotOn) {
  run();
  both_rest(true);
  EXPECT_EQ(note(0)->sure, job::Sureness::Unsure);
}

TEST_F(Stalls, OfProgramsThatPauseForLongAreBelievedLater) {
  run();
  for (int minute = 10; minute < 16; ++minute) {
    tell(0, minutes(minute));
    tell(1, minutes(minute), minutes(8));
  }
  EXPECT_TRUE(probes(0).empty());
  tell(0, minutes(16));
  tell(1, minutes(16), minutes(8));
  EXPECT_EQ(probes(0).size(), 1U);
}

TEST_F(Stalls, DoNotConcernAServerThatWaitsForRequests) {
  run();
  tell(0, minutes(10));
  tell(1, minutes(10));
  for (const uint32_t index : {0, 1}) {
    answer(index, {"run_forever", "/usr/lib/python3/asyncio/base_events.py", 7}, "epoll_wait");
  }
  EXPECT_FALSE(note(0).has_value());
  EXPECT_FALSE(note(1).has_value());
  tell(0, minutes(30));
  tell(1, minutes(30));
  EXPECT_EQ(probes(0).size(), 1U);
}

TEST_F(Stalls, BeginAnewWhenAPeerHasEnded) {
  run();
  const auto pass = [&](Duration time) {
    for (Duration passed{}; passed < time; passed += seconds(5)) {
      (void)loop.run_until([] { return false; }, seconds(5));
      tell(1, minutes(20));
    }
  };
  pass(minutes(1));
  succeed(first->master, 0);
  pass(minutes(9));
  EXPECT_TRUE(probes(1).empty());
  pass(minutes(3));
  EXPECT_EQ(probes(1).size(), 1U);
  ASSERT_TRUE(note(1).has_value());
  EXPECT_THAT(
      note(1)->evidence,
      ::testing::StartsWith("worker:1 could not be read; worker:0 has ended, with exit code "
                            "0, and may be what is waited for"));
}

TEST_F(Stalls, AreOverWhenOneMoves) {
  run();
  tell(0, minutes(10));
  tell(1, minutes(10));
  waits(0);
  sleeps(1);
  ASSERT_TRUE(note(1).has_value());
  tell(0, seconds(1));
  EXPECT_FALSE(note(1).has_value());
  tell(1, seconds(1));
  tell(0, minutes(10));
  EXPECT_EQ(probes(1).size(), 1U);
  tell(1, minutes(20));
  EXPECT_EQ(probes(1).size(), 2U);
}

TEST_F(Stalls, AreNoneIfSomebodyMovesWhileStacksAreRead) {
  run();
  tell(0, minutes(10));
  tell(1, minutes(10));
  tell(1, seconds(0));
  waits(0);
  sleeps(1);
  EXPECT_FALSE(note(0).has_value());
  EXPECT_FALSE(note(1).has_value());
}

TEST_F(Stalls, AreJudgedThoughAStackCannotBeRead) {
  run();
  tell(0, minutes(10));
  tell(1, minutes(10));
  agent_of(first->master, 1)
      .send(StreamFrame{probes(1).back(),
                        wire::StreamReset{wire::StreamFault::Refused, "too many sessions"}});
  waits(0);
  ASSERT_TRUE(note(0).has_value());
  EXPECT_NE(note(0)->evidence.find("worker:1 could not be read"), std::string::npos);
}

TEST_F(Stalls, AreJudgedThoughAProbeNeverEnds) {
  run();
  tell(0, minutes(10));
  tell(1, minutes(10));
  sleeps(1);
  for (int i = 0; i < 24; ++i) {
    (void)loop.run_until([] { return false; }, seconds(5));
    tell(0, minutes(11));
    tell(1, minutes(11));
  }
  EXPECT_TRUE(note(1).has_value());
}

TEST_F(Stalls, IgnoreWhatAnAgentSaysOfOthers) {
  run();
  wire::Beat beat;
  for (const uint32_t index : {0, 1, 9}) {
    beat.samples.push_back({.attempt = worker(index), .quiet = wire::Pause{.now = minutes(20)}});
  }
  agent_of(first->master, 0).send(beat);
  loop.run_ready();
  EXPECT_TRUE(probes(0).empty());
}

TEST_F(Stalls, OfABusyOneAreFoundByStacksThatStayTheSame) {
  run();
  tell(0, minutes(11));
  tell_busy(1, minutes(11));
  answer_rounds({{"wait_for_flag", "/user/train.py", 8}, {"wait_for_flag", "/user/train.py", 9}});
  EXPECT_EQ(probes(1).size(), 5U);
  ASSERT_TRUE(note(1).has_value());
  EXPECT_EQ(note(1)->sure, job::Sureness::Likely);
  EXPECT_EQ(note(1)->silent, Duration(minutes(11)));
  tell_busy(1, minutes(12));
  EXPECT_TRUE(note(1).has_value());
  tell_busy(1, seconds(0));
  EXPECT_FALSE(note(1).has_value());
}

TEST_F(Stalls, OfABusyOneAreNoneIfItComputes) {
  run();
  tell(0, minutes(11));
  tell_busy(1, minutes(11));
  answer_rounds({{"evaluate", "/user/train.py", 8}, {"forward", "/user/model.py", 9}});
  EXPECT_EQ(probes(1).size(), 5U);
  EXPECT_FALSE(note(1).has_value());
  tell_busy(1, minutes(12));
  EXPECT_EQ(probes(1).size(), 5U) << "not again so soon";
}

TEST_F(Stalls, AreNoneOfAGangThatWaitsBusilyForOneThatReceives) {
  run();
  tell(0, minutes(11));
  tell_busy(1, minutes(11));
  for (size_t round = 1; round <= 5; ++round) {
    for (int i = 0; i < 4 && probes(1).size() < round; ++i) {
      (void)loop.run_until([] { return false; }, seconds(5));
      tell(0, minutes(11));
      tell_busy(1, minutes(11));
    }
    ASSERT_EQ(probes(1).size(), round);
    EXPECT_EQ(watched(0), round == 5 ? "30" : "0");
    answer(0, {"fetch", "/user/train.py", 12}, "recvfrom", round == 5);
    waits(1);
  }
  EXPECT_FALSE(note(0).has_value());
  EXPECT_FALSE(note(1).has_value());
}

TEST_F(Stalls, OfABusyOneAreMeasuredByItsPast) {
  run();
  tell(0, minutes(20));
  tell_busy(1, minutes(15), minutes(8));
  EXPECT_TRUE(probes(1).empty());
  tell_busy(1, minutes(17), minutes(8));
  EXPECT_EQ(probes(1).size(), 1U);
}

TEST_F(Stalls, OfAShellThatAsksAgainAndAgainAreFound) {
  run();
  tell(0, minutes(11));
  tell(1, minutes(11));
  waits(0);
  loops(1);
  ASSERT_TRUE(note(1).has_value());
  EXPECT_NE(note(1)->evidence.find("sleeps in `sleep 0.5`"), std::string::npos);
}

TEST_F(Stalls, AreNoneWhereSomethingStillComes) {
  run();
  tell(0, minutes(11));
  tell(1, minutes(11));
  waits(0);
  answer(1, {"fetch", "/user/train.py", 12}, "recvfrom", true);
  EXPECT_FALSE(note(0).has_value());
  EXPECT_FALSE(note(1).has_value());
  tell(1, minutes(12));
  EXPECT_EQ(probes(1).size(), 1U) << "not again so soon";
  for (int i = 0; i < 125; ++i) {
    (void)loop.run_until([] { return false; }, seconds(5));
    tell(0, minutes(23));
    tell(1, minutes(23));
  }
  ASSERT_EQ(probes(1).size(), 2U);
  waits(0);
  answer(1, {"fetch", "/user/train.py", 12}, "recvfrom");
  EXPECT_TRUE(note(1).has_value());
}

}  // namespace
}  // namespace muster::master
