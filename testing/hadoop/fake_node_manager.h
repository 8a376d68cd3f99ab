#pragma once

#include "hadoop/yarn/container.h"
#include "hadoop/yarn/node.h"
#include "hadoop/yarn_launch.pb.h"
#include "testing/hadoop/fake_service.h"

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace muster::testing {

/// A node manager without processes: containers run until somebody says that they have ended.
/// Checks the node's and the container's token; keeps what it was told, for tests to look at.
class FakeNodeManager final : public FakeService {
 public:
  using ContainerId = hadoop::yarn::ContainerId;
  using ContainerStatus = hadoop::yarn::ContainerStatus;
  using LaunchContext = ::hadoop::yarn::ContainerLaunchContext;

  struct Kept {
    LaunchContext launch;
    int starts = 0;
    bool ended = false;
    bool lingers = false;
  };

  /// `report.capacity` is what it offers; its state is Running.
  explicit FakeNodeManager(hadoop::yarn::NodeReport report) : report_(std::move(report)) {}

  [[nodiscard]] const hadoop::yarn::NodeReport& report() const { return report_; }
  [[nodiscard]] const hadoop::yarn::NodeId& id() const { return report_.id; }

  /// Called when a container starts, and when one is to be stopped (before its end is reported).
  std::function<void(const ContainerId&, const LaunchContext&)> on_start;
  std::function<void(const ContainerId&)> on_stop;
  /// Called before a container is started: returns why it must not start; "" lets it start.
  std::function<std::string(const ContainerId&)> refuses;
  /// Called for every end; the resource manager listens.
  std::function<void(const ContainerStatus&)> on_end;

  /// The container's process ends.
  void finish(const ContainerId& container, int32_t exit_status, std::string diagnostics = "");
  /// Starts a container as the resource manager does for application masters: without a token.
  void launch(const ContainerId& container, const LaunchContext& context);
  /// The container's process does not end when it is asked to, but only at finish().
  void let_linger(const ContainerId& container) { containers_.at(container).lingers = true; }
  /// The resource manager asks a container's process to end, or its master does.
  void stop(const ContainerId& container, int32_t exit_status, std::string diagnostics);
  /// All containers vanish without a word, as when a host dies.
  void lose_all();
  [[nodiscard]] bool runs(const ContainerId& container) const;
  [[nodiscard]] const std::map<ContainerId, Kept>& containers() const { return containers_; }

  /// The next start of a container fails with this exception.
  void refuse_next_start(std::string exception_class, std::string message);

 protected:
  [[nodiscard]] Served answer(std::string_view method, const std::string& request,
                              const FakeCaller& caller) override;

 private:
  [[nodiscard]] Served start(const std::string& request);
  [[nodiscard]] Served stop(const std::string& request);
  [[nodiscard]] Served statuses(const std::string& request) const;

  hadoop::yarn::NodeReport report_;
  std::map<ContainerId, Kept> containers_;
  std::vector<std::pair<std::string, std::string>> refusals_;
};

}  // namespace muster::testing
