#pragma once

#include "base/error.h"
#include "hadoop/yarn/container.h"
#include "hadoop/yarn/node.h"
#include "hadoop/yarn/node_answers.h"
#include "hadoop/yarn/queue.h"
#include "hadoop/yarn/report.h"
#include "hadoop/yarn/rest_reads.h"

#include <boost/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// What the probe reads and writes.
namespace muster::probe {

namespace json = boost::json;
namespace yarn = hadoop::yarn;

/// Fields of a request; they have the right type, or the test is wrong.
[[nodiscard]] std::string text_of(const json::object& from, std::string_view key,
                                  std::string_view otherwise);
[[nodiscard]] int64_t number_of(const json::object& from, std::string_view key, int64_t otherwise);
[[nodiscard]] bool flag_of(const json::object& from, std::string_view key);
[[nodiscard]] std::vector<std::string> texts_of(const json::object& from, std::string_view key);

[[nodiscard]] json::object of(const Error& error);
[[nodiscard]] json::object of(const yarn::Resource& resource);
[[nodiscard]] json::object of(const yarn::ApplicationReport& report);
[[nodiscard]] json::object of(const yarn::Grant& grant);
[[nodiscard]] json::object of(const yarn::ContainerStatus& status);
[[nodiscard]] json::object of(const yarn::NodeReport& node);
[[nodiscard]] json::object of(const yarn::QueueInfo& queue);
[[nodiscard]] json::object of(const yarn::ContainerOutcomes& outcomes);
[[nodiscard]] json::object of(const yarn::QueueLoad& queue);
[[nodiscard]] json::object of(const yarn::Activity& activity);
[[nodiscard]] json::object of(const yarn::AttemptPage& attempt);

template <class Each>
json::array all_of(const std::vector<Each>& from) {
  json::array to;
  for (const auto& one : from) {
    to.emplace_back(of(one));
  }
  return to;
}

}  // namespace muster::probe
