#pragma once

#include "hadoop/yarn/ids.h"
#include "hadoop/yarn/report.h"
#include "testing/hadoop/fake_node_manager.h"
#include "testing/hadoop/fake_resource_manager.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::testing {

/// An application's master without a process: calls the resource manager as one does.
class FakeApplicationMaster {
 public:
  /// `id`: the container that it was launched in. `manager` outlives this.
  FakeApplicationMaster(FakeResourceManager& manager, const hadoop::yarn::ContainerId& id)
      : manager_(manager), id_(id) {}

  [[nodiscard]] const hadoop::yarn::ContainerId& id() const { return id_; }
  /// Registers where it listens.
  void begin(const std::string& host, int32_t port);
  /// Unregisters, after which its application has ended.
  void end(hadoop::yarn::FinalStatus status);

 private:
  void call(std::string_view method, const std::string& request);

  FakeResourceManager& manager_;
  hadoop::yarn::ContainerId id_;
};

/// Returns the path of a file that a container gets under the name `link`; "" if it gets none.
[[nodiscard]] std::string localized_path(const FakeNodeManager::LaunchContext& context,
                                         std::string_view link);

}  // namespace muster::testing
