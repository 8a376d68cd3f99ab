#include "agent/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace muster::agent {
namespace {

using std::chrono::seconds;

constexpr HostTime kStart{seconds(1000)};

job::AttemptId attempt_id(uint32_t number, uint32_t index = 0) {
  return {.task = {job::RoleIndex{0}, index}, .number = number};
}

job::Action prepare(job::AttemptId id) {
  job::PrepareAttempt order;
  order.attempt = id;
  return order;
}

job::Action start(job::AttemptId id, uint32_t generation) {
  return job::StartAttempt{id, job::ContainerId{"c1"}, job::Generation{generation}};
}

job::Action stop(job::AttemptId id, Duration grace = seconds(5)) {
  return job::StopAttempt{id, job::ContainerId{"c1"}, grace, job::StopReason::Restart};
}

/// INT, TERM after 20 s, KILL after 25 s.
job::Action interrupt(job::AttemptId id) {
  return job::StopAttempt{.attempt = id,
                          .container = job::ContainerId{"c1"},
                          .grace = seconds(25),
                          .reason = job::StopReason::UserStop,
                          .interrupt = seconds(20)};
}

job::View view(uint32_t generation) {
  job::View view;
  view.generation = job::Generation{generation};
  return view;
}

job::Exit exit_code(int code) {
  job::Exit exit;
  exit.exit_code = code;
  return exit;
}

/// Returns effects as one line: "tell attempt-joined #1; start #1".
std::string text_of(const Effects& effects) {
  std::string text;
  const auto number = [](job::AttemptId id) { return " #" + std::to_string(id.number); };
  for (const Effect& effect : effects) {
    text += text.empty() ? "" : "; ";
    if (const auto* tell = std::get_if<Tell>(&effect)) {
      text += "tell " + std::string(job::name_of(tell->fact));
      if (const auto* ended = std::get_if<job::AttemptEnded>(&tell->fact)) {
        text += number(ended->attempt) +
                (ended->exit.failure ? " " + ended->exit.failure->class_name : "");
      }
    } else if (const auto* prepare_effect = std::get_if<Prepare>(&effect)) {
      text += "prepare" + number(prepare_effect->order.attempt);
    } else if (const auto* start_effect = std::get_if<Start>(&effect)) {
      text += "start" + number(start_effect->attempt) + " in " +
              std::to_string(start_effect->generation.value);
    } else if (const auto* interrupted = std::get_if<Interrupt>(&effect)) {
      text += "interrupt" + number(interrupted->attempt);
    } else if (const auto* terminate = std::get_if<Terminate>(&effect)) {
      text += "terminate" + number(terminate->attempt);
    } else if (const auto* kill = std::get_if<Kill>(&effect)) {
      text += "kill" + number(kill->attempt);
    } else if (const auto* drop = std::get_if<Drop>(&effect)) {
      text += "drop" + number(drop->attempt);
    } else if (const auto* quit = std::get_if<Quit>(&effect)) {
      text += "quit: " + quit->reason;
    }
  }
  return text;
}

class AgentMachine : public ::testing::Test {
 protected:
  AgentMachine() { machine_.connected(); }

  /// Brings an attempt to Running in generation 1.
  void run(job::AttemptId id) {
    EXPECT_EQ(text_of(machine_.order(kStart, prepare(id))).substr(0, 7), "prepare");
    EXPECT_EQ(text_of(machine_.prepared(id, {"127.0.0.1", 4000, {}})), "tell attempt-joined");
    EXPECT_EQ(text_of(machine_.push_view(view(1))), "");
    EXPECT_EQ(text_of(machine_.order(kStart, start(id, 1))),
              "start #" + std::to_string(id.number) + " in 1");
    EXPECT_EQ(text_of(machine_.started(id, 77)), "tell attempt-started");
  }

