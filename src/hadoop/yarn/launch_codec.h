#pragma once

#include "hadoop/yarn/launch.h"
#include "hadoop/yarn/submission.h"

namespace hadoop::yarn {
class ApplicationSubmissionContext;
class ContainerLaunchContext;
}  // namespace hadoop::yarn

/// Launch contexts and submissions as protobuf.
namespace muster::hadoop::yarn {

namespace pb = ::hadoop::yarn;

void encode(const LaunchContext& from, pb::ContainerLaunchContext* to);
void encode(const Submission& from, pb::ApplicationSubmissionContext* to);

}  // namespace muster::hadoop::yarn
