#include "agent/sampling/rising_sum.h"

#include <gtest/gtest.h>

namespace muster::agent {
namespace {

TEST(RisingSum, CountsFromZero) {
  RisingSum sum;
  EXPECT_EQ(sum.take(7), 7U);
  EXPECT_EQ(sum.take(7), 7U);
  EXPECT_EQ(sum.take(9), 9U);
}

TEST(RisingSum, NeverFallsAndGoesOnFromWhereItFell) {
  RisingSum sum;
  EXPECT_EQ(sum.take(100), 100U);
  EXPECT_EQ(sum.take(40), 100U) << "a process is gone";
  EXPECT_EQ(sum.take(41), 101U);
  EXPECT_EQ(sum.take(0), 101U);
  EXPECT_EQ(sum.take(101), 202U) << "what comes back counts again";
}

}  // namespace
}  // namespace muster::agent
