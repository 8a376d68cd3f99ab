// Golden bytes of what the cluster reads most strictly, and what its messages are turned into.
#include "hadoop/security.pb.h"
#include "hadoop/yarn/launch_codec.h"
#include "hadoop/yarn/placement_codec.h"
#include "hadoop/yarn/record_codec.h"
#include "hadoop/yarn_placement.pb.h"
#include "hadoop/yarn_submission.pb.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace muster::hadoop::yarn {
namespace {

constexpr ApplicationId kApplication{.cluster_timestamp = 1700000000000, .number = 7};
constexpr AttemptId kAttempt{.application = kApplication, .number = 2};

template <class Message, class Value>
Message encoded(const Value& value) {
  Message message;
  encode(value, &message);
  return message;
}

template <class Message, class Value>
std::string hex(const Value& value) {
  std::string text;
  for (const unsigned char byte : encoded<Message>(value).SerializeAsString()) {
    text += fmt::format("{:02x}", byte);
  }
  return text;
}

TEST(RecordCodec, HasTheNumbersOfTheWire) {
  EXPECT_EQ(hex<pb::ApplicationId>(kApplication), "08071080d095ffbc31");
  EXPECT_EQ(hex<pb::ContainerId>(ContainerId{.attempt = kAttempt, .number = 3}),
            "120d0a0908071080d095ffbc3110021803");
  EXPECT_EQ(hex<pb::Resource>(Resource{.memory_mb = 1024, .vcores = 1}), "0880081001");
  EXPECT_EQ(hex<pb::Resource>(Resource{.memory_mb = 1, .vcores = 1, .others = {{"g", {2, ""}}}}),
            "080110011a090a016710021a002000");
}

TEST(RecordCodec, BringsBackWhatGoesBothWays) {
  const ContainerId container{.attempt = kAttempt, .number = (int64_t{1} << 40) | 3};
  EXPECT_EQ(decode(encoded<pb::ContainerId>(container)), container);
  const Resource resource{.memory_mb = 2048, .vcores = 3, .others = {{"x", {5, "Gi"}}}};
  EXPECT_EQ(decode(encoded<pb::Resource>(resource)), resource);
  const Token token{
      .identifier = "id", .password = Secret("pw"), .kind = "ContainerToken", .service = "h1:1"};
  ::hadoop::common::TokenProto message;
  encode(token, &message);
  EXPECT_EQ(decode(message), token);
}

TEST(RecordCodec, MemoryAndVcoresAmongTheOthersAreTheOnesOfTheirFields) {
  pb::Resource message;
  message.set_memory(1024);
  message.set_virtual_cores(2);
  auto* const entry = message.add_resource_value_map();
  entry->set_key("memory-mb");
  entry->set_value(9);
  EXPECT_EQ(decode(message), (Resource{.memory_mb = 1024, .vcores = 2}));
}

TEST(RecordCodec, WhatIsAbsentOrUnknownHasAWord) {
  EXPECT_EQ(decode(pb::NodeReport()).state, NodeState::Unknown);
  EXPECT_EQ(decode(pb::Container()).allocation, AllocationId(-1));
  const auto status = decode(pb::ContainerStatus());
  EXPECT_EQ(status.exit_status, static_cast<int32_t>(ExitStatus::Invalid));
  EXPECT_EQ(status.diagnostics, "");
}

TEST(LaunchCodec, AFileSaysThatThereIsNoPort) {
  const LaunchContext launch{
      .files = {{"f", {.from = {.scheme = "hdfs", .host = "ns", .path = "/x"}}}}};
  EXPECT_EQ(hex<pb::ContainerLaunchContext>(launch),
            "0a28"
            "0a0166"
            "1223"
            "0a"
            "19"
            "0a0468646673"
            "12026e73"
            "18ffffffffffffffffff01"
            "22022f78"
            "1000"
            "1800"
            "2002"
            "2802");
}

TEST(LaunchCodec, SaysWhatRunsAndWhoMayLook) {
  const auto message =
      encoded<pb::ContainerLaunchContext>(LaunchContext{.tokens = "HDTS",
                                                        .environment = {{"A", "1"}, {"B", ""}},
                                                        .commands = {"run", "1><LOG_DIR>/stdout"},
                                                        .view_acl = "alice",
                                                        .modify_acl = ""});
  EXPECT_EQ(message.tokens(), "HDTS");
  ASSERT_EQ(message.environment_size(), 2);
  EXPECT_EQ(message.environment(1).key(), "B");
  EXPECT_EQ(message.command(1), "1><LOG_DIR>/stdout");
  ASSERT_EQ(message.application_acls_size(), 2);
  EXPECT_EQ(message.application_acls(0).acl(), "alice");
  EXPECT_EQ(message.application_acls(1).acl(), " ");
}

TEST(LaunchCodec, SubmitsWithTheNumbersOfTheWire) {
  const Submission submission{.id = kApplication,
                              .name = "d",
                              .queue = "q",
                              .type = "M",
                              .tags = {"a"},
                              .priority = 3,
                              .master = {},
                              .master_resources = {.memory_mb = 1, .vcores = 1},
                              .node_label = "gpu",
                              .attempts_max = 2,
                              .attempts_window_ms = 1000,
                              .keep_containers = true};
  EXPECT_EQ(hex<pb::ApplicationSubmissionContext>(submission),
            "0a0908071080d095ffbc31"
            "120164"
            "1a0171"
            "22020803"
            "2a00"
            "4002"
            "4a0408011001"
            "52014d"
            "5801"
            "620161"
            "68e807"
            "820103677075");
}

TEST(PlacementCodec, HasTheNumbersOfTheWire) {
  const PlacementConstraint near{
      .simple = SimpleConstraint{
          .scope = "rack",
          .targets = {{.kind = TargetKind::NodeAttribute, .key = "os", .values = {"x"}}},
          .min = 1,
          .max = 4,
          .attribute_operator = AttributeOperator::NotEqual}};
  const std::string simple =
      "0a047261636b"
      "1209080112026f731a0178"
      "1801"
      "2004"
      "2803";
  EXPECT_EQ(hex<pb::PlacementConstraint>(near), "0a17" + simple);
  const PlacementConstraint both{.combination = Combination::Or, .children = {near}};
  EXPECT_EQ(hex<pb::PlacementConstraint>(both), "121d080212190a17" + simple);
}

}  // namespace
}  // namespace muster::hadoop::yarn
