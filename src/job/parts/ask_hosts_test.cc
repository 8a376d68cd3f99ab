#include "job/parts/ask_hosts.h"

#include "job/parts/parts_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace muster::job {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Plan plan_avoiding(const std::string& host) {
  Plan plan = plan_of(2);
  plan.hosts_to_avoid = {HostName(host)};
  return plan;
}

struct HostWorld : Ground {
  explicit HostWorld(Plan the_plan) : Ground(std::move(the_plan)) {}

  /// Makes a request for one task.
  RequestContainer ask(uint32_t index) {
    const RequestId id(index + 1);
    const Request request{
        .id = id, .role = kFirstRole, .tasks = {first_role_task(index)}, .asked = turn.now};
    state.requests.emplace(id, request);
    RequestContainer ask{.request = id, .role = kFirstRole};
    hosts.choose(request, ask);
    hosts.watch(ask, request.tasks.front());
    return ask;
  }

  AskHosts hosts{deps, state.requests};
};

TEST(AskHosts, PreferWhereATaskWasThatIsToRejoinUnlessItDidHarm) {
  HostWorld world(plan_of(2, spec::Membership::Rejoin));
  (void)world.hosts.cluster_has(9);
  world.place(first_role_task(0), "c1");
  EXPECT_THAT(world.ask(0).prefer, ElementsAre(HostName("h-c1")));
  EXPECT_THAT(world.ask(1).prefer, IsEmpty()) << "it was nowhere yet";
  world.hosts.note(HostName("h-c1"), Harm::Place);
  world.state.requests.clear();
  const RequestContainer ask = world.ask(0);
  EXPECT_THAT(ask.prefer, IsEmpty());
  EXPECT_THAT(ask.avoid, ElementsAre(HostName("h-c1")));
}

TEST(AskHosts, OnlyRejoiningTasksPreferAHost) {
  HostWorld world(plan_of(1));
  world.place(first_role_task(0), "c1");
  EXPECT_THAT(world.ask(0).prefer, IsEmpty());
}

TEST(AskHosts, NameTheOpenAsksThatLeaveOutAHostWhichIsHealthyAgain) {
  HostWorld world(plan_of(3));
  (void)world.hosts.cluster_has(9);
  EXPECT_THAT(world.hosts.report({HostName("bad"), HostHealth::Unhealthy}), IsEmpty());
  for (const uint32_t index : {0U, 1U, 2U}) {
    EXPECT_THAT(world.ask(index).avoid, ElementsAre(HostName("bad")));
  }
  world.state.requests.at(RequestId(2)).cancelled = true;
  EXPECT_THAT(world.hosts.report({HostName("other"), HostHealth::Healthy}), IsEmpty());
  EXPECT_THAT(world.hosts.report({HostName("bad"), HostHealth::Healthy}),
              ElementsAre(first_role_task(0), first_role_task(2)));
}

TEST(AskHosts, OneTimerAwaitsTheReturnOfHostsForAllAsks) {
  HostWorld world(plan_of(3));
  (void)world.hosts.cluster_has(9);
  world.hosts.note(HostName("away"), Harm::Absence);
  (void)world.ask(0);
  (void)world.ask(1);
  const std::vector<SetDeadline> set = world.take<SetDeadline>();
  ASSERT_EQ(set.size(), 1U);
  EXPECT_EQ(set.front().at, world.turn.now + minutes(1));
  const std::optional<Purpose> passed = world.timers.pass(set.front().deadline);
  ASSERT_TRUE(passed);
  EXPECT_THAT(std::get<HostReturnTimer>(*passed).tasks,
              ElementsAre(first_role_task(0), first_role_task(1)));
  world.hosts.return_passed();
  (void)world.ask(2);
  EXPECT_EQ(world.take<SetDeadline>().size(), 1U);
}

TEST(AskHosts, AfterFiveMinutesTheHostsThatThePlanAvoidsArePardoned) {
  HostWorld world(plan_avoiding("ill"));
  EXPECT_THAT(world.ask(0).avoid, ElementsAre(HostName("ill")));
  const std::vector<SetDeadline> set = world.take<SetDeadline>();
  ASSERT_EQ(set.size(), 1U);
  EXPECT_EQ(set.front().at, world.turn.now + minutes(5));
  world.turn.now = set.front().at;
  EXPECT_THAT(world.hosts.pardon_passed(), ElementsAre(first_role_task(0)));
  EXPECT_THAT(world.ask(1).avoid, IsEmpty());
  EXPECT_THAT(world.take<SetDeadline>(), IsEmpty()) << "nothing is left to pardon";
}

TEST(AskHosts, NobodyIsPardonedForAnAskThatWasAnsweredMeanwhile) {
  HostWorld world(plan_avoiding("ill"));
  (void)world.ask(0);
  world.turn.now += seconds(200);
  (void)world.ask(1);
  const std::vector<SetDeadline> set = world.take<SetDeadline>();
  ASSERT_EQ(set.size(), 1U);
  world.state.requests.erase(RequestId(1));
  world.turn.now = set.front().at;
  EXPECT_THAT(world.hosts.pardon_passed(), IsEmpty());
  const std::vector<SetDeadline> again = world.take<SetDeadline>();
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again.front().at, set.front().at + seconds(200)) << "the younger has its own time";
}

TEST(AskHosts, AsksThatLeaveOutTooManyOfFewHostsAreMadeAnew) {
  HostWorld world(plan_avoiding("ill"));
  EXPECT_THAT(world.ask(0).avoid, ElementsAre(HostName("ill")));
  EXPECT_THAT(world.hosts.cluster_has(9), IsEmpty()) << "of nine, one may be left out";
  EXPECT_THAT(world.hosts.cluster_has(1), ElementsAre(first_role_task(0)));
}

}  // namespace
}  // namespace muster::job