  Machine machine_{{.container = job::ContainerId{"c1"},
                    .address = "127.0.0.1:9",
                    .epoch = job::Epoch{1},
                    .orphan = seconds(60),
                    .stop_grace = seconds(30)},
                   kStart};
};

TEST_F(AgentMachine, BringsAnAttemptToItsEnd) {
  run(attempt_id(1));
  EXPECT_EQ(text_of(machine_.ended(attempt_id(1), exit_code(0), kStart)), "tell attempt-ended #1");
  EXPECT_EQ(machine_.phase(attempt_id(1)), Phase::Ended);
}

TEST_F(AgentMachine, AnswersRepeatedOrdersWithoutDoingThemAgain) {
  run(attempt_id(1));
  EXPECT_EQ(text_of(machine_.order(kStart, prepare(attempt_id(1)))), "tell attempt-started");
  EXPECT_EQ(text_of(machine_.order(kStart, start(attempt_id(1), 1))), "tell attempt-started");
  (void)machine_.ended(attempt_id(1), exit_code(0), kStart);
  EXPECT_EQ(text_of(machine_.order(kStart, stop(attempt_id(1)))), "tell attempt-ended #1");
}

TEST_F(AgentMachine, WaitsForTheViewOfAStart) {
  (void)machine_.order(kStart, prepare(attempt_id(1)));
  (void)machine_.prepared(attempt_id(1), {"127.0.0.1", 4000, {}});
  EXPECT_EQ(text_of(machine_.order(kStart, start(attempt_id(1), 2))), "");
  EXPECT_EQ(text_of(machine_.push_view(view(1))), "");
  EXPECT_EQ(text_of(machine_.push_view(view(2))), "start #1 in 2");
}

TEST_F(AgentMachine, WaitsForPreparationBeforeAStart) {
  (void)machine_.push_view(view(1));
  (void)machine_.order(kStart, prepare(attempt_id(1)));
  EXPECT_EQ(text_of(machine_.order(kStart, start(attempt_id(1), 1))), "");
  EXPECT_EQ(text_of(machine_.prepared(attempt_id(1), {"127.0.0.1", 4000, {}})),
            "tell attempt-joined; start #1 in 1");
}

TEST_F(AgentMachine, IgnoresAStartInAnOldGeneration) {
  (void)machine_.order(kStart, prepare(attempt_id(1)));
  (void)machine_.prepared(attempt_id(1), {"127.0.0.1", 4000, {}});
  (void)machine_.push_view(view(3));
  EXPECT_EQ(text_of(machine_.order(kStart, start(attempt_id(1), 2))), "");
  EXPECT_EQ(text_of(machine_.push_view(view(2))), "");
  EXPECT_EQ(machine_.generation(), job::Generation{3});
}

TEST_F(AgentMachine, ObeysTheHighestEpochOnly) {
  EXPECT_TRUE(machine_.welcome(job::Epoch{3}));
  EXPECT_FALSE(machine_.welcome(job::Epoch{2}));
  EXPECT_TRUE(machine_.welcome(job::Epoch{3}));
}

TEST_F(AgentMachine, StopsWithTermAndThenKill) {
  run(attempt_id(1));
  EXPECT_EQ(text_of(machine_.order(kStart, stop(attempt_id(1)))), "terminate #1");
  EXPECT_EQ(machine_.due(), kStart + seconds(5));
  EXPECT_EQ(text_of(machine_.tick(kStart + seconds(4))), "");
  EXPECT_EQ(text_of(machine_.tick(kStart + seconds(5))), "kill #1");
  EXPECT_EQ(text_of(machine_.ended(attempt_id(1), exit_code(1), kStart)),
            "tell attempt-ended #1 stopped.restart");
}

TEST_F(AgentMachine, RepeatedStopOnlyShortensTheGrace) {
  run(attempt_id(1));
  (void)machine_.order(kStart, stop(attempt_id(1), seconds(5)));
  EXPECT_EQ(text_of(machine_.order(kStart, stop(attempt_id(1), seconds(50)))), "");
  EXPECT_EQ(machine_.due(), kStart + seconds(5));
  EXPECT_EQ(text_of(machine_.order(kStart, stop(attempt_id(1), seconds(1)))), "");
  EXPECT_EQ(machine_.due(), kStart + seconds(1));
}

TEST_F(AgentMachine, InterruptsThenTermsThenKills) {
  run(attempt_id(1));
  EXPECT_EQ(text_of(machine_.order(kStart, interrupt(attempt_id(1)))), "interrupt #1");
  EXPECT_EQ(machine_.due(), kStart + seconds(20));
  EXPECT_EQ(text_of(machine_.order(kStart + seconds(9), interrupt(attempt_id(1)))), "")
      << "told again by another master";
  EXPECT_EQ(text_of(machine_.tick(kStart + seconds(19))), "");
  EXPECT_EQ(text_of(machine_.tick(kStart + seconds(20))), "terminate #1");
  EXPECT_EQ(machine_.due(), kStart + seconds(25));
  EXPECT_EQ(text_of(machine_.tick(kStart + seconds(25))), "kill #1");
  EXPECT_EQ(text_of(machine_.ended(attempt_id(1), exit_code(130), kStart)),
            "tell attempt-ended #1 stopped.user_stop");
}

TEST_F(AgentMachine, WhatIsInterruptedCanBeHastened) {
  run(attempt_id(1));
  (void)machine_.order(kStart, interrupt(attempt_id(1)));
  EXPECT_EQ(text_of(machine_.order(kStart + seconds(1), stop(attempt_id(1)))), "terminate #1");
  EXPECT_EQ(machine_.due(), kStart + seconds(6));
  EXPECT_EQ(text_of(machine_.order(kStart + seconds(2), interrupt(attempt_id(1)))), "");
  EXPECT_EQ(machine_.due(), kStart + seconds(6)) << "an interrupt does not lengthen it";
}

TEST_F(AgentMachine, WhatHasHadTermIsNotInterrupted) {
  run(attempt_id(1));
  (void)machine_.order(kStart, stop(attempt_id(1)));
  EXPECT_EQ(text_of(machine_.order(kStart + seconds(1), interrupt(attempt_id(1)))), "");
  EXPECT_EQ(text_of(machine_.tick(kStart + seconds(5))), "kill #1");
}

TEST_F(AgentMachine, InterruptsAnAttemptThatWasInterruptedWhileStarting) {
  (void)machine_.push_view(view(1));
  (void)machine_.order(kStart, prepare(attempt_id(1)));
  (void)machine_.prepared(attempt_id(1), {"127.0.0.1", 4000, {}});
  (void)machine_.order(kStart, start(attempt_id(1), 1));
  EXPECT_EQ(text_of(machine_.order(kStart, interrupt(attempt_id(1)))), "");
  EXPECT_EQ(text_of(machine_.started(attempt_id(1), 5)), "tell attempt-started; interrupt #1");
}

TEST_F(AgentMachine, StopsWhatIsOnlyPreparedAtOnce) {
  (void)machine_.order(kStart, prepare(attempt_id(1)));
  (void)machine_.prepared(attempt_id(1), {"127.0.0.1", 4000, {}});
  EXPECT_EQ(text_of(machine_.order(kStart, stop(attempt_id(1)))),
            "drop #1; tell attempt-ended #1 stopped.restart");
}

TEST_F(AgentMachine, DropsWhatWasStoppedWhilePreparing) {
  (void)machine_.order(kStart, prepare(attempt_id(1)));
  EXPECT_EQ(text_of(machine_.order(kStart, stop(attempt_id(1)))),
            "tell attempt-ended #1 stopped.restart");
  EXPECT_EQ(text_of(machine_.order(kStart, prepare(attempt_id(2)))), "");
  EXPECT_EQ(text_of(machine_.prepared(attempt_id(1), {"127.0.0.1", 4000, {}})),
            "drop #1; prepare #2");
}

TEST_F(AgentMachine, StopOfAnUnknownAttemptKeepsItFromEverStarting) {
  EXPECT_EQ(text_of(machine_.order(kStart, stop(attempt_id(1)))),
            "tell attempt-ended #1 stopped.restart");
  EXPECT_EQ(text_of(machine_.order(kStart, prepare(attempt_id(1)))),
            "tell attempt-ended #1 stopped.restart");
}

TEST_F(AgentMachine, TermsAnAttemptThatWasStoppedWhileStarting) {
  (void)machine_.push_view(view(1));
  (void)machine_.order(kStart, prepare(attempt_id(1)));
  (void)machine_.prepared(attempt_id(1), {"127.0.0.1", 4000, {}});
  EXPECT_EQ(text_of(machine_.order(kStart, start(attempt_id(1), 1))), "start #1 in 1");
  EXPECT_EQ(text_of(machine_.order(kStart, stop(attempt_id(1)))), "");
  EXPECT_EQ(text_of(machine_.started(attempt_id(1), 5)), "tell attempt-started; terminate #1");
}

TEST_F(AgentMachine, NeverTwoAttemptsOfOneTask) {
  run(attempt_id(1));
  EXPECT_EQ(text_of(machine_.order(kStart, prepare(attempt_id(2)))), "");
  EXPECT_EQ(text_of(machine_.ended(attempt_id(1), exit_code(1), kStart)),
            "tell attempt-ended #1; prepare #2");
}

TEST_F(AgentMachine, IgnoresAnAttemptOlderThanOneItHas) {
  (void)machine_.order(kStart, prepare(attempt_id(2)));
  EXPECT_EQ(text_of(machine_.order(kStart, prepare(attempt_id(1)))), "");
  EXPECT_FALSE(machine_.phase(attempt_id(1)).has_value());
}

TEST_F(AgentMachine, StartOfAnUnknownAttemptEndsIt) {
  EXPECT_EQ(text_of(machine_.order(kStart, start(attempt_id(1), 1))),
            "tell attempt-ended #1 agent.unknown_attempt");
}

TEST_F(AgentMachine, KeepsTasksForTheOrphanWindowThenEndsThem) {
  run(attempt_id(1));
  machine_.disconnected(kStart);
  machine_.disconnected(kStart + seconds(30));
  EXPECT_EQ(machine_.due(), kStart + seconds(60));
  EXPECT_EQ(text_of(machine_.tick(kStart + seconds(59))), "");
  EXPECT_EQ(text_of(machine_.tick(kStart + seconds(60))), "terminate #1");
  EXPECT_EQ(text_of(machine_.ended(attempt_id(1), exit_code(1), kStart)),
            "tell attempt-ended #1 agent.orphaned; quit: no master returned within 1 min");
}

TEST_F(AgentMachine, AMasterThatComesBackEndsTheOrphanWindow) {
  machine_.disconnected(kStart);
  machine_.connected();
  EXPECT_EQ(machine_.due(), HostTime::max());
  EXPECT_EQ(text_of(machine_.tick(kStart + seconds(600))), "");
}

TEST_F(AgentMachine, DismissedItEndsEverythingThenLeaves) {
  run(attempt_id(1));
  EXPECT_EQ(text_of(machine_.dismiss(kStart, "job over")), "terminate #1");
  EXPECT_EQ(machine_.due(), kStart + seconds(1));
  EXPECT_EQ(text_of(machine_.ended(attempt_id(1), exit_code(0), kStart)),
            "tell attempt-ended #1; quit: job over");
  EXPECT_EQ(text_of(machine_.dismiss(kStart, "job over")), "");
}

TEST_F(AgentMachine, AcceptsNothingNewOnceDismissed) {
  EXPECT_EQ(text_of(machine_.dismiss(kStart, "job over")), "quit: job over");
  EXPECT_EQ(text_of(machine_.order(kStart, prepare(attempt_id(1)))), "");
}

TEST_F(AgentMachine, ReportsEverythingItKnowsWithAges) {
  run(attempt_id(1));
  (void)machine_.ended(attempt_id(1), exit_code(3), kStart + seconds(1));
  (void)machine_.order(kStart, prepare(attempt_id(1, 1)));
  const job::AgentReported report = machine_.report(kStart + seconds(4));
  ASSERT_EQ(report.attempts.size(), 2U);
  EXPECT_EQ(report.attempts[0].phase, job::AttemptReport::Phase::Ended);
  EXPECT_EQ(report.attempts[0].exit->age, seconds(3));
  EXPECT_EQ(report.attempts[0].generation, job::Generation{1});
  EXPECT_EQ(report.attempts[1].phase, job::AttemptReport::Phase::Preparing);
  EXPECT_EQ(report.generation, job::Generation{1});
}

TEST_F(AgentMachine, ForgetsEndedAttemptsOnceANewerOneIsAsked) {
  run(attempt_id(1));
  (void)machine_.ended(attempt_id(1), exit_code(3), kStart);
  (void)machine_.order(kStart, prepare(attempt_id(2)));
  EXPECT_EQ(machine_.report(kStart).attempts.size(), 1U);
}

}  // namespace
}  // namespace muster::agent
