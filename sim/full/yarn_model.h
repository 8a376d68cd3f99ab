#pragma once

#include "cluster/link.h"
#include "cluster/yarn/link/yarn_link.h"
#include "cluster/yarn/site.h"
#include "hadoop/yarn/ids.h"
#include "rt/loop.h"
#include "sim/core/truth.h"
#include "sim/faults.h"
#include "sim/world.h"
#include "testing/hadoop/fake_node_manager.h"
#include "testing/hadoop/fake_resource_manager.h"

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace muster::sim {

/// YARN as the real YarnLink meets it: the fakes of a resource manager and of six nodes on the
/// world's time, and what befalls them. Plays the ClusterModel's part in a FullWorld. Masters run
/// outside its containers; containers are kept when one dies.
///
/// A node calls a container complete when the stub of its keeper has ended: what the keeper kills
/// lives on for up to two seconds more, as on the real thing.
class YarnModel {
 public:
  struct Around {
    World& world;
    Faults& faults;
    Truth& truth;
    rt::Loop& loop;  ///< The cluster's own.
    /// A container's processes start.
    std::function<void(const cluster::LaunchOrder&)> start_agent;
    /// They end, for this reason.
    std::function<void(const job::ContainerId&, TrueEnd)> end_agent;
    std::function<void(const job::HostName&)> host_dies;
    /// Nobody can reach a container for a while, but it lives on.
    std::function<void(const job::ContainerId&, Duration)> isolate;
  };
  /// One master's process, as its link needs it.
  struct Master {
    rt::Loop& loop;
    log::Sink& sink;
    const job::Plan& plan;
    std::function<std::string()> address;
    /// The cluster has told this attempt that it is over.
    std::function<void()> dismissed;
    /// The cluster has learned of the job's end, or could not be told.
    std::function<void()> left;
  };

  explicit YarnModel(Around around);
  ~YarnModel();
  YarnModel(const YarnModel&) = delete;
  YarnModel& operator=(const YarnModel&) = delete;

  /// Returns the link of the newest attempt's master. This object outlives it.
  [[nodiscard]] std::unique_ptr<cluster::Link> open_link(const Master& master);
  /// The cluster counts the master as dead: the next one is another attempt.
  void master_failed();
  /// Returns whether a master has said farewell, so that the cluster starts no other.
  [[nodiscard]] bool is_over() const;
  /// A container's agent ended by itself: its node notices.
  void agent_ended(const job::ContainerId& container);

 private:
  using Node = testing::FakeNodeManager;
  using ContainerId = hadoop::yarn::ContainerId;

  void submit();
  void add_node(size_t number);
  void started(Node& node, const ContainerId& id, const Node::LaunchContext& context);
  void stopped(Node& node, const ContainerId& id);
  void ended(const ContainerId& id, bool held);
  void disturb_later();
  void disturb();
  void disturb_manager();
  void disturb_answers();
  void disturb_nodes();
  void disturb_containers();
  void lose_node(Node& node, bool lives_on);
  void away(testing::FakeService& service, Duration at_most);
  [[nodiscard]] testing::FakeApplication& application();
  /// Returns what the resource manager counts there.
  [[nodiscard]] std::vector<ContainerId> held_on(const Node& node);
  [[nodiscard]] std::vector<std::pair<Node*, ContainerId>> running();
  [[nodiscard]] Duration up_to(Duration most);

  Around around_;
  cluster::yarn::Site site_;
  testing::FakeResourceManager manager_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::set<const Node*> down_;
  std::set<ContainerId> paper_;  ///< Granted before the manager failed over, and never started.
  std::vector<ContainerId> completed_;
  hadoop::yarn::ApplicationId application_;
};

}  // namespace muster::sim
