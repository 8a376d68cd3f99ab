// Every field of every record there and back, and golden bytes for the ones that the cluster reads
// most strictly.
#include "hadoop/yarn/codec_samples_test.h"
#include "hadoop/yarn/launch_codec.h"
#include "hadoop/yarn/master_codec.h"
#include "hadoop/yarn/node_codec.h"
#include "hadoop/yarn/placement_codec.h"
#include "hadoop/yarn/record_codec.h"
#include "hadoop/yarn_containers.pb.h"
#include "hadoop/yarn_master.pb.h"
#include "hadoop/yarn_submission.pb.h"

#include <gtest/gtest.h>

namespace muster::hadoop::yarn {
namespace {

TEST(RecordCodec, BringsEveryFieldBack) {
  EXPECT_EQ(there_and_back<pb::ContainerId>(kContainer), kContainer);
  EXPECT_EQ(there_and_back<pb::Resource>(resource()), resource());
  EXPECT_EQ(there_and_back<pb::Container>(grant()), grant());
  EXPECT_EQ(there_and_back<pb::NodeReport>(node_report()), node_report());
  EXPECT_EQ(there_and_back<pb::ResourceRequest>(row()), row());
  const ContainerStatus status{.id = kContainer,
                               .state = ContainerState::Complete,
                               .exit_status = -104,
                               .diagnostics = "over",
                               .each = resource(),
                               .execution = ExecutionType::Opportunistic,
                               .attributes = {{"HOST", "h1"}}};
  EXPECT_EQ(there_and_back<pb::ContainerStatus>(status), status);
  const ResourceType type{.name = "yarn.io/gpu", .unit = "Gi"};
  EXPECT_EQ(there_and_back<pb::ResourceTypeInfo>(type), type);
}

TEST(RecordCodec, HasTheNumbersOfTheWire) {
  EXPECT_EQ(hex<pb::ApplicationId>(kApplication), "08071080d095ffbc31");
  EXPECT_EQ(hex<pb::ContainerId>(ContainerId{.attempt = kAttempt, .number = 3}),
            "120d0a0908071080d095ffbc3110021803");
  EXPECT_EQ(hex<pb::Resource>(Resource{.memory_mb = 1024, .vcores = 1}), "0880081001");
  EXPECT_EQ(hex<pb::Resource>(Resource{.memory_mb = 1, .vcores = 1, .others = {{"g", {2, ""}}}}),
            "080110011a090a016710021a002000");
  const RequestRow small{.place = "*",
                         .each = {.memory_mb = 1, .vcores = 1},
                         .count = 2,
                         .allocation = AllocationId(1)};
  EXPECT_EQ(hex<pb::ResourceRequest>(small),
            "0a020800"
            "12012a"
            "1a0408011001"
            "2002"
            "2801"
            "3a0408011000"
            "4001");
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
  const auto status = decode(pb::ContainerStatus());
  EXPECT_EQ(status.state, ContainerState::Unknown);
  EXPECT_EQ(status.exit_status, static_cast<int32_t>(ExitStatus::Invalid));
  EXPECT_EQ(status.diagnostics, "");
}

LaunchContext launch() {
  return {.files = {{"a/b",
                     {.from = {.scheme = "hdfs", .host = "ns", .path = "/x", .user = "me"},
                      .size = 7,
                      .modified_ms = 8,
                      .type = LocalResourceType::Pattern,
                      .visibility = Visibility::Private,
                      .pattern = "*.py"}}},
          .tokens = "HDTS",
          .service_data = {{"shuffle", "bytes"}},
          .environment = {{"A", "1"}, {"B", ""}},
          .commands = {"run", "1><LOG_DIR>/stdout"},
          .view_acl = "alice",
          .modify_acl = "",
          .retry = {.policy = RetryPolicy::OnListedErrors,
                    .exit_codes = {1, 2},
                    .retries_max = 3,
                    .interval_ms = 4,
                    .window_ms = 5}};
}

TEST(LaunchCodec, BringsEveryFieldBack) {
  EXPECT_EQ(there_and_back<pb::ContainerLaunchContext>(launch()), launch());
  const LogAggregation logs{.include = "a",
                            .exclude = "b",
                            .rolled_include = "c",
                            .rolled_exclude = "d",
                            .policy_class = "e",
                            .policy_parameters = "f"};
  EXPECT_EQ(there_and_back<pb::LogAggregationContext>(logs), logs);
  const Submission submission{.id = kApplication,
                              .name = "digits",
                              .queue = "root.ml",
                              .type = "MUSTER",
                              .tags = {"a", "b"},
                              .priority = 3,
                              .master = launch(),
                              .master_resources = resource(),
                              .master_node_label = "cpu",
                              .node_label = "gpu",
                              .attempts_max = 2,
                              .attempts_window_ms = 1000,
                              .keep_containers = true,
                              .unmanaged = true,
                              .cancel_tokens = false,
                              .lifetime_s = 60,
                              .logs = logs};
  EXPECT_EQ(there_and_back<pb::ApplicationSubmissionContext>(submission), submission);
}

TEST(LaunchCodec, AlwaysSaysThatThereIsNoPort) {
  const LocalResource file{.from = {.scheme = "hdfs", .host = "ns", .path = "/x"}};
  EXPECT_EQ(hex<pb::LocalResource>(file),
            "0a"
            "19"
            "0a0468646673"
            "12026e73"
            "18ffffffffffffffffff01"
            "22022f78"
            "1000"
            "1800"
            "2002"
            "2803");
}

TEST(LaunchCodec, UnmanagedMastersHaveALaunchContextToo) {
  pb::ApplicationSubmissionContext message;
  encode(Submission{.id = kApplication, .unmanaged = true}, &message);
  EXPECT_TRUE(message.has_am_container_spec());
}

TEST(MasterCodec, BringsEveryFieldOfRegistrationBack) {
  const MasterPresence presence{
      .host = "h1",
      .rpc_port = 5,
      .tracking_url = "http://h1:1",
      .constraints = {{.tags = {"t"}, .constraint = {.simple = SimpleConstraint{}}}}};
  EXPECT_EQ(there_and_back<pb::RegisterApplicationMasterRequest>(presence), presence);
  const Registration registration{.largest = resource(),
                                  .queue = "ml",
                                  .client_token_key = "key",
                                  .view_acl = "alice",
                                  .modify_acl = "bob",
                                  .from_previous_attempts = {grant()},
                                  .node_tokens = {{.node = {"h1", 1}, .token = token("NMToken")}},
                                  .resource_types = {{.name = "yarn.io/gpu", .unit = ""}}};
  EXPECT_EQ(there_and_back<pb::RegisterApplicationMasterResponse>(registration), registration);
  const Farewell farewell{
      .status = FinalStatus::Failed, .diagnostics = "why", .tracking_url = "http://history"};
  EXPECT_EQ(there_and_back<pb::FinishApplicationMasterRequest>(farewell), farewell);
}

TEST(MasterCodec, BringsEveryFieldOfAHeartbeatBack) {
  const AllocateAsk ask{.response_id = 4,
                        .progress = 0.5F,
                        .asks = {row()},
                        .releases = {kContainer},
                        .avoid = {"h1"},
                        .readmit = {"h2"},
                        .updates = {update()},
                        .scheduling = {scheduling()},
                        .tracking_url = "http://h1:1"};
  EXPECT_EQ(there_and_back<pb::AllocateRequest>(ask), ask);
  const AllocateAnswer answer{
      .response_id = 5,
      .command = MasterCommand::Resync,
      .granted = {grant()},
      .completed = {{.id = kContainer, .state = ContainerState::Complete, .exit_status = 1}},
      .headroom = resource(),
      .updated_nodes = {node_report()},
      .cluster_nodes = 3,
      .preemption = {.certain = {kContainer}, .negotiable = {kContainer}, .resources = {row()}},
      .node_tokens = {{.node = {"h1", 1}, .token = token("NMToken")}},
      .master_token = token("YARN_AM_RM_TOKEN"),
      .priority = 7,
      .collector = Collector{.address = "h1:2", .token = token("TIMELINE_DELEGATION_TOKEN")},
      .update_errors = {{.reason = "version", .update = update(), .current_version = 9}},
      .updated = {{.kind = UpdateKind::Demote, .container = grant()}},
      .from_previous_attempts = {grant()},
      .rejected = {{.reason = RejectionReason::CouldNotSchedule, .request = scheduling()}}};
  EXPECT_EQ(there_and_back<pb::AllocateResponse>(answer).value(), answer);
}

TEST(MasterCodec, ProgressStaysBetweenNothingAndAll) {
  pb::AllocateRequest message;
  encode(AllocateAsk{.progress = 7}, &message);
  EXPECT_EQ(message.progress(), 1);
  encode(AllocateAsk{.progress = std::numeric_limits<float>::quiet_NaN()}, &message);
  EXPECT_EQ(message.progress(), 0);
}

TEST(MasterCodec, AContainerWithoutAnIdIsDamage) {
  pb::AllocateResponse message;
  message.add_allocated_containers();
  EXPECT_EQ(decode(message).error().code, Errc::Corrupt);
  message.clear_allocated_containers();
  message.add_completed_container_statuses();
  EXPECT_EQ(decode(message).error().code, Errc::Corrupt);
}

TEST(NodeCodec, SaysWhichContainersFailedAndWhy) {
  pb::StartContainersResponse message;
  encode(kContainer, message.add_succeeded_requests());
  auto* const failed = message.add_failed_requests();
  encode(ContainerId{.attempt = kAttempt, .number = 4}, failed->mutable_container_id());
  failed->mutable_exception()->set_class_name(
      "org.apache.hadoop.yarn.exceptions.InvalidContainerException");
  failed->mutable_exception()->set_message(
      "Container x rejected as it is allocated by a previous RM");
  const auto outcomes = decode(message, NodeId{"h1", 1});
  EXPECT_EQ(outcomes.done, std::vector{kContainer});
  const auto& error = outcomes.failed.at(ContainerId{.attempt = kAttempt, .number = 4});
  EXPECT_EQ(error.code, Errc::NotFound);
  EXPECT_NE(error.message.find("previous RM"), std::string::npos);
  EXPECT_NE(error.message.find("h1:1"), std::string::npos);
}

}  // namespace
}  // namespace muster::hadoop::yarn
