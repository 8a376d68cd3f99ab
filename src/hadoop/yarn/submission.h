#pragma once

#include "hadoop/yarn/ids.h"
#include "hadoop/yarn/launch.h"
#include "hadoop/yarn/resource.h"

#include <cstdint>
#include <string>
#include <vector>

namespace muster::hadoop::yarn {

/// What the cluster answers to "I want to submit something".
struct NewApplication {
  ApplicationId id;
  Resource largest;  ///< The largest container that any queue grants.
};

/// Everything that the resource manager is told when an application is submitted.
struct Submission {
  ApplicationId id;
  std::string name;
  std::string queue = "default";
  std::string type;               ///< At most 20 characters are kept.
  std::vector<std::string> tags;  ///< At most 10 of at most 100 characters of ASCII.
  int32_t priority = 0;
  LaunchContext master;             ///< Of the application master's container.
  Resource master_resources;        ///< Of the same.
  std::string node_label;           ///< For asks that name none.
  int32_t attempts_max = 0;         ///< 0: as the cluster has it.
  int64_t attempts_window_ms = -1;  ///< Failed attempts older than that are forgotten; -1: never.
  bool keep_containers = false;     ///< Across attempts of the master.
};

}  // namespace muster::hadoop::yarn
