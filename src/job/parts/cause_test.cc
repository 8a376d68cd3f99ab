#include "job/parts/cause.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

namespace muster::job {
namespace {

using std::chrono::seconds;

constexpr TaskId kTask{RoleIndex{0}, 2};
const Time kNow{seconds(100)};

Attempt attempt_on(std::string host) {
  Attempt attempt;
  attempt.number = 3;
  attempt.host = HostName(std::move(host));
  attempt.container = ContainerId("c7");
  return attempt;
}

struct Decision {
  std::string_view name;
  Rung rung;
  bool harms_host;
  OutcomeReason reason = OutcomeReason::ClusterFailed;
};

void expect(const Cause& cause, const Decision& decision) {
  EXPECT_EQ(cause.first.failure.class_name, decision.name);
  EXPECT_EQ(cause.rung, decision.rung) << decision.name;
  EXPECT_EQ(cause.harms_host, decision.harms_host) << decision.name;
  EXPECT_EQ(cause.reason, decision.reason) << decision.name;
  EXPECT_EQ(cause.first.attempt, (AttemptId{kTask, 3}));
  EXPECT_EQ(cause.first.host.value, "h1");
  EXPECT_EQ(cause.first.container.value, "c7");
  EXPECT_EQ(cause.task(), kTask);
}

Cause of_end(ContainerEndKind kind, std::optional<Failure> failure = std::nullopt) {
  return cause_of_end(kTask, attempt_on("h1"),
                      {.container = ContainerId("c7"),
                       .kind = kind,
                       .exit_code = 9,
                       .diagnostics = "words",
                       .cluster_code = {},
                       .failure = std::move(failure)},
                      kNow);
}

TEST(Cause, OfAContainersEndIsTheClusters) {
  using Kind = ContainerEndKind;
  expect(of_end(Kind::Completed), {"agent.ended", Rung::Container, false});
  expect(of_end(Kind::Released), {"container.released", Rung::Infrastructure, false});
  expect(of_end(Kind::HostLost), {"host.lost", Rung::Infrastructure, true});
  expect(of_end(Kind::Preempted), {"container.preempted", Rung::Infrastructure, false});
  expect(of_end(Kind::OverMemory),
         {"memory.limit", Rung::None, false, OutcomeReason::ProgramFailed});
  expect(of_end(Kind::LaunchFailed), {"container.launch", Rung::Host, true});
  expect(of_end(Kind::Killed), {"container.killed", Rung::Container, false});
  const Cause cause = of_end(Kind::Killed);
  EXPECT_EQ(cause.first.exit_code, 9);
  EXPECT_EQ(cause.first.failure.evidence, "words");
  EXPECT_EQ(cause.at, kNow);
}

// "What to do" is said once, in the table of classes.
TEST(Cause, LeavesTheAdviceToItsClass) {
  EXPECT_EQ(of_end(ContainerEndKind::Completed).first.failure.hint, "");
  EXPECT_EQ(of_end(ContainerEndKind::Killed).first.failure.hint, "");
  EXPECT_EQ(of_end(ContainerEndKind::Preempted).first.failure.hint, "");
}

TEST(Cause, OfAContainersEndIsWhatARuleNames) {
  const auto named = [](FailureKind kind, Remedy remedy) {
    return Failure{.class_name = "x", .kind = kind, .remedy = remedy, .evidence = {}, .hint = {}};
  };
  using Kind = ContainerEndKind;
  const auto program = OutcomeReason::ProgramFailed;
  expect(of_end(Kind::Killed, named(FailureKind::Program, Remedy::GiveUp)),
         {"x", Rung::None, false, program});
  expect(of_end(Kind::Killed, named(FailureKind::Program, Remedy::Restart)),
         {"x", Rung::Container, false, program});
  expect(of_end(Kind::Killed, named(FailureKind::Program, Remedy::Elsewhere)),
         {"x", Rung::Host, true, program});
  expect(of_end(Kind::Killed, named(FailureKind::Infrastructure, Remedy::Restart)),
         {"x", Rung::Container, false});
  expect(of_end(Kind::Killed, named(FailureKind::Infrastructure, Remedy::Elsewhere)),
         {"x", Rung::Infrastructure, true});
  expect(of_end(Kind::Killed, named(FailureKind::Stopped, Remedy::Restart)),
         {"x", Rung::Container, false});
  expect(of_end(Kind::OverMemory, named(FailureKind::Infrastructure, Remedy::Restart)),
         {"x", Rung::Infrastructure, false});
}

TEST(Cause, OfAnExitIsWhatTheAgentSays) {
  const auto of = [](FailureKind kind, Remedy remedy) {
    Exit exit;
    exit.exit_code = 1;
    exit.age = seconds(4);
    exit.failure =
        Failure{.class_name = "x", .kind = kind, .remedy = remedy, .evidence = {}, .hint = {}};
    return cause_of_exit(kTask, attempt_on("h1"), exit, kNow);
  };
  const auto program = OutcomeReason::ProgramFailed;
  expect(of(FailureKind::Program, Remedy::Restart), {"x", Rung::Process, false, program});
  expect(of(FailureKind::Program, Remedy::NewPorts), {"x", Rung::Process, false, program});
  expect(of(FailureKind::Program, Remedy::Elsewhere), {"x", Rung::Host, true, program});
  expect(of(FailureKind::Program, Remedy::GiveUp), {"x", Rung::None, false, program});
  expect(of(FailureKind::Infrastructure, Remedy::Restart), {"x", Rung::Infrastructure, false});
  expect(of(FailureKind::Stopped, Remedy::Restart), {"x", Rung::Infrastructure, false});
  expect(of(FailureKind::Infrastructure, Remedy::GiveUp), {"x", Rung::None, false, program});
  EXPECT_EQ(of(FailureKind::Program, Remedy::Restart).at, Time{seconds(96)});
  EXPECT_EQ(of(FailureKind::Program, Remedy::Restart).first.exit_code, 1);
}

TEST(Cause, OfAnExitThatNobodyClassedIsUnknown) {
  Exit exit;
  exit.signal = 9;
  const Cause cause = cause_of_exit(kTask, attempt_on("h1"), exit, kNow);
  expect(cause, {"exit.unknown", Rung::Process, false, OutcomeReason::ProgramFailed});
  EXPECT_EQ(cause.first.signal, 9);
}

TEST(Cause, OfALostAgentAvoidsItsHostUnlessTheAgentEnded) {
  const auto of = [](LossReason reason) {
    return cause_of_loss(kTask, attempt_on("h1"), reason, kNow);
  };
  expect(of(LossReason::Silent), {"agent.silent", Rung::Infrastructure, true});
  expect(of(LossReason::Unreachable), {"agent.unreachable", Rung::Infrastructure, true});
  expect(of(LossReason::Closed), {"agent.ended", Rung::Container, false});
}

TEST(Cause, OfWhatTheMachineSawItself) {
  const Attempt attempt = attempt_on("h1");
  expect(cause_of_launch(kTask, attempt, "no disk", kNow), {"container.launch", Rung::Host, true});
  EXPECT_EQ(cause_of_launch(kTask, attempt, "no disk", kNow).first.failure.evidence, "no disk");
  expect(cause_of_vanishing(kTask, attempt, kNow), {"attempt.vanished", Rung::Container, false});
  const Cause late = cause_of_join_deadline(kTask, attempt, seconds(90), kNow);
  expect(late, {"deadline.join", Rung::Container, false, OutcomeReason::DeadlinePassed});
  EXPECT_EQ(late.first.failure.evidence, "not joined within 1 min 30 s");
}

TEST(Cause, OfAHangMovesTheSuspectAlone) {
  AttemptStalled stalled{.attempt = {kTask, 3}, .silent = seconds(60), .sure = Sureness::Likely};
  const auto of = [&] { return cause_of_stall(kTask, attempt_on("h1"), stalled, kNow); };
  const auto program = OutcomeReason::ProgramFailed;
  expect(of(), {"program.stalled", Rung::Host, true, program});
  EXPECT_EQ(of().first.failure.remedy, Remedy::Elsewhere);
  EXPECT_EQ(of().first.failure.evidence, "no progress for 1 min");
  stalled.place = "sleep (a.py:3)";
  stalled.evidence = "seen";
  EXPECT_EQ(of().first.failure.evidence, "no progress for 1 min in sleep (a.py:3)\nseen");
  stalled.sure = Sureness::Unsure;
  expect(of(), {"program.stalled", Rung::Container, false, program});
  EXPECT_EQ(of().first.failure.remedy, Remedy::Restart);
}

}  // namespace
}  // namespace muster::job
