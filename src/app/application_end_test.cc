#include "app/application_end.h"

#include <gtest/gtest.h>

namespace muster::app {
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

}  // namespace
}  // namespace muster::app
