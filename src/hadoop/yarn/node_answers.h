#pragma once

#include "base/error.h"
#include "hadoop/token.h"
#include "hadoop/yarn/container.h"
#include "hadoop/yarn/ids.h"
#include "hadoop/yarn/launch.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace muster::hadoop::yarn {

/// One container to start: what the resource manager granted, and what is to run in it.
struct ContainerStart {
  ContainerId id;
  Token token;
  LaunchContext launch;
};

/// What a node manager says to a call about several containers: the ones it did, and why not the
/// others. A container that is in neither was not mentioned.
struct ContainerOutcomes {
  std::vector<ContainerId> done;
  std::map<ContainerId, Error> failed;
};

struct ContainerStatuses {
  std::vector<ContainerStatus> known;
  std::map<ContainerId, Error> unknown;
};

enum class LocalizationState : uint8_t { Unknown, Pending, Completed, Failed };

/// How far a file that was added to a running container is.
struct Localization {
  std::string file;  ///< The link's name.
  LocalizationState state = LocalizationState::Unknown;
  std::string diagnostics;

  bool operator==(const Localization&) const = default;
};

}  // namespace muster::hadoop::yarn
