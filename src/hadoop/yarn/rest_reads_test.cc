#include "hadoop/yarn/rest_reads.h"

#include <gtest/gtest.h>

namespace muster::hadoop::yarn {
namespace {

TEST(RestReads, QueuesStandInTheirOrderWithTheirLimits) {
  const auto queues = parse_scheduler_page(R"({"scheduler":{"schedulerInfo":{
      "type":"capacityScheduler","queueName":"root","capacity":100.0,"queues":{"queue":[
        {"queueName":"default","state":"RUNNING","capacity":60.0,"usedCapacity":12.5,
         "numPendingApplications":2,"userLimitFactor":1.5,"nodeLabels":["*"],
         "AMResourceLimit":{"memory":1024,"vCores":1,"resourceInformations":{
           "resourceInformation":[{"name":"memory-mb","value":1024,"units":"Mi"},
                                  {"name":"yarn.io/gpu","value":4,"units":""}]}}},
        {"queueName":"other","state":"STOPPED"}]}}}})");
  ASSERT_TRUE(queues.has_value()) << queues.error().message;
  ASSERT_EQ(queues->size(), 3U);
  EXPECT_EQ((*queues)[0].path, "root");
  const auto& queue = (*queues)[1];
  EXPECT_EQ(queue.path, "root.default");
  EXPECT_DOUBLE_EQ(queue.used, 12.5);
  EXPECT_EQ(queue.master_limit.memory_mb, 1024);
  EXPECT_EQ(queue.master_limit.others.at("yarn.io/gpu").value, 4);
  EXPECT_EQ((*queues)[2].path, "root.other");
}

TEST(RestReads, AnotherSchedulerIsNamed) {
  const auto queues =
      parse_scheduler_page(R"({"scheduler":{"schedulerInfo":{"type":"fifoScheduler"}}})");
  ASSERT_FALSE(queues.has_value());
  EXPECT_EQ(queues.error().code, Errc::Unsupported);
  EXPECT_NE(queues.error().message.find("fifoScheduler"), std::string::npos);
}

// As answered by a resource manager of Hadoop 3.4.3, shortened.
constexpr std::string_view kFairPage = R"({"scheduler":{"schedulerInfo":{
  "type":"fairScheduler","rootQueue":{"queueName":"root","maxApps":2147483647,
    "maxResources":{"memory":49152,"vCores":48},"usedResources":{"memory":3072,"vCores":3},
    "childQueues":{"queue":[
      {"type":"fairSchedulerLeafQueueInfo","queueName":"root.tiny","maxApps":1,
       "maxResources":{"memory":2500,"vCores":3,"resourceInformations":{"resourceInformation":[
         {"name":"memory-mb","value":2500},{"name":"yarn.io/gpu","units":"","value":2}]}},
       "usedResources":{"memory":2048,"vCores":2},"amUsedResources":{"memory":1024,"vCores":1},
       "amMaxResources":{"memory":1250,"vCores":2},"fairResources":{"memory":2500,"vCores":0},
       "pendingContainers":1,"allocatedContainers":2,"numPendingApps":1,"numActiveApps":1},
      {"queueName":"root.group","maxApps":2147483647,"childQueues":{"queue":
        {"type":"fairSchedulerLeafQueueInfo","queueName":"root.group.inner"}}}]}}}}})";

TEST(RestReads, QueuesOfTheFairSchedulerHaveTheirOwnLimits) {
  const auto queues = parse_scheduler_page(kFairPage).value();
  ASSERT_EQ(queues.size(), 4U);
  EXPECT_EQ(queues[0].path, "root");
  EXPECT_FALSE(queues[0].fair->applications_max.has_value());
  const QueueLoad& tiny = queues[1];
  EXPECT_EQ(tiny.path, "root.tiny");
  EXPECT_EQ(tiny.fair->applications_max, 1);
  EXPECT_EQ(tiny.fair->most.memory_mb, 2500);
  EXPECT_EQ(tiny.fair->most.others.at("yarn.io/gpu").value, 2);
  EXPECT_EQ(tiny.fair->share.memory_mb, 2500);
  EXPECT_EQ(tiny.resources_used.memory_mb, 2048);
  EXPECT_EQ(tiny.master_limit.memory_mb, 1250);
  EXPECT_EQ(tiny.master_used.memory_mb, 1024);
  EXPECT_EQ(tiny.pending_containers, 1);
  EXPECT_EQ(queues[3].path, "root.group.inner");
}

TEST(RestReads, ASettingIsItsValue) {
  EXPECT_EQ(parse_setting_page(R"({"property":{"key":"a.b","value":"disabled","isFinal":false,
                                   "resource":"yarn-default.xml"}})")
                .value(),
            "disabled");
  EXPECT_FALSE(parse_setting_page("<configuration/>").has_value());
}

TEST(RestReads, ActivitiesAreFoldedToWhatWasSaid) {
  const auto activities = parse_activities_page(R"({"appActivities":{"allocations":[
      {"allocationState":"SKIPPED","children":[{"requestPriority":3,"allocationState":"SKIPPED",
        "children":[{"allocationState":"SKIPPED","count":2,"nodeIds":["a:1","b:1"],
                     "diagnostic":"too small"}]}]},
      {"nodeId":"a:1","allocationState":"SKIPPED","children":[
        {"allocationState":"REJECTED","diagnostic":"no headroom"}]},
      {"nodeId":"b:1","allocationState":"SKIPPED","children":[
        {"allocationState":"REJECTED","diagnostic":"no headroom"}]},
      {"allocationState":"REJECTED","diagnostic":"queue full"}]}})");
  ASSERT_TRUE(activities.has_value());
  ASSERT_EQ(activities->size(), 3U);
  EXPECT_EQ(
      (*activities)[0],
      (Activity{
          .state = "SKIPPED", .diagnostic = "too small", .nodes = {"a:1", "b:1"}, .count = 2}));
  EXPECT_EQ((*activities)[1].nodes, (std::vector<std::string>{"a:1", "b:1"}));
  EXPECT_EQ((*activities)[1].count, 2);
  EXPECT_EQ((*activities)[2].diagnostic, "queue full");
}

TEST(RestReads, WhatIsNoPageIsCorrupt) {
  for (const std::string_view text : {"", "<html>", "[]", "{}", R"({"scheduler":7})", "{"}) {
    EXPECT_EQ(parse_scheduler_page(text).error().code, Errc::Corrupt) << text;
    EXPECT_EQ(parse_activities_page(text).error().code, Errc::Corrupt) << text;
  }
  EXPECT_EQ(parse_refusal(R"({"RemoteException":{"message":"no such app"}})"), "no such app");
  EXPECT_EQ(parse_refusal("<html>"), "");
}

}  // namespace
}  // namespace muster::hadoop::yarn
