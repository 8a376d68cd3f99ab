#pragma once

#include "cluster/wait_reason.h"
#include "hadoop/yarn/node.h"
#include "hadoop/yarn/queue.h"
#include "hadoop/yarn/report.h"
#include "hadoop/yarn/resource.h"
#include "hadoop/yarn/rest_reads.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cluster::yarn {

/// Everything that shows why an application waits. What could not be read is absent.
struct WaitFacts {
  hadoop::yarn::ApplicationReport application;
  std::optional<hadoop::yarn::QueueInfo> queue;
  std::optional<hadoop::yarn::QueueLoad> load;
  std::vector<hadoop::yarn::QueueLoad> above;  ///< Those that the queue is part of.
  std::vector<hadoop::yarn::NodeReport> nodes;
  std::vector<hadoop::yarn::Activity> activities;
  hadoop::yarn::Resource largest_ask;  ///< Of one container.
  std::string label;                   ///< The requested node label; "" for none.
};

/// Returns the reasons, the likeliest first; none if nothing seems to be in the way.
[[nodiscard]] std::vector<WaitReason> explain_wait(const WaitFacts& facts);

/// Returns what helps against what the scheduler or the placement processor says; "" if that is
/// unknown.
[[nodiscard]] std::string_view advice_for(std::string_view words);

/// Returns the resource manager's message about an application, as one short line: without the
/// leading time, and with limits as numbers.
[[nodiscard]] std::string short_wait(std::string_view diagnostics);

}  // namespace muster::cluster::yarn
