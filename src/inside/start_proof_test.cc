#include "inside/remote_start.h"

#include <gtest/gtest.h>

namespace muster::inside {
namespace {

TEST(StartProof, IsTheHmacOfChallengeAndCommand) {
  EXPECT_EQ(proof_of("key", "challenge", "run it"),
            "a251a6c59f8e74cf2bb5df6105e04467639142efae8fbcbf24ebda1ae4ff4870");
  EXPECT_NE(proof_of("key", "challenge", "run it"), proof_of("key", "challenge", "run  it"));
  EXPECT_NE(proof_of("key", "challenge", "run it"), proof_of("kez", "challenge", "run it"));
}

}  // namespace
}  // namespace muster::inside
