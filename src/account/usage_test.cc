#include "account/usage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace muster::account {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::Key;

constexpr WallTime kMidnight = WallTime(std::chrono::sys_days(std::chrono::year(2026) / 11 / 21));

/// One task of 4 GiB and 2 cores on h1: granted at 10 s, started at 20 s, gone at 120 s.
Ledger ledger() {
  job::Plan plan;
  plan.job = job::JobId("usage-000000");
  job::RolePlan role;
  role.name = "worker";
  role.resources = {.memory_bytes = 4ULL << 30, .vcores = 2, .gpus = 1, .other = {}};
  plan.roles.push_back(role);
  Ledger made(plan);
  const job::AttemptId attempt{{job::RoleIndex(0), 0}, 1};
  const job::ContainerId container("c1");
  made.apply(Time(0s), job::JobStarted{});
  made.apply(Time(10s), job::ContainerGranted{job::RequestId(1), container, job::HostName("h1")});
  made.apply(Time(10s), job::AgentJoined{container, "h1:1"});
  made.apply(Time(10s),
             job::AttemptJoined{attempt, {.host = "h1", .port = 5000, .named_ports = {}}});
  made.apply(Time(20s), job::AttemptStarted{attempt, 7});
  made.apply(Time(120s), job::AttemptEnded{attempt, {.exit_code = 0}});
  made.apply(Time(120s),
             job::ContainerEnded{.container = container, .kind = job::ContainerEndKind::Released});
  return made;
}

UsedBy job_of(std::string user, std::string name, WallTime started) {
  return {.user = std::move(user), .queue = "q", .name = std::move(name), .started = started};
}

TEST(Usage, SumsByUser) {
  Usage usage(UsageBy::User, WallTime::min());
  usage.add(job_of("alice", "a", kMidnight), ledger(), Time(200s), {});
  usage.add(job_of("alice", "b", kMidnight), ledger(), Time(200s), {});
  usage.add(job_of("bob", "a", kMidnight), ledger(), Time(200s), {});
  ASSERT_THAT(usage.rows(), ElementsAre(Key("alice"), Key("bob")));
  const UsageRow& alice = usage.rows().at("alice");
  EXPECT_EQ(alice.jobs, 2U);
  EXPECT_EQ(alice.granted, 220s);
  EXPECT_EQ(alice.productive, 200s);
  EXPECT_EQ(alice.queued, 20s);
  EXPECT_DOUBLE_EQ(alice.memory_gib_s, 880);
  EXPECT_DOUBLE_EQ(alice.core_s, 440);
  EXPECT_DOUBLE_EQ(alice.gpu_s, 220);
  EXPECT_NEAR(alice.goodput().value_or(0), 200.0 / 220, 1e-9);
}

TEST(Usage, DividesAJobAtMidnight) {
  Usage usage(UsageBy::Day, WallTime::min());
  usage.add(job_of("alice", "a", kMidnight - 50s), ledger(), Time(200s), {});
  ASSERT_THAT(usage.rows(), ElementsAre(Key("2026-11-20"), Key("2026-11-21")));
  EXPECT_EQ(usage.rows().at("2026-11-20").granted, 40s);
  EXPECT_EQ(usage.rows().at("2026-11-21").granted, 70s);
}

TEST(Usage, GroupsByHostNameAndQueue) {
  for (const auto& [by, key] : {std::pair(UsageBy::Host, "h1"), std::pair(UsageBy::Name, "a"),
                                std::pair(UsageBy::Queue, "q")}) {
    Usage usage(by, WallTime::min());
    usage.add(job_of("alice", "a", kMidnight), ledger(), Time(200s), {});
    EXPECT_THAT(usage.rows(), ElementsAre(Key(key)));
  }
}

TEST(Usage, LeavesOutWhatCameBefore) {
  Usage usage(UsageBy::User, kMidnight + 70s);
  usage.add(job_of("alice", "a", kMidnight), ledger(), Time(200s), {});
  usage.add(job_of("bob", "a", kMidnight - 1h), ledger(), Time(200s), {});
  ASSERT_THAT(usage.rows(), ElementsAre(Key("alice")));
  EXPECT_EQ(usage.rows().at("alice").granted, 50s);
}

}  // namespace
}  // namespace muster::account
