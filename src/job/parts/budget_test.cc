#include "job/parts/budget.h"

#include <gtest/gtest.h>

#include <chrono>

namespace muster::job {
namespace {

using namespace std::chrono_literals;

TEST(Ledger, ChargesUntilTheCountIsSpent) {
  const RestartBudget budget{.process = 2};
  Ledger ledger;
  EXPECT_TRUE(ledger.charge(Rung::Process, Time(1s), budget));
  EXPECT_TRUE(ledger.charge(Rung::Process, Time(2s), budget));
  EXPECT_FALSE(ledger.charge(Rung::Process, Time(3s), budget));
  EXPECT_TRUE(ledger.charge(Rung::Container, Time(3s), budget));
  EXPECT_EQ(ledger.count(Time(3s), budget), 3U);
}

TEST(Ledger, ForgetsWhatIsOlderThanTheWindow) {
  const RestartBudget budget{.process = 1, .window = 10s};
  Ledger ledger;
  EXPECT_TRUE(ledger.charge(Rung::Process, Time(0s), budget));
  EXPECT_FALSE(ledger.charge(Rung::Process, Time(9s), budget));
  EXPECT_TRUE(ledger.charge(Rung::Process, Time(10s), budget));
}

TEST(Ledger, WithoutAWindowForgetsNothing) {
  const RestartBudget budget{.process = 1, .window = std::nullopt};
  Ledger ledger;
  EXPECT_TRUE(ledger.charge(Rung::Process, Time(0s), budget));
  EXPECT_FALSE(ledger.charge(Rung::Process, Time(10000h), budget));
}

TEST(Rungs, LeadUpFromTheFirst) {
  EXPECT_EQ(rungs_from(Rung::Process).size(), 3U);
  EXPECT_EQ(rungs_from(Rung::Container).front(), Rung::Container);
  EXPECT_EQ(rungs_from(Rung::Host).size(), 1U);
  EXPECT_EQ(rungs_from(Rung::Infrastructure).front(), Rung::Infrastructure);
  EXPECT_TRUE(rungs_from(Rung::None).empty());
}

TEST(Backoff, DoublesUpToTheHighest) {
  EXPECT_EQ(backoff_of(1s, 1min, 1, 0), 1s);
  EXPECT_EQ(backoff_of(1s, 1min, 2, 0), 2s);
  EXPECT_EQ(backoff_of(1s, 1min, 6, 0), 32s);
  EXPECT_EQ(backoff_of(1s, 1min, 7, 0), 1min);
  EXPECT_EQ(backoff_of(1s, 1min, 4'000'000'000U, 0), 1min);
  EXPECT_EQ(backoff_of(0s, 0s, 9, 12345), 0s);
}

TEST(Backoff, AddsATenthAtMost) {
  for (uint64_t i = 0; i < 1000; ++i) {
    const Duration wait = backoff_of(10s, 10s, 1, jitter_bits(7, i, 1));
    EXPECT_GE(wait, 10s);
    EXPECT_LE(wait, 11s);
  }
}

TEST(Jitter, DependsOnEveryPart) {
  EXPECT_EQ(jitter_bits(1, 2, 3), jitter_bits(1, 2, 3));
  EXPECT_NE(jitter_bits(1, 2, 3), jitter_bits(2, 2, 3));
  EXPECT_NE(jitter_bits(1, 2, 3), jitter_bits(1, 3, 3));
  EXPECT_NE(jitter_bits(1, 2, 3), jitter_bits(1, 2, 4));
}

}  // namespace
}  // namespace muster::job
