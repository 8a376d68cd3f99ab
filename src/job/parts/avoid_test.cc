#include "job/parts/avoid.h"

#include <gtest/gtest.h>

#include <chrono>

namespace muster::job {
namespace {

using namespace std::chrono_literals;

std::vector<HostName> names(std::initializer_list<const char*> hosts) {
  std::vector<HostName> list;
  for (const char* host : hosts) {
    list.emplace_back(host);
  }
  return list;
}

TEST(AvoidedHosts, AvoidsNothingAtFirst) {
  AvoidedHosts avoided;
  avoided.saw(HostName("h1"));
  EXPECT_TRUE(avoided.list(Time(0s), 1h, 100).empty());
}

TEST(AvoidedHosts, PutsTheWorstFirst) {
  AvoidedHosts avoided;
  avoided.cluster_has(10);
  avoided.note(HostName("h1"), Time(0s), Harm::Place);
  avoided.note(HostName("h2"), Time(0s), Harm::Place);
  avoided.note(HostName("h2"), Time(1s), Harm::Place);
  avoided.report(HostName("h3"), HostHealth::Unhealthy);
  EXPECT_EQ(avoided.list(Time(2s), 1h, 100), names({"h3", "h2", "h1"}));
}

TEST(AvoidedHosts, NeverAvoidsMoreThanItsShare) {
  AvoidedHosts avoided;
  for (const char* host : {"h1", "h2", "h3"}) {
    avoided.note(HostName(host), Time(0s), Harm::Place);
  }
  EXPECT_EQ(avoided.list(Time(0s), 1h, 33), names({"h1"}));
  avoided.cluster_has(6);
  EXPECT_EQ(avoided.list(Time(0s), 1h, 33), names({"h1", "h2"}));
}

TEST(AvoidedHosts, NeverAvoidsTheOnlyHost) {
  AvoidedHosts avoided;
  avoided.note(HostName("h1"), Time(0s), Harm::Place);
  EXPECT_TRUE(avoided.list(Time(0s), 1h, 33).empty());
}

TEST(AvoidedHosts, ForgivesAfterTheWindow) {
  AvoidedHosts avoided;
  avoided.cluster_has(10);
  avoided.note(HostName("h1"), Time(0s), Harm::Place);
  EXPECT_TRUE(avoided.list(Time(1h), 1h, 33).empty());
  EXPECT_EQ(avoided.list(Time(1h), std::nullopt, 33), names({"h1"}));
}

TEST(AvoidedHosts, TrustsAHostThatIsHealthyAgain) {
  AvoidedHosts avoided;
  avoided.cluster_has(10);
  avoided.report(HostName("h1"), HostHealth::Unhealthy);
  avoided.report(HostName("h1"), HostHealth::Healthy);
  EXPECT_TRUE(avoided.list(Time(0s), 1h, 33).empty());
}

TEST(AvoidedHosts, AnAbsenceCountsForAMinuteAndEachFurtherOneForTwiceAsLong) {
  AvoidedHosts avoided;
  avoided.cluster_has(10);
  const auto is_avoided = [&](Time now) { return !avoided.list(now, 1h, 33).empty(); };
  avoided.note(HostName("h1"), Time(0s), Harm::Absence);
  EXPECT_TRUE(is_avoided(Time(59s)));
  EXPECT_EQ(avoided.next_return(names({"h1"}), Time(59s), 1h), Time(1min));
  EXPECT_FALSE(is_avoided(Time(1min)));
  avoided.note(HostName("h1"), Time(5min), Harm::Absence);
  EXPECT_TRUE(is_avoided(Time(6min)));
  EXPECT_FALSE(is_avoided(Time(7min)));
}

TEST(AvoidedHosts, AnAbsenceDoesNotForgiveWhatThePlaceDid) {
  AvoidedHosts avoided;
  avoided.cluster_has(10);
  avoided.note(HostName("h1"), Time(0s), Harm::Place);
  avoided.note(HostName("h1"), Time(1s), Harm::Absence);
  EXPECT_EQ(avoided.next_return(names({"h1"}), Time(2s), 1h), std::nullopt);
  EXPECT_EQ(avoided.list(Time(30min), 1h, 33), names({"h1"}));
}

TEST(AvoidedHosts, WhatTheClusterHasMissedReturnsOnlyByItsWord) {
  AvoidedHosts avoided;
  avoided.cluster_has(10);
  avoided.note(HostName("h1"), Time(0s), Harm::Absence);
  avoided.report(HostName("h1"), HostHealth::Lost);
  EXPECT_EQ(avoided.next_return(names({"h1"}), Time(2s), 1h), std::nullopt);
  EXPECT_EQ(avoided.list(Time(30min), 1h, 33), names({"h1"}));
}

TEST(AvoidedHosts, WhatThePlanForetellsCountsUntilItIsPardoned) {
  AvoidedHosts avoided;
  avoided.foretell({HostName("h1"), HostName("h2")});
  EXPECT_EQ(avoided.list(Time(24h), 1h, 33), names({"h1", "h2"}));  // Nobody has counted hosts yet.
  avoided.cluster_has(4);
  avoided.note(HostName("h2"), Time(24h), Harm::Place);
  EXPECT_EQ(avoided.list(Time(24h), 1h, 33), names({"h2"}));
  EXPECT_TRUE(avoided.has_foretold());
  avoided.pardon();
  EXPECT_FALSE(avoided.has_foretold());
  EXPECT_EQ(avoided.list(Time(25h), 1h, 100), names({}));
}

TEST(AvoidedHosts, ForgetsWhatWasForetoldOfAHostThatIsMended) {
  AvoidedHosts avoided;
  avoided.foretell({HostName("h1")});
  avoided.report(HostName("h1"), HostHealth::Unhealthy);
  avoided.report(HostName("h1"), HostHealth::Healthy);
  EXPECT_TRUE(avoided.list(Time(0s), 1h, 100).empty());
}

}  // namespace
}  // namespace muster::job
