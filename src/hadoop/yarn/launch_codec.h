#pragma once

#include "hadoop/yarn/launch.h"
#include "hadoop/yarn/submission.h"

namespace hadoop::yarn {
class ApplicationSubmissionContext;
class ContainerLaunchContext;
class LocalResource;
class LogAggregationContext;
}  // namespace hadoop::yarn

/// What runs in a container, and how an application is submitted ⇄ protobuf.
namespace muster::hadoop::yarn {

namespace pb = ::hadoop::yarn;

void encode(const LocalResource& from, pb::LocalResource* to);
void encode(const LaunchContext& from, pb::ContainerLaunchContext* to);
void encode(const LogAggregation& from, pb::LogAggregationContext* to);
/// The launch context is always there: the resource manager demands it of unmanaged masters, too.
void encode(const Submission& from, pb::ApplicationSubmissionContext* to);

[[nodiscard]] LocalResource decode(const pb::LocalResource& from);
[[nodiscard]] LaunchContext decode(const pb::ContainerLaunchContext& from);
[[nodiscard]] LogAggregation decode(const pb::LogAggregationContext& from);
[[nodiscard]] Submission decode(const pb::ApplicationSubmissionContext& from);

}  // namespace muster::hadoop::yarn
