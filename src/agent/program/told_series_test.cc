#include "agent/program/told_series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

namespace muster::agent {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kSecond = 1'700'000'000;

ToldSeries::Now at(int64_t ms) {
  return {HostTime(std::chrono::milliseconds(ms)),
          WallTime(std::chrono::seconds(kSecond) + std::chrono::milliseconds(ms))};
}

std::string text_of(const std::vector<Told>& told) {
  std::string text;
  for (const Told& each : told) {
    text += each.name + "=" + std::to_string(each.value) + "@" +
            std::to_string(each.time_s - kSecond) + " ";
  }
  return text;
}

scalars::Scalar loss(int64_t step, double value, int64_t at_ms) {
  return {.name = "loss", .value = value, .step = step, .at = at(at_ms).wall};
}

TEST(ToldSeries, HasTheLastValueOfASecond) {
  ToldSeries series;
  EXPECT_TRUE(series.empty());
  EXPECT_EQ(series.take_line(R"({"step": 1, "loss": 0.5})", at(0)), "");
  EXPECT_EQ(series.take_line(R"({"step": 3, "loss": 0.25, "max_steps": 10})", at(500)), "");
  EXPECT_EQ(text_of(series.take_rest(at(900))),
            "user.loss=0.250000@0 user.step=3.000000@0 user.step.max=10.000000@0 "
            "user.step.rate=4.000000@0 ");
  EXPECT_FALSE(series.empty());
}

TEST(ToldSeries, HandsOverEachSecondOnce) {
  ToldSeries series;
  (void)series.take_line(R"({"loss": 1})", at(100));
  EXPECT_TRUE(series.take_away(at(200)).empty());
  (void)series.take_line(R"({"loss": 2})", at(800));
  EXPECT_EQ(text_of(series.take_away(at(1100))), "user.loss=2.000000@0 ");
  (void)series.take_line(R"({"loss": 3})", at(1200));
  EXPECT_EQ(text_of(series.take_rest(at(1300))), "user.loss=3.000000@1 ");
  EXPECT_TRUE(series.take_rest(at(2000)).empty());
}

TEST(ToldSeries, AStepAndItsValuesStayTogether) {
  ToldSeries series;
  (void)series.take_line(R"({"step": 1, "loss": 0.5})", at(100));
  (void)series.take_away(at(300));  // Looks at the step in the middle of a second.
  (void)series.take_line(R"({"step": 2, "loss": 0.25})", at(600));
  const std::string text = text_of(series.take_away(at(1100)));
  EXPECT_THAT(text, HasSubstr("user.loss=0.250000@0"));
  EXPECT_THAT(text, HasSubstr("user.step=2.000000@0"));
}

TEST(ToldSeries, SaysWhatIsWrongWithALine) {
  ToldSeries series;
  EXPECT_THAT(series.take_line("no json", at(0)), HasSubstr("must be a JSON object"));
  EXPECT_TRUE(series.take_rest(at(0)).empty());
}

TEST(ToldSeries, KeepsTheLastOfTooManyLines) {
  ToldSeries series;
  for (int step = 1; step <= 100000; ++step) {
    EXPECT_EQ(series.take_line("{\"step\": " + std::to_string(step) + "}", at(100)), "");
  }
  EXPECT_THAT(text_of(series.take_rest(at(200))), HasSubstr("user.step=100000.000000@0"));
}

TEST(ToldSeries, PutsEventsAtTheirOwnTimes) {
  ToldSeries series;
  for (int64_t step = 0; step <= 100; ++step) {
    series.take_event("", loss(step, static_cast<double>(step), 1000 * step), at(120000));
  }
  const std::vector<Told> told = series.take_rest(at(120000));
  EXPECT_EQ(told.front().name, "user.loss");
  EXPECT_EQ(told.front().time_s, kSecond);
  EXPECT_EQ(series.progress().first_step_at(), at(0).host);
  EXPECT_NEAR(series.progress().steps_per_second(at(100000).host).value_or(0), 1, 0.01);
}

TEST(ToldSeries, DoesNotBelieveWrongClocks) {
  ToldSeries series;
  series.take_event("", loss(1, 1, 3600'000), at(0));
  series.take_event("", loss(2, 2, -7200'000), at(1000));
  EXPECT_THAT(text_of(series.take_rest(at(1000))), HasSubstr("user.loss=1.000000@0 "));
}

TEST(ToldSeries, NamesOtherRunsByTheirFolders) {
  ToldSeries series;
  series.take_event("train", loss(1, 1, 0), at(0));
  series.take_event("validation", loss(1, 2, 0), at(0));
  series.take_event("", loss(1, 3, 0), at(0));
  EXPECT_EQ(text_of(series.take_rest(at(0))),
            "user../loss=3.000000@0 user.loss=1.000000@0 user.step=1.000000@0 "
            "user.validation/loss=2.000000@0 ");
}

TEST(ToldSeries, TakesTheHighestCountAsTheStep) {
  ToldSeries series;
  scalars::Scalar epoch = loss(1, 1, 0);
  epoch.name = "epoch_loss";
  series.take_event("", epoch, at(0));
  series.take_event("", loss(100, 1, 0), at(0));
  epoch.step = 2;
  series.take_event("", epoch, at(1000));
  EXPECT_EQ(series.progress().step(), 100);
}

TEST(ToldSeries, BelievesLinesBeforeFiles) {
  ToldSeries series;
  series.take_event("", loss(500, 1, 0), at(0));
  (void)series.take_line(R"({"step": 2})", at(1000));
  series.take_event("", loss(501, 1, 1000), at(1000));
  EXPECT_EQ(series.progress().step(), 2);
}

TEST(ToldSeries, BoundsNamesAndValues) {
  ToldSeries series;
  for (int i = 0; i < 1000; ++i) {
    (void)series.take_line("{\"n" + std::to_string(i) + "\": 1, \"step\": 1}", at(1000 * i));
  }
  EXPECT_GT(series.names_refused(), 0U);
  const std::vector<Told> told = series.take_rest(at(1000000));
  std::set<std::string> names;
  for (const Told& each : told) {
    names.insert(each.name);
  }
  EXPECT_LE(names.size(), ToldSeries::kNamesMax + 3);
  EXPECT_EQ(told.back().name, "user.step");
  for (int64_t second = 0; second < 30000; ++second) {
    series.take_event("", loss(second, 1, 1000 * second), at(1000 * second));
  }
  EXPECT_LE(series.take_rest(at(30'000'000)).size(), ToldSeries::kWaitingMax + 3);
}

TEST(ToldSeries, KeepsItsOwnNames) {
  ToldSeries series;
  scalars::Scalar scalar = loss(5, 99, 0);
  scalar.name = "step.rate";
  series.take_event("", scalar, at(0));
  EXPECT_EQ(text_of(series.take_rest(at(0))), "user.step=5.000000@0 ");
}

}  // namespace
}  // namespace muster::agent
