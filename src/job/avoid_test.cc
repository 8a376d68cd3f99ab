#include "job/avoid.h"

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
  avoided.note(HostName("h1"), Time(0s));
  avoided.note(HostName("h2"), Time(0s));
  avoided.note(HostName("h2"), Time(1s));
  avoided.report(HostName("h3"), HostHealth::Unhealthy);
  EXPECT_EQ(avoided.list(Time(2s), 1h, 100), names({"h3", "h2", "h1"}));
}

TEST(AvoidedHosts, NeverAvoidsMoreThanItsShare) {
  AvoidedHosts avoided;
  for (const char* host : {"h1", "h2", "h3"}) {
    avoided.note(HostName(host), Time(0s));
  }
  EXPECT_EQ(avoided.list(Time(0s), 1h, 33), names({"h1"}));
  avoided.cluster_has(6);
  EXPECT_EQ(avoided.list(Time(0s), 1h, 33), names({"h1", "h2"}));
}

TEST(AvoidedHosts, NeverAvoidsTheOnlyHost) {
  AvoidedHosts avoided;
  avoided.note(HostName("h1"), Time(0s));
  EXPECT_TRUE(avoided.list(Time(0s), 1h, 33).empty());
}

TEST(AvoidedHosts, ForgivesAfterTheWindow) {
  AvoidedHosts avoided;
  avoided.cluster_has(10);
  avoided.note(HostName("h1"), Time(0s));
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

}  // namespace
}  // namespace muster::job
