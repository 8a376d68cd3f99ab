#pragma once

#include "hadoop/token.h"
#include "hadoop/yarn/ids.h"
#include "hadoop/yarn/queue.h"
#include "hadoop/yarn/resource.h"
#include "rt/loop.h"
#include "testing/hadoop/fake_application.h"
#include "testing/hadoop/fake_node_manager.h"
#include "testing/hadoop/fake_service.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace muster::testing {

/// A resource manager with a small, strict scheduler: deterministic, on the loop's time. Grants
/// come no earlier than with the heartbeat after the request, on the first node that fits. It obeys
/// YARN's rules about response ids, absolute rows, labels, avoided hosts and tokens, and fails on
/// demand. Two services share its books: one for clients, one for application masters.
class FakeResourceManager {
 public:
  using ApplicationId = hadoop::yarn::ApplicationId;
  using ContainerId = hadoop::yarn::ContainerId;
  using NodeId = hadoop::yarn::NodeId;
  using Resource = hadoop::yarn::Resource;

  struct Options {
    Resource largest{.memory_mb = 8192, .vcores = 8};
    std::vector<hadoop::yarn::QueueInfo> queues = {
        {.name = "default", .state = hadoop::yarn::QueueState::Running}};
    Duration grant_delay{};        ///< From request to grant.
    bool placement = false;        ///< Accepts scheduling requests.
    bool masters_outside = false;  ///< Application masters run in no container.
  };

  FakeResourceManager(rt::Loop& loop, Options options);
  ~FakeResourceManager();
  FakeResourceManager(FakeResourceManager&&) = delete;

  /// What clients and masters connect to, and where faults are requested.
  [[nodiscard]] FakeService& client_side();
  [[nodiscard]] FakeService& master_side();

  /// Adds a node; `node` must outlive this.
  void add(FakeNodeManager& node);
  [[nodiscard]] FakeNodeManager* node(const NodeId& id) const;

  /// Throws if there is none: ask only for an application that was submitted.
  [[nodiscard]] FakeApplication& application(const ApplicationId& id);
  [[nodiscard]] const std::map<ApplicationId, FakeApplication>& applications() const {
    return applications_;
  }
  /// Returns the token with which the current attempt's master connects.
  [[nodiscard]] hadoop::Token master_token(const ApplicationId& id) const;
  /// Called when an application's master is launched, instead of starting its commands.
  std::function<void(const ContainerId&, const NodeId&, const FakeNodeManager::LaunchContext&)>
      on_master;

  /// From now on applications wait in their queue, without a master; or no longer, and those that
  /// are waiting are launched.
  void hold_masters(bool hold);

  // Faults of the scheduler.
  void hold_grants(bool hold) { hold_grants_ = hold; }
  void set_grant_delay(Duration delay) { options_.grant_delay = delay; }
  /// The grants of the next heartbeat that has any come again with the one after.
  void repeat_next_grants() { repeat_grants_ = true; }
  /// Gives a container that nobody asked for, on the first running node.
  void grant_unasked(const ApplicationId& id, hadoop::yarn::AllocationId allocation);
  /// Warns that containers will be taken; take() does it.
  void warn(const ApplicationId& id, const std::vector<ContainerId>& containers, bool certain);
  void take(const ContainerId& container);
  /// A host dies with everything that runs on it.
  void lose(const NodeId& node);
  /// Tells all applications about a node: unhealthy, decommissioning, running again.
  void report_node(const NodeId& node, hadoop::yarn::NodeState state, std::string health = "");
  /// A container's end reaches its master once more.
  void repeat_completion(const ContainerId& container);

  /// The resource manager restarts: running containers and applications stay; registrations,
  /// requests and grants that were never started are forgotten. Nodes report again those ends that
  /// no heartbeat of the master has confirmed.
  void restart();
  /// Makes a new key for an application master's token, which the next heartbeats carry; `activate`
  /// makes the old one useless.
  void roll_token(const ApplicationId& id);
  void activate_token(const ApplicationId& id);
  /// The current master is gone: the next attempt starts, with or without its containers.
  void fail_master(const ApplicationId& id, std::string why);
  void kill(const ApplicationId& id, std::string why);

 private:
  class ClientSide;
  class MasterSide;
  friend class ClientSide;
  friend class MasterSide;

  [[nodiscard]] ::hadoop::yarn::ApplicationReport report_of(
      const FakeApplication& application) const;
  [[nodiscard]] int64_t wall_ms() const;
  [[nodiscard]] hadoop::yarn::AttemptId attempt_of(const FakeApplication& application) const;
  void launch_master(FakeApplication& application);
  void schedule(FakeApplication& application);
  void schedule_placed(FakeApplication& application);
  [[nodiscard]] FakeNodeManager* place_for(FakeApplication& application,
                                           const ::hadoop::yarn::ResourceRequest& row) const;
  [[nodiscard]] bool fits(const FakeNodeManager& node, const Resource& each) const;
  /// Returns the container, which is in the outbox.
  ::hadoop::yarn::Container* grant(FakeApplication& application, FakeNodeManager& node,
                                   const ::hadoop::yarn::ResourceRequest& row);
  void put_node_token(FakeApplication& application, const ::hadoop::yarn::NodeId& node,
                      google::protobuf::RepeatedPtrField<::hadoop::yarn::NMToken>* to);
  [[nodiscard]] FakeNodeManager* node_of(const ::hadoop::yarn::Container& container) const;
  void end_container(const hadoop::yarn::ContainerStatus& status);
  /// The application's master must register next, and repeat everything that it wants.
  static void forget_registration(FakeApplication& application);
  void end_application(FakeApplication& application, hadoop::yarn::ApplicationState state);

  rt::Loop* loop_;
  Options options_;
  int64_t started_ms_;
  int32_t epoch_ = 0;
  int32_t applications_made_ = 0;
  std::map<ApplicationId, FakeApplication> applications_;
  std::vector<FakeNodeManager*> nodes_;
  std::map<NodeId, hadoop::yarn::NodeState> node_states_;
  bool hold_masters_ = false;
  bool hold_grants_ = false;
  bool repeat_grants_ = false;
  std::map<ContainerId, hadoop::yarn::ContainerStatus> ended_;
  std::unique_ptr<ClientSide> client_side_;
  std::unique_ptr<MasterSide> master_side_;
};

}  // namespace muster::testing
