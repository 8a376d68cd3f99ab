#include "client/follow/followed_job.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace muster::client {
namespace {

Result<job::Plan> plan_of(const std::string& plan_json, const std::string& job_id, uint64_t) {
  if (plan_json.empty()) {
    return user_error("no plan");
  }
  job::Plan plan;
  plan.job = job::JobId(job_id);
  plan.roles.push_back({.name = "worker", .tasks = 1, .tasks_min = 1});
  return plan;
}

wire::ClientWelcome welcome(std::string plan_json, std::string job_id) {
  wire::ClientWelcome sent;
  sent.plan_json = std::move(plan_json);
  sent.job_id = std::move(job_id);
  return sent;
}

wire::FactLogged logged(uint64_t index, Time at) {
  wire::FactLogged sent;
  sent.index = index;
  sent.at = at;
  sent.fact = job::JobStarted{};
  return sent;
}

TEST(FollowedJob, BeginsWithTheFirstWelcomeAlone) {
  FollowedJob followed(plan_of);
  EXPECT_EQ(followed.machine(), nullptr);
  EXPECT_TRUE(*followed.begin(welcome("{}", "a-1")));
  EXPECT_FALSE(*followed.begin(welcome("{}", "a-2")));
  EXPECT_EQ(followed.machine()->plan().job.value, "a-1");
}

TEST(FollowedJob, SaysWhyThereIsNoPlan) {
  FollowedJob followed(plan_of);
  const auto begun = followed.begin(welcome("", "a-1"));
  ASSERT_FALSE(begun.has_value());
  EXPECT_EQ(begun.error().message, "no plan");
  EXPECT_EQ(followed.machine(), nullptr);
}

TEST(FollowedJob, TakesEachFactOnceAndAsksForTheNext) {
  FollowedJob followed(plan_of);
  EXPECT_FALSE(followed.take(logged(0, Time{}))) << "there is no job yet";
  ASSERT_TRUE(followed.begin(welcome("{}", "a-1")).has_value());
  EXPECT_EQ(followed.next_index(), 0U);
  EXPECT_TRUE(followed.take(logged(3, Time(std::chrono::seconds(1)))));
  EXPECT_EQ(followed.next_index(), 4U);
  EXPECT_FALSE(followed.take(logged(3, Time(std::chrono::seconds(2)))));
  EXPECT_TRUE(followed.take(logged(4, Time(std::chrono::seconds(2)))));
}

TEST(FollowedJob, HandsItsStateOver) {
  FollowedJob followed(plan_of);
  ASSERT_TRUE(followed.begin(welcome("{}", "a-1")).has_value());
  EXPECT_TRUE(followed.take_machine().has_value());
  EXPECT_EQ(followed.machine(), nullptr);
}

}  // namespace
}  // namespace muster::client
