#pragma once

#include "hadoop/yarn/allocate_answer.h"
#include "hadoop/yarn/launch_codec.h"
#include "hadoop/yarn/master_codec.h"
#include "hadoop/yarn/placement_codec.h"
#include "hadoop/yarn/record_codec.h"
#include "hadoop/yarn/report_codec.h"
#include "hadoop/yarn/request.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

/// Records with every field set, and what becomes of them on the wire.
namespace muster::hadoop::yarn {

inline constexpr ApplicationId kApplication{.cluster_timestamp = 1700000000000, .number = 7};
inline constexpr AttemptId kAttempt{.application = kApplication, .number = 2};
inline constexpr ContainerId kContainer{.attempt = kAttempt, .number = (int64_t{1} << 40) | 3};

// Through the wire's bytes, so that a wrong field number would show in the golden bytes alone.
template <class Message, class Value>
auto there_and_back(const Value& value) {
  Message message;
  encode(value, &message);
  Message copy;
  EXPECT_TRUE(copy.ParseFromString(message.SerializeAsString()));
  return decode(copy);
}

template <class Message, class Value>
std::string hex(const Value& value) {
  Message message;
  encode(value, &message);
  std::string text;
  for (const unsigned char byte : message.SerializeAsString()) {
    text += fmt::format("{:02x}", byte);
  }
  return text;
}

inline Token token(const std::string& kind) {
  return {.identifier = "id", .password = Secret("pw"), .kind = kind, .service = "h1:1"};
}

inline Resource resource() {
  return {.memory_mb = 2048, .vcores = 3, .others = {{"yarn.io/gpu", {2, ""}}, {"x", {5, "Gi"}}}};
}

inline Grant grant() {
  return {.id = kContainer,
          .node = {"h1", 45454},
          .node_http_address = "h1:8042",
          .each = resource(),
          .priority = 4,
          .token = token("ContainerToken"),
          .execution = ExecutionType::Opportunistic,
          .allocation = AllocationId(11),
          .version = 6,
          .tags = {"a", "b"}};
}

inline NodeReport node_report() {
  return {.id = {"h1", 45454},
          .http_address = "h1:8042",
          .rack = "/r1",
          .used = resource(),
          .capacity = {.memory_mb = 4096, .vcores = 8},
          .containers = 3,
          .state = NodeState::Decommissioning,
          .health = "disk",
          .health_time_ms = 12,
          .labels = {"gpu"},
          .containers_use = NodeUse{.memory_mb = 1, .virtual_memory_mb = 2, .cores = 0.5F},
          .node_use = NodeUse{.memory_mb = 3, .virtual_memory_mb = 4, .cores = 1.5F},
          .decommissioning_timeout_s = 60,
          .attributes = {{.prefix = "rm.yarn.io", .name = "os", .value = "debian"}}};
}

inline RequestRow row() {
  return {.priority = 2,
          .place = "*",
          .each = resource(),
          .count = 5,
          .relax_locality = false,
          .node_label = "gpu",
          .execution = ExecutionType::Opportunistic,
          .enforce_execution = true,
          .allocation = AllocationId(9)};
}

inline SchedulingRequest scheduling() {
  const PlacementConstraint near{
      .simple = SimpleConstraint{
          .scope = "rack",
          .targets = {{.kind = TargetKind::NodeAttribute, .key = "os", .values = {"debian"}}},
          .min = 1,
          .max = 4,
          .attribute_operator = AttributeOperator::NotEqual}};
  return {
      .allocation = AllocationId(8),
      .priority = 1,
      .count = 2,
      .each = resource(),
      .execution = ExecutionType::Opportunistic,
      .tags = {"t"},
      .constraint = PlacementConstraint{.combination = Combination::Or, .children = {near, near}}};
}

inline ContainerUpdate update() {
  return {.container = kContainer,
          .version = 2,
          .kind = UpdateKind::Promote,
          .each = resource(),
          .execution = ExecutionType::Guaranteed};
}

}  // namespace muster::hadoop::yarn
