#include "tracking/mlflow.h"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace muster::tracking {
namespace {

namespace json = boost::json;

class MlflowTest : public ::testing::Test {
 protected:
  MlflowTest() {
    plan.job = job::JobId("digits-7f3k2q");
    plan.name = "digits";
    plan.framework = "pytorch";
    plan.roles.resize(2);
    plan.roles[0].name = "worker";
    plan.roles[0].tasks = 4;
    plan.roles[0].resources.memory_bytes = 2ULL << 30;
    plan.roles[1].name = "ps";
    plan.spec.command = "python3 train.py --epochs 5 --api-key hunter2 --data hush-hush-value";
    plan.spec.roles.resize(2);
    plan.spec.roles[0].name = "worker";
    plan.spec.roles[1].name = "ps";
    context.secrets = {{"env.DATA", "hush-hush-value"}};
    context.user = "ada";
  }
  static std::string value_of(const std::vector<Item>& items, std::string_view key) {
    for (const Item& item : items) {
      if (item.key == key) {
        return item.value;
      }
    }
    return "(none)";
  }

  job::Plan plan;
  job::State state;
  Context context;
};

TEST_F(MlflowTest, ParametersAreWhatWasAskedFor) {
  const std::vector<Item> params = parameters(plan, context);
  EXPECT_EQ(value_of(params, "framework"), "pytorch");
  EXPECT_EQ(value_of(params, "roles.worker.tasks"), "4");
  EXPECT_EQ(value_of(params, "roles.worker.memory"), "2 GiB");
  EXPECT_EQ(value_of(params, "epochs"), "5");
  EXPECT_EQ(value_of(params, "data"), "***");
  EXPECT_EQ(value_of(params, "api-key"), "(none)") << "its name sounds secret";
}

TEST_F(MlflowTest, LongAndOddTextsFit) {
  plan.spec.command = "train --a " + std::string(10'000, 'x') + " --b '\x1b[31m<b>\xff'";
  const std::vector<Item> params = parameters(plan, context);
  EXPECT_EQ(value_of(params, "a").size(), 500U);
  const std::string odd = value_of(params, "b");
  EXPECT_EQ(odd.find('\x1b'), std::string::npos);
  EXPECT_FALSE(batch_bodies("r", params, {}, {}).empty());
}

TEST_F(MlflowTest, BatchesKeepTheServersLimits) {
  std::vector<CurvePoint> points(1201, CurvePoint{.key = "loss", .value = 1, .time_s = 7});
  points.back().value = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::string> bodies = batch_bodies("r1", {}, {logged_tag(99)}, points);
  ASSERT_EQ(bodies.size(), 3U);
  const json::value first = json::parse(bodies.front());
  EXPECT_EQ(first.at("run_id"), "r1");
  EXPECT_EQ(first.at("metrics").as_array().size(), 500U);
  EXPECT_TRUE(first.at("tags").as_array().empty()) << "what is told last is true last";
  EXPECT_EQ(first.at("metrics").at(0).at("timestamp"), 7000);
  const json::value last = json::parse(bodies.back());
  EXPECT_EQ(last.at("metrics").as_array().size(), 201U);
  EXPECT_EQ(last.at("metrics").as_array().back().at("value"), "NaN");
  EXPECT_EQ(last.at("tags").at(0).at("value"), "99");
  EXPECT_TRUE(batch_bodies("r1", {}, {}, {}).empty());
}

TEST_F(MlflowTest, HowItCameOutIsAStatusAndTags) {
  job::FirstCause cause;
  cause.attempt = {.task = {.role = job::RoleIndex(0), .index = 2}, .number = 1};
  cause.host = job::HostName("h1");
  cause.failure.evidence = "KeyError: hush-hush-value";
  state.outcome = job::Outcome{.result = job::JobResult::Failed,
                               .class_name = "user.traceback",
                               .message = "worker:2 ended",
                               .first_cause = cause};
  const std::vector<Item> tags = end_tags(plan, state, context);
  EXPECT_EQ(value_of(tags, "muster.class"), "user.traceback");
  EXPECT_EQ(value_of(tags, "muster.first_cause"), "worker:2, attempt 1 on h1");
  EXPECT_EQ(value_of(tags, "muster.evidence"), "KeyError: ***");
  EXPECT_EQ(json::parse(end_body("r", job::JobResult::Failed, {})).at("status"), "FAILED");
  EXPECT_EQ(json::parse(end_body("r", job::JobResult::Stopped, {})).at("status"), "KILLED");
  EXPECT_EQ(json::parse(end_body("r", job::JobResult::Succeeded, {})).at("status"), "FINISHED");
}

TEST_F(MlflowTest, ARunIsFoundAgain) {
  const auto found =
      run_found(R"({"runs":[{"info":{"run_id":"r7"},)"
                R"("data":{"tags":[{"key":"muster.logged_until","value":"1764"}]}}]})");
  ASSERT_TRUE(found.has_value() && found->has_value());
  EXPECT_EQ((*found)->id, "r7");
  EXPECT_EQ((*found)->logged_s, 1764);
  EXPECT_FALSE(run_found("{}")->has_value());
  EXPECT_FALSE(run_found(R"({"runs":[]})")->has_value());
}

TEST_F(MlflowTest, AnswersOfOthersAreRefused) {
  for (const char* text : {"", "[]", "<html>", R"({"runs":[7]})", R"({"runs":[{"info":{}}]})"}) {
    EXPECT_FALSE(run_found(text).has_value()) << text;
  }
  EXPECT_EQ(text_at(R"({"run":{"info":{"run_id":"x"}}})", {"run", "info", "run_id"}), "x");
  for (const char* text : {"", "7", "{}", R"({"run":7})", R"({"run":{"info":{"run_id":7}}})",
                           R"({"run":{"info":{"run_id":""}}})"}) {
    EXPECT_FALSE(text_at(text, {"run", "info", "run_id"}).has_value()) << text;
  }
}

}  // namespace
}  // namespace muster::tracking
