#include "hadoop/yarn/report_codec.h"

#include "hadoop/yarn/codec_samples_test.h"
#include "hadoop/yarn_reports.pb.h"

#include <gtest/gtest.h>

namespace muster::hadoop::yarn {
namespace {

TEST(ReportCodec, BringsEveryFieldBack) {
  const ApplicationReport report{.id = kApplication,
                                 .attempt = kAttempt,
                                 .user = "alice",
                                 .queue = "ml",
                                 .name = "digits",
                                 .type = "MUSTER",
                                 .tags = {"a"},
                                 .state = ApplicationState::Running,
                                 .final_status = FinalStatus::Ended,
                                 .diagnostics = "d",
                                 .host = "h1",
                                 .rpc_port = 1,
                                 .tracking_url = "t",
                                 .original_tracking_url = "o",
                                 .progress = 0.25F,
                                 .priority = 3,
                                 .node_label = "gpu",
                                 .master_node_label = "cpu",
                                 .unmanaged = true,
                                 .submitted_ms = 1,
                                 .launched_ms = 2,
                                 .started_ms = 3,
                                 .finished_ms = 4,
                                 .lifetime_left_s = 5,
                                 .use = {.containers = 1,
                                         .reserved_containers = 2,
                                         .used = resource(),
                                         .reserved = resource(),
                                         .needed = resource(),
                                         .memory_mb_seconds = 3,
                                         .vcore_seconds = 4,
                                         .queue_percent = 5,
                                         .cluster_percent = 6},
                                 .client_token = token("YARN_CLIENT_TOKEN"),
                                 .master_token = token("YARN_AM_RM_TOKEN")};
  EXPECT_EQ(there_and_back<pb::ApplicationReport>(report), report);
  const AttemptReport attempt{.id = kAttempt,
                              .state = AttemptState::Launched,
                              .master_container = kContainer,
                              .host = "h1",
                              .rpc_port = 1,
                              .tracking_url = "t",
                              .original_tracking_url = "o",
                              .diagnostics = "d",
                              .started_ms = 1,
                              .finished_ms = 2};
  EXPECT_EQ(there_and_back<pb::ApplicationAttemptReport>(attempt), attempt);
  const ContainerReport container{.id = kContainer,
                                  .node = {"h1", 1},
                                  .node_http_address = "h1:2",
                                  .each = resource(),
                                  .priority = 1,
                                  .state = ContainerState::Running,
                                  .exit_status = 3,
                                  .diagnostics = "d",
                                  .log_url = "l",
                                  .created_ms = 4,
                                  .finished_ms = 5};
  EXPECT_EQ(there_and_back<pb::ContainerReport>(container), container);
}

TEST(ReportCodec, AbsentTokensAndTextsAreNone) {
  pb::ApplicationReport message;
  auto* const empty = message.mutable_am_rm_token();
  empty->set_identifier("");
  empty->set_password("");
  empty->set_kind("");
  empty->set_service("");
  message.set_host("N/A");
  const auto report = decode(message);
  EXPECT_FALSE(report.master_token.has_value());
  EXPECT_EQ(report.host, "");
  EXPECT_EQ(report.diagnostics, "");
  EXPECT_EQ(report.state, ApplicationState::Unknown);
}

TEST(ReportCodec, BringsQueuesNodesAndCountsBack) {
  const QueueStatistics statistics{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18};
  const QueueInfo leaf{.name = "ml",
                       .path = "root.ml",
                       .state = QueueState::Draining,
                       .capacity = 0.5F,
                       .max_capacity = 1,
                       .used_capacity = 0.25F,
                       .labels = {"gpu"},
                       .default_label = "gpu",
                       .preemption_disabled = true,
                       .statistics = statistics,
                       .shares = {{"gpu",
                                   {.capacity = 1,
                                    .absolute_capacity = 2,
                                    .max_capacity = 3,
                                    .absolute_max_capacity = 4,
                                    .max_master_share = 5,
                                    .effective_min = resource(),
                                    .effective_max = resource()}}}};
  const QueueInfo root{.name = "root", .state = QueueState::Running, .children = {leaf, leaf}};
  EXPECT_EQ(there_and_back<pb::QueueInfo>(root), root);
  const QueueRights rights{.queue = "ml", .submit = true, .administer = true};
  EXPECT_EQ(there_and_back<pb::QueueUserAclInfo>(rights), rights);
  const ClusterMetrics metrics{1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(there_and_back<pb::YarnClusterMetrics>(metrics), metrics);
  const NodeLabel label{.name = "gpu", .exclusive = false};
  EXPECT_EQ(there_and_back<pb::NodeLabel>(label), label);
  const LabelsOfNode labels{.node = {"h1", 1}, .labels = {"gpu"}};
  EXPECT_EQ(there_and_back<pb::NodeIdToLabels>(labels), labels);
}

}  // namespace
}  // namespace muster::hadoop::yarn
