#pragma once

#include "base/error.h"
#include "fields.h"
#include "hadoop/yarn/container.h"
#include "hadoop/yarn/node.h"
#include "hadoop/yarn/queue.h"
#include "hadoop/yarn/report.h"
#include "hadoop/yarn/rest_reads.h"
#include "hadoop/yarn_reports.pb.h"

#include <string>
#include <vector>

/// What the probe writes.
namespace muster::probe {

namespace yarn = hadoop::yarn;
namespace pb = ::hadoop::yarn;

[[nodiscard]] json::object of(const Error& error);
[[nodiscard]] json::object of(const yarn::Resource& resource);
[[nodiscard]] json::object of(const yarn::ApplicationReport& report);
[[nodiscard]] json::object of(const pb::ApplicationReport& report);
[[nodiscard]] json::object of(const yarn::Grant& grant);
[[nodiscard]] json::object of(const yarn::ContainerStatus& status);
[[nodiscard]] json::object of(const yarn::NodeReport& node);
[[nodiscard]] json::object of(const yarn::QueueInfo& queue);
[[nodiscard]] json::object of(const yarn::QueueLoad& queue);
[[nodiscard]] json::object of(const yarn::Activity& activity);

inline const std::string& of(const std::string& text) { return text; }

template <class Each>
json::array all_of(const std::vector<Each>& from) {
  json::array to;
  for (const auto& one : from) {
    to.emplace_back(of(one));
  }
  return to;
}

}  // namespace muster::probe
