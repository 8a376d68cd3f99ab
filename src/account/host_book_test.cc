#include "account/host_book.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>

namespace muster::account {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr WallTime kNow = WallTime(std::chrono::sys_days(std::chrono::year(2026) / 11 / 21));

std::string line_of(Duration age, const std::string& hosts) {
  return fmt::format(R"({{"job":"a-000000","at_us":{},"hosts":[{}]}})"
                     "\n",
                     (kNow - age).time_since_epoch().count(), hosts);
}

std::string failed(const std::string& host, int failures, const std::string& kind = "failures") {
  return fmt::format(R"({{"host":"{}","{}":{},"class":"host.disk"}})", host, kind, failures);
}

/// Five hosts that have done no harm.
std::string innocent() {
  std::string hosts;
  for (int i = 1; i <= 5; ++i) {
    hosts += fmt::format(R"({}{{"host":"h{}"}})", i == 1 ? "" : ",", i);
  }
  return line_of(1h, hosts);
}

TEST(HostBook, AvoidsWhereJobsFailedTwice) {
  const HostBook book(innocent() + line_of(1h, failed("h3", 1)) + line_of(2h, failed("h3", 1)),
                      kNow);
  ASSERT_THAT(book.to_avoid(), ElementsAre(Field(&HostToAvoid::host, job::HostName("h3"))));
  EXPECT_EQ(book.to_avoid()[0].reason, "2 failures (host.disk, 2026-11-20)");
  EXPECT_EQ(book.hosts().at(job::HostName("h3")).jobs, 3U);
}

TEST(HostBook, OneFailureIsNotEnoughAndOneOfAGpuIs) {
  EXPECT_THAT(HostBook(innocent() + line_of(1h, failed("h3", 1)), kNow).to_avoid(), IsEmpty());
  EXPECT_THAT(HostBook(innocent() + line_of(1h, failed("h3", 1, "gpu_errors")), kNow).to_avoid(),
              SizeIs(1));
}

TEST(HostBook, HarmDecays) {
  const std::string lines = innocent() + line_of(24h * 3, failed("h3", 2));
  const HostBook book(lines, kNow);
  EXPECT_NEAR(book.hosts().at(job::HostName("h3")).failures, 1, 0.01);
  EXPECT_THAT(book.to_avoid(), IsEmpty());
  EXPECT_THAT(HostBook(lines, kNow + 24h * 60).hosts(), IsEmpty());
}

TEST(HostBook, NeverAvoidsMoreThanAShare) {
  std::string lines = innocent();
  for (int i = 1; i <= 5; ++i) {
    lines += line_of(1h, failed(fmt::format("h{}", i), 3 + i));
  }
  EXPECT_THAT(HostBook(lines, kNow).to_avoid(),
              ElementsAre(Field(&HostToAvoid::host, job::HostName("h5"))));
  EXPECT_THAT(HostBook(line_of(1h, failed("only", 9)), kNow).to_avoid(), IsEmpty());
}

TEST(HostBook, SurvivesADamagedFile) {
  const std::string lines =
      innocent() + "{\"job\":\"torn\n" + "\xff\xfe\n" + "[1,2]\n" + line_of(1h, R"({"host":""})") +
      line_of(1h, R"("h1")") + line_of(1h, R"({"host":"a\u001b[2Jb","failures":9})") +
      line_of(1h, R"({"host":"h3","failures":-5,"slow":"much"})") + line_of(1h, failed("h3", 2));
  const HostBook book(lines, kNow);
  EXPECT_EQ(book.damaged(), 6U);
  EXPECT_THAT(book.to_avoid(), SizeIs(1));
  EXPECT_THAT(HostBook("", kNow).hosts(), IsEmpty());
}

TEST(HostBook, ALineOfTheFutureCountsAsNew) {
  const HostBook book(innocent() + line_of(-1h * 24 * 3650, failed("h3", 2)), kNow);
  EXPECT_NEAR(book.hosts().at(job::HostName("h3")).failures, 2, 0.01);
  EXPECT_EQ(book.hosts().at(job::HostName("h3")).seen, kNow);
}

/// Four independent tasks, one per host, whose runs take this long.
job::Machine machine_of(std::vector<Duration> runs, std::optional<job::Failure> first_failure) {
  job::Plan plan;
  plan.job = job::JobId("hosts-000000");
  job::RolePlan role;
  role.name = "worker";
  role.tasks = role.tasks_min = static_cast<uint32_t>(runs.size());
  role.restart.backoff_low = role.restart.backoff_high = Duration::zero();
  role.restart.process = 0;
  plan.roles.push_back(role);
  job::Machine machine(plan);
  const auto tell = [&](Duration at, const job::Fact& fact) {
    std::ignore = machine.apply(Time(at), fact);
  };
  tell(0s, job::JobStarted{});
  for (uint32_t i = 0; i < runs.size(); ++i) {
    const std::string name = std::to_string(i + 1);
    const job::AttemptId attempt{{job::RoleIndex(0), i}, 1};
    tell(0s, job::ContainerGranted{job::RequestId(i + 1), job::ContainerId("c" + name),
                                   job::HostName("h" + name)});
    tell(0s, job::AgentJoined{job::ContainerId("c" + name), "h:1"});
    tell(0s, job::AttemptJoined{attempt, {.host = "h", .port = 5000, .named_ports = {}}});
  }
  for (uint32_t i = 0; i < runs.size(); ++i) {
    tell(1s, job::AttemptStarted{{{job::RoleIndex(0), i}, 1}, 7});
  }
  std::vector<uint32_t> order(runs.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](uint32_t i) { return runs[i]; });
  for (const uint32_t i : order) {
    job::Exit exit{.exit_code = 0};
    if (i == 0 && first_failure) {
      exit = {.exit_code = 1, .failure = first_failure};
    }
    tell(1s + runs[i], job::AttemptEnded{{{job::RoleIndex(0), i}, 1}, exit});
  }
  return machine;
}

TEST(HostLine, NamesEveryHostAndWhatFailedThere) {
  const job::Failure disk{.class_name = "host.disk",
                          .kind = job::FailureKind::Resource,
                          .remedy = job::Remedy::Elsewhere};
  const std::string line = host_line(machine_of({1s, 1s}, disk), kNow);
  EXPECT_THAT(line, HasSubstr(R"({"host":"h1","failures":1,"gpu_errors":0,"slow":0.00,)"
                              R"("class":"host.disk"})"));
  EXPECT_THAT(line, HasSubstr(R"({"host":"h2","failures":0)"));
  const HostBook book(line, kNow);
  EXPECT_EQ(book.damaged(), 0U);
  EXPECT_NEAR(book.hosts().at(job::HostName("h1")).failures, 1, 1e-9);
}

TEST(HostLine, DoesNotBlameAHostForItsProgram) {
  const job::Failure user{.class_name = "user.traceback", .kind = job::FailureKind::User};
  EXPECT_THAT(host_line(machine_of({1s, 1s}, user), kNow),
              ::testing::Not(HasSubstr("\"failures\":1")));
}

TEST(HostLine, NotesTheHostWhereATaskTookMuchLonger) {
  const std::string line = host_line(machine_of({60s, 61s, 62s, 95s}, {}), kNow);
  const HostBook book(line, kNow);
  EXPECT_NEAR(book.hosts().at(job::HostName("h4")).slow, 95.0 / 62 - 1, 0.01);
  EXPECT_EQ(book.hosts().at(job::HostName("h1")).slow, 0);
}

TEST(HostLine, DoesNotCompareShortRuns) {
  EXPECT_THAT(host_line(machine_of({1s, 1s, 1s, 9s}, {}), kNow),
              ::testing::Not(HasSubstr("\"slow\":8")));
}

TEST(HostLine, BlamesTheGpuOfAHost) {
  const job::Failure gpu{.class_name = "gpu.hardware", .kind = job::FailureKind::Resource};
  EXPECT_THAT(host_line(machine_of({1s, 1s}, gpu), kNow), HasSubstr("\"gpu_errors\":1"));
}

}  // namespace
}  // namespace muster::account
