#pragma once

#include "hadoop/yarn/ids.h"
#include "hadoop/yarn/launch.h"
#include "hadoop/yarn/resource.h"

#include <cstdint>
#include <string>
#include <vector>

namespace muster::hadoop::yarn {

/// The cluster's answer to "I want to submit something".
struct NewApplication {
  ApplicationId id;
  Resource largest;  ///< The largest container that any queue grants.
};

/// Everything the resource manager is told when an application is submitted.
struct Submission {
  ApplicationId id;
  std::string name;
  std::string queue = "default";
  std::string type;               ///< At most 20 characters are kept.
  std::vector<std::string> tags;  ///< At most 10, each of at most 100 ASCII characters.
  int32_t priority = 0;
  LaunchContext master;             ///< For the application master's container.
  Resource master_resources;        ///< For the same.
  std::string node_label;           ///< For requests that name none.
  int32_t attempts_max = 0;         ///< 0: the cluster's default.
  int64_t attempts_window_ms = -1;  ///< Older failed attempts are forgotten; -1: never.
  bool keep_containers = false;     ///< Across attempts of the master.
};

}  // namespace muster::hadoop::yarn
