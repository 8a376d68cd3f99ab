#include "cluster/yarn/client/application_end.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::cluster::yarn {
namespace {

namespace rm = hadoop::yarn;
using job::JobResult;
using job::OutcomeReason;

job::Outcome outcome(rm::ApplicationState state, rm::FinalStatus status) {
  rm::ApplicationReport report;
  report.state = state;
  report.final_status = status;
  return outcome_of(report, "what the cluster says");
}

TEST(ApplicationEnd, IsWhatTheMasterSaidInItsFarewell) {
  const auto stopped = outcome(rm::ApplicationState::Finished, rm::FinalStatus::Killed);
  EXPECT_EQ(stopped.result, JobResult::Stopped);
  EXPECT_EQ(stopped.reason, OutcomeReason::StoppedByUser);
  EXPECT_EQ(stopped.message, "what the cluster says");
  EXPECT_EQ(outcome(rm::ApplicationState::Finished, rm::FinalStatus::Succeeded), job::Outcome());
  EXPECT_EQ(outcome(rm::ApplicationState::Finished, rm::FinalStatus::Failed).result,
            JobResult::Failed);
}

TEST(ApplicationEnd, IsAFailureWithoutOne) {
  for (const auto state : {rm::ApplicationState::Killed, rm::ApplicationState::Failed,
                           rm::ApplicationState::Unknown}) {
    const auto ended = outcome(state, rm::FinalStatus::Killed);
    EXPECT_EQ(ended.result, JobResult::Failed);
    EXPECT_EQ(ended.class_name, "cluster.application");
  }
}

TEST(ApplicationEnd, IsAStopWhereNoMasterWasThereToSaySo) {
  rm::ApplicationReport report;
  report.state = rm::ApplicationState::Killed;
  const std::string words = "killed by user alice at 10.0.0.7 with diagnostic message: ";
  EXPECT_EQ(outcome_of(report, words + "stopped by alice on pts/3").result, JobResult::Stopped);
  EXPECT_EQ(outcome_of(report, words + "no longer needed").result, JobResult::Failed);
}

}  // namespace
}  // namespace muster::cluster::yarn
