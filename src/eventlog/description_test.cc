#include "eventlog/description.h"

#include "eventlog/events.h"
#include "job/machine.h"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace muster::eventlog {
namespace {

namespace json = boost::json;

job::Plan plan_of_two() {
  job::Plan plan;
  plan.job = job::JobId("digits-1");
  plan.name = "digits";
  plan.roles.push_back({.name = "worker", .tasks = 2, .tasks_min = 2});
  plan.spec.name = "digits";
  plan.spec.command = "python3 train.py";
  plan.spec.roles.push_back({.name = "worker", .tasks = 2});
  return plan;
}

json::object parsed(const std::string& text) { return json::parse(text).as_object(); }

TEST(JobDescription, HidesWhatSoundsSecret) {
  job::Plan plan = plan_of_two();
  plan.spec.env["MODE"].text = "shown-value";
  plan.spec.env["API_TOKEN"].text = "hidden-value";
  plan.spec.roles[0].env["db_password"].text = "hidden-value";
  plan.spec.env["MLFLOW_TRACKING_URI"].text = "https://ada:hidden-value@mlflow.example.com/x";
  plan.spec.env["ABOUT"].text = "https://mlflow.example.com/@shown-value";
  PlanFile file;
  file.user = "ada";
  const std::string text = job_json(plan, file);
  EXPECT_EQ(text.find("hidden-value"), std::string::npos) << text;
  EXPECT_NE(text.find("shown-value"), std::string::npos);
  const json::object told = parsed(text);
  EXPECT_EQ(told.at("user").as_string(), "ada");
  EXPECT_EQ(told.at("command").as_string(), "python3 train.py");
  EXPECT_EQ(told.at("plan").at("roles").at(0).at("containers").to_number<int>(), 2);
}

TEST(Events, TellAnAttemptsEndWithWhereItRan) {
  const job::Plan plan = plan_of_two();
  const job::AttemptId attempt{{job::RoleIndex(0), 1}, 1};
  const job::ContainerId container("c2");
  std::vector<Record> records;
  job::Machine machine(plan);
  job::Exit exit{.exit_code = 7};
  exit.failure = {"user.exit", job::FailureKind::User, job::Remedy::GiveUp, "ValueError", ""};
  const std::vector<job::Fact> facts = {
      job::JobStarted{},
      job::ContainerGranted{job::RequestId(1), job::ContainerId("c1"), job::HostName("h1")},
      job::ContainerGranted{job::RequestId(2), container, job::HostName("h2")},
      job::AgentJoined{job::ContainerId("c1"), "h1:1"},
      job::AgentJoined{container, "h2:1"},
      job::AttemptEnded{attempt, exit},
  };
  for (const job::Fact& fact : facts) {
    const auto at = Time(std::chrono::seconds(records.size()));
    records.push_back({.index = records.size(),
                       .at = at,
                       .wall = WallTime(std::chrono::hours(24)) + at.time_since_epoch(),
                       .fact = fact});
    (void)machine.apply(at, fact);
  }
  const json::object ended = parsed(event_json(plan, machine.state(), records.back()));
  EXPECT_EQ(ended.at("type").as_string(), "attempt-ended");
  EXPECT_EQ(ended.at("text").as_string(), "worker:1, attempt 1 ended: exit code 7 (user.exit)");
  EXPECT_EQ(ended.at("task").as_string(), "worker:1");
  EXPECT_EQ(ended.at("host").as_string(), "h2");
  EXPECT_EQ(ended.at("exit_code").to_number<int>(), 7);
  EXPECT_EQ(ended.at("class").as_string(), "user.exit");
  EXPECT_EQ(ended.at("ms").to_number<int64_t>(), 86'400'000 + 5000);
  EXPECT_EQ(ended.at("placed").to_number<int64_t>(), 86'400'000 + 2000);
  const json::object granted = parsed(event_json(plan, machine.state(), records[1]));
  EXPECT_EQ(granted.at("text").as_string(), "container c1 was granted on h1");
  EXPECT_FALSE(granted.contains("task"));
}

}  // namespace
}  // namespace muster::eventlog
