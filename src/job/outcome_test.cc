#include "job/outcome.h"

#include <gtest/gtest.h>

namespace muster::job {
namespace {

TEST(Outcome, HasAnExitStatusForEachReason) {
  EXPECT_EQ(exit_status(OutcomeReason::Completed), 0);
  EXPECT_EQ(exit_status(OutcomeReason::ProgramFailed), 1);
  EXPECT_EQ(exit_status(OutcomeReason::ClusterFailed), 3);
  EXPECT_EQ(exit_status(OutcomeReason::StoppedByUser), 4);
  EXPECT_EQ(exit_status(OutcomeReason::DeadlinePassed), 5);
  EXPECT_EQ(exit_status(OutcomeReason::Refused), 6);
}

}  // namespace
}  // namespace muster::job
