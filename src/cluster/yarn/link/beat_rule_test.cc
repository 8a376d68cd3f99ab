#include "cluster/yarn/link/beat_rule.h"

#include <gtest/gtest.h>

#include <chrono>

namespace muster::cluster::yarn {
namespace {

using namespace std::chrono_literals;

TEST(BeatRule, SlowsDownWhileNothingChanges) {
  const HostTime begin{1h};
  BeatRule rule;
  rule.changed(begin);
  rule.beaten(begin);
  EXPECT_EQ(rule.next(), begin + 200ms);
  rule.beaten(begin + 14s);
  EXPECT_EQ(rule.next(), begin + 14s + 200ms);
  rule.beaten(begin + 15s);
  EXPECT_EQ(rule.next(), begin + 16s);
  rule.beaten(begin + 5min);
  EXPECT_EQ(rule.next(), begin + 5min + 5s);
  rule.changed(begin + 6min);
  EXPECT_EQ(rule.next(), begin + 5min + 200ms);
}

}  // namespace
}  // namespace muster::cluster::yarn
