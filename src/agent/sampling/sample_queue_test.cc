#include "agent/sampling/sample_queue.h"

#include "testing/fake_loop.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace muster::agent {
namespace {

using namespace std::chrono_literals;
using metrics::Builtin;

constexpr job::AttemptId kAttempt{{job::RoleIndex(0), 1}, 2};

metrics::NamedReading reading(const std::string& name, double value) {
  return {.metric = {.name = name, .unit = "", .kind = metrics::Kind::Gauge}, .value = value};
}

TEST(SampleQueue, OfOneSecondTheLastValueCounts) {
  testing::FakeLoop loop;
  loop.advance(100s);
  SampleQueue queue(loop);
  EXPECT_TRUE(queue.add(kAttempt, reading("user.loss", 2), 0s));
  EXPECT_TRUE(queue.add(kAttempt, reading("user.loss", 1), 0s));
  EXPECT_TRUE(queue.add(kAttempt, reading("user.loss", 3), 5s));
  queue.measured(kAttempt, {{.metric = Builtin::ProcessThreads, .value = 4}});
  const std::vector<wire::Samples> taken = queue.take();
  ASSERT_EQ(taken.size(), 2U) << "two seconds";
  EXPECT_EQ(taken[0].age, 5s);
  EXPECT_EQ(taken[0].named[0].value, 3);
  EXPECT_EQ(taken[1].named[0].value, 1);
  EXPECT_EQ(taken[1].readings[0].value, 4);
  EXPECT_TRUE(queue.take().empty());
}

TEST(SampleQueue, SecondsAreThoseOfTheWallClock) {
  testing::FakeLoop loop(WallTime(std::chrono::days(20'000)) + 700ms);
  SampleQueue queue(loop);
  EXPECT_TRUE(queue.add(kAttempt, reading("user.loss", 2), 600ms));
  queue.measured(kAttempt, {{.metric = Builtin::ProcessThreads, .value = 4}});
  loop.advance(400ms);
  queue.measured(kAttempt, {{.metric = Builtin::ProcessThreads, .value = 5}});
  const std::vector<wire::Samples> taken = queue.take();
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_EQ(taken[0].named.size(), 1U);
  EXPECT_EQ(taken[0].readings[0].value, 4);
  EXPECT_EQ(taken[1].readings[0].value, 5);
}

TEST(SampleQueue, RefusesNamesThatAreNoneOfAProgram) {
  testing::FakeLoop loop;
  SampleQueue queue(loop);
  EXPECT_FALSE(queue.add(kAttempt, reading("container.cpu.usage", 1), 0s));
  EXPECT_FALSE(queue.add(kAttempt, reading("user.\x1b", 1), 0s));
  EXPECT_FALSE(queue.add(kAttempt, reading("user." + std::string(10'000, 'x'), 1), 0s));
  EXPECT_FALSE(queue.add(kAttempt, reading("user.old", 1), 11min));
  for (size_t i = 0; i < SampleQueue::kNamesMax; ++i) {
    EXPECT_TRUE(queue.add(kAttempt, reading("user." + std::to_string(i), 1), 0s));
  }
  EXPECT_FALSE(queue.add(kAttempt, reading("user.more", 1), 0s));
  EXPECT_TRUE(queue.add(kAttempt, reading("user.0", 1), 0s));
}

TEST(SampleQueue, CountsWhatAProgramSaysAndNotWhatTheAgentRepeats) {
  testing::FakeLoop loop;
  SampleQueue queue(loop);
  const auto add = [&](const std::string& name, double value) {
    EXPECT_TRUE(queue.add(kAttempt, reading(name, value), 0s));
    return queue.told(kAttempt);
  };
  EXPECT_EQ(add("user.step", 7), 1U);
  EXPECT_EQ(add("user.step", 7), 1U);
  EXPECT_EQ(add("user.step.rate", 0.5), 1U);
  EXPECT_EQ(add("user.step.rate", 0.4), 1U);
  EXPECT_EQ(add("user.step.max", 100), 1U);
  EXPECT_EQ(add("user.step", 8), 2U);
  EXPECT_EQ(add("user.loss", 1), 3U);
  EXPECT_EQ(add("user.loss", 1), 4U);
}

TEST(SampleQueue, WithoutAMasterTheOldestMakeRoom) {
  testing::FakeLoop loop;
  SampleQueue queue(loop);
  for (size_t i = 0; i < SampleQueue::kMomentsMax + 10; ++i) {
    loop.advance(1s);
    queue.measured(kAttempt,
                   {{.metric = Builtin::ProcessThreads, .value = static_cast<double>(i)}});
  }
  size_t moments = 0;
  double first = -1;
  for (auto taken = queue.take(); !taken.empty(); taken = queue.take()) {
    first = moments == 0 ? taken[0].readings[0].value : first;
    moments += taken.size();
  }
  EXPECT_EQ(moments, SampleQueue::kMomentsMax);
  EXPECT_EQ(first, 10);
}

}  // namespace
}  // namespace muster::agent
