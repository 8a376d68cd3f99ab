// The folds, with the real machine: status document, summary, replay.
#include "eventlog/status.h"

#include "eventlog/replay.h"
#include "eventlog/summary.h"
#include "job/machine.h"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace muster::eventlog {
namespace {

namespace json = boost::json;

Result<job::Plan> plan_of(const std::string&, const std::string& job_id, uint64_t seed) {
  job::Plan plan;
  plan.job = job::JobId(job_id);
  plan.seed = seed;
  plan.name = "digits";
  plan.roles.push_back({.name = "worker", .tasks = 1, .tasks_min = 1});
  plan.roles[0].restart.process = 0;
  plan.roles[0].restart.container = 0;
  plan.roles[0].restart.host = 0;
  return plan;
}

/// Returns the log of a job of one task that is started and fails with exit code 7.
Log failing_job() {
  const job::AttemptId attempt{{job::RoleIndex(0), 0}, 1};
  const job::ContainerId container("c1");
  job::Exit exit{.exit_code = 7};
  exit.failure = {"user.exit", job::FailureKind::User, job::Remedy::GiveUp, "ValueError: \xff",
                  "look"};
  const std::vector<job::Fact> facts = {
      job::JobStarted{},
      job::ContainerGranted{job::RequestId(1), container, job::HostName("h1")},
      job::AgentJoined{container, "127.0.0.1:9"},
      job::AttemptJoined{attempt, {"127.0.0.1", 7001, {}}},
      job::AttemptStarted{attempt, 99},
      job::EndpointPublished{attempt, "tensorboard", "http://127.0.0.1:6006"},
      job::AttemptEnded{attempt, exit},
      job::ContainerEnded{container, job::ContainerEndKind::Released, std::nullopt, ""},
  };
  Log log;
  log.header = {1, job::kMachineVersion, "0.1.0", "digits-1", job::Epoch(1), 3, {}, "{}"};
  for (const job::Fact& fact : facts) {
    const auto at = std::chrono::milliseconds(10 * log.records.size());
    log.records.push_back(
        {log.records.size(), Time(at), WallTime(std::chrono::days(20'000)) + at, fact});
  }
  return log;
}

StatusContext context(const Replayed& replayed) {
  return {.logs_folder = "/jobs/digits-1/logs", .started = replayed.started};
}

struct Folding : ::testing::Test {
  Folding() : replayed(*replay(failing_job(), plan_of)) {}
  json::object parse(const std::string& text) { return json::parse(text).as_object(); }
  Replayed replayed;
};

TEST_F(Folding, ReplaysToTheStateOfTheLiveMachine) {
  const Log log = failing_job();
  job::Machine live(*plan_of("", "digits-1", 3));
  for (const Record& record : log.records) {
    (void)live.apply(record.at, record.fact);
  }
  EXPECT_EQ(replayed.machine.digest(), live.digest());
  EXPECT_EQ(replayed.next_index, log.records.size());
  EXPECT_EQ(replayed.started, WallTime(std::chrono::days(20'000)));
}

TEST_F(Folding, TellsOfAFailedJob) {
  const job::Machine& machine = replayed.machine;
  const json::object status =
      parse(status_json(machine.plan(), machine.state(), context(replayed)));
  EXPECT_EQ(status.at("schema"), "muster.status/1");
  EXPECT_EQ(status.at("job"), "digits-1");
  EXPECT_TRUE(status.at("application_id").is_null());
  ASSERT_EQ(status.at("phase"), "ended");
  EXPECT_EQ(status.at("started"), "2024-10-04T00:00:00.000Z");
  const json::object& outcome = status.at("outcome").as_object();
  EXPECT_EQ(outcome.at("result"), "failed");
  EXPECT_EQ(outcome.at("class"), "user.exit");
  EXPECT_EQ(outcome.at("exit_status"), 1);
  const json::object& cause = outcome.at("first_cause").as_object();
  EXPECT_EQ(cause.at("task"), "worker:0");
  EXPECT_EQ(cause.at("attempt"), 1);
  EXPECT_EQ(cause.at("exit_code"), 7);
  EXPECT_TRUE(cause.at("signal").is_null());
  EXPECT_EQ(cause.at("evidence"), "ValueError: \xEF\xBF\xBD");
  EXPECT_EQ(cause.at("hint"), "look");
  EXPECT_EQ(cause.at("log"), "/jobs/digits-1/logs/worker-0.1.stderr");
  const StatusContext elsewhere{.logs_folder = "muster logs digits-1"};
  EXPECT_EQ(
      parse(outcome_json(machine.plan(), machine.state(), elsewhere)).at("first_cause").at("log"),
      "muster logs digits-1 worker:0");
  job::Plan merged = machine.plan();
  merged.spec.logs.merged = true;
  EXPECT_EQ(
      parse(outcome_json(merged, machine.state(), context(replayed))).at("first_cause").at("log"),
      "/jobs/digits-1/logs/worker-0.1.stdout");
  // If the failure has no advice of its own, its class has some.
  job::State state = machine.state();
  state.outcome->first_cause->failure.hint.clear();
  const json::value advice =
      parse(outcome_json(machine.plan(), state, elsewhere)).at("first_cause").at("hint");
  EXPECT_TRUE(advice.as_string().starts_with("see the log")) << advice;
  const json::value& task = status.at("roles").at("worker").at("tasks").at(0);
  EXPECT_EQ(task.at("state"), "failed");
  EXPECT_EQ(task.at("attempts"), 1);
  EXPECT_EQ(task.at("host"), "h1");
  EXPECT_EQ(task.at("exit_code"), 7);
}

TEST_F(Folding, ATaskWithoutAnAttemptHasTheSameKeys) {
  const Replayed replayed = *replay(failing_job(), plan_of);
  const auto first_task = [&](const job::State& state) {
    const json::object status =
        parse(status_json(replayed.machine.plan(), state, context(replayed)));
    return status.at("roles").at("worker").at("tasks").at(0).as_object();
  };
  job::State state = replayed.machine.state();
  const json::object after = first_task(state);
  state.tasks[0][0].attempts.clear();
  const json::object before = first_task(state);
  EXPECT_EQ(before.at("attempts"), 0);
  for (const json::key_value_pair& member : after) {
    ASSERT_TRUE(before.contains(member.key())) << member.key();
  }
  for (const char* key :
       {"host", "exit_code", "signal", "attempt_state", "container", "address", "stall"}) {
    EXPECT_TRUE(before.at(key).is_null()) << key;
  }
}

TEST_F(Folding, HasNoOutcomeBeforeTheEnd) {
  Log log = failing_job();
  log.records.resize(6);
  const Replayed running = *replay(log, plan_of);
  const job::Machine& machine = running.machine;
  const json::object status = parse(status_json(machine.plan(), machine.state(), context(running)));
  EXPECT_EQ(status.at("phase"), "running");
  EXPECT_TRUE(status.at("outcome").is_null());
  EXPECT_TRUE(status.at("ended").is_null());
  EXPECT_EQ(status.at("endpoints").at("tensorboard"), "http://127.0.0.1:6006");
  EXPECT_EQ(status.at("roles").at("worker").at("tasks").at(0).at("state"), "active");
  ASSERT_FALSE(status.at("timeline").as_array().empty());
  for (const json::value& step : status.at("timeline").as_array()) {
    EXPECT_GE(step.at("ms").as_int64(), 0);
  }
}

TEST_F(Folding, SummaryAgreesWithStatusAndIsReadBack) {
  const job::Machine& machine = replayed.machine;
  const std::string text = summary_json(machine.plan(), machine.state(), context(replayed));
  const json::object status =
      parse(status_json(machine.plan(), machine.state(), context(replayed)));
  EXPECT_EQ(parse(text).at("outcome"), status.at("outcome"));
  const Result<Summary> summary = parse_summary(text);
  ASSERT_TRUE(summary.has_value()) << summary.error().message;
  EXPECT_EQ(summary->result, "failed");
  EXPECT_EQ(summary->exit_status, 1);
  EXPECT_EQ(summary->tasks, 1U);
  EXPECT_EQ(summary->duration_ms, 70);
  ASSERT_EQ(summary->hosts.size(), 1U);
  EXPECT_FALSE(summary->hosts[0].host.empty());
  EXPECT_EQ(summary->hosts[0].attempts, 1U);
  EXPECT_EQ(summary->hosts[0].failed, 1U);
}

TEST_F(Folding, ASummaryOfAnEarlierVersionHasNoHosts) {
  const job::Machine& machine = replayed.machine;
  json::object text = parse(summary_json(machine.plan(), machine.state(), context(replayed)));
  text.erase("hosts");
  EXPECT_TRUE(parse_summary(json::serialize(text))->hosts.empty());
  // Whoever wrote it may lie: entries that are not valid are left out, and the list is bounded.
  json::array rows = {7, json::object{{"host", "h1"}},
                      json::object{{"host", std::string(300, 'x')}, {"attempts", 1}, {"failed", 0}},
                      json::object{{"host", "h1"}, {"attempts", -1}, {"failed", 0}}};
  for (int i = 0; i < 1000; ++i) {
    rows.push_back(json::object{{"host", "<b>h"}, {"attempts", 2}, {"failed", 1}});
  }
  text["hosts"] = rows;
  const Result<Summary> summary = parse_summary(json::serialize(text));
  ASSERT_TRUE(summary.has_value());
  EXPECT_EQ(summary->hosts.size(), kSummaryHostsMax);
  EXPECT_EQ(summary->hosts.front(), (HostShare{"<b>h", 2, 1}));
}

TEST(ParseSummary, NamesWhatIsWrong) {
  EXPECT_EQ(parse_summary("").error().code, Errc::Corrupt);
  EXPECT_EQ(parse_summary("[]").error().message, "summary.json is damaged: not valid JSON");
  EXPECT_EQ(parse_summary(R"({"schema":"muster.summary/1","job":"x"})").error().message,
            "summary.json is damaged: \"name\" is missing");
}

TEST(CanContinue, RefusesAnotherMachine) {
  Header header = failing_job().header;
  EXPECT_TRUE(can_continue(header).has_value());
  header.machine_version += 1;
  EXPECT_EQ(can_continue(header).error().code, Errc::Unsupported);
}

}  // namespace
}  // namespace muster::eventlog
