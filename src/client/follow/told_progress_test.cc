#include "client/follow/told_progress.h"

#include "client/measure/usage_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace muster::client {
namespace {

metrics::Series series(const std::string& name, uint32_t attempt, double value,
                       uint32_t index = 0) {
  return {.subject = {.role = "worker", .index = index, .attempt = attempt},
          .metric = {.name = name, .unit = "", .kind = metrics::Kind::Gauge},
          .points = {{.time_s = 1, .value = -1}, {.time_s = 2, .value = value}}};
}

TEST(ProgressLine, IsOfTheTaskThatIsFurthest) {
  const std::vector<metrics::Series> told = {
      series("user.step", 1, 900),          series("user.step", 2, 120),
      series("user.step.max", 2, 1000),     series("user.step.rate", 2, 3.4),
      series("user.loss", 2, std::nan("")), series("user.step", 1, 50, 1)};
  EXPECT_EQ(progress_line(told),
            "progress: step 120 of 1000 (12 %), 3.4 steps/s; loss nan (worker:0)");
}

TEST(ProgressLine, MayHaveNumbersAlone) {
  EXPECT_EQ(progress_line(std::vector{series("user.loss", 1, 0.25)}),
            "progress: loss 0.25 (worker:0)");
  EXPECT_EQ(progress_line({}), "");
  EXPECT_EQ(progress_line(std::vector{series("container.cpu.usage", 1, 1)}), "");
}

TEST(UsageIn, IsOfTheLastAttemptOfEachTask) {
  const std::vector<metrics::Series> latest = {
      series("container.cpu.usage", 1, 7),
      series("container.cpu.usage", 2, 0.5),
      series("container.memory.usage", 2, 3 << 20),
      series("user.step.rate", 1, 3.4, 1),
      {.subject = metrics::subject_of_host("h1"),
       .metric = {.name = "system.cpu.load_average.1m", .unit = "", .kind = metrics::Kind::Gauge},
       .points = {{.time_s = 1, .value = 1}}}};
  const std::map<std::string, TopUsage> usage = usage_in(latest);
  ASSERT_EQ(usage.size(), 2U);
  EXPECT_EQ(usage_text(usage.at("worker:0")), "cpu 0.50, memory 3M");
  EXPECT_EQ(usage_text(usage.at("worker:1")), "3.4 steps/s");
}

}  // namespace
}  // namespace muster::client
