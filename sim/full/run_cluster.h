#pragma once

#include "cluster/link.h"
#include "sim/core/cluster_model.h"
#include "sim/full/cluster_link.h"
#include "sim/full/judgement.h"
#include "sim/full/master_process.h"
#include "sim/full/setting.h"
#include "sim/full/yarn_model.h"

#include <memory>

namespace muster::sim {

class Agents;
class Masters;

/// The cluster of a run, a ClusterModel or YARN behind the real YarnLink, between the masters that
/// ask it for containers and the agents that run in them.
class RunCluster {
 public:
  struct Around {
    Judgement& judgement;
    Agents& agents;
    Masters& masters;
  };
  RunCluster(Setting& setting, const Around& around, bool yarn);
  RunCluster(const RunCluster&) = delete;
  RunCluster& operator=(const RunCluster&) = delete;

  /// Returns the line of this master, which this object outlives.
  [[nodiscard]] std::unique_ptr<cluster::Link> open_link(MasterProcess& process);
  /// A container's agent ended by itself.
  void agent_ended(const job::ContainerId& container);
  /// The cluster counts the master as dead. Only YARN counts them.
  void master_failed();
  /// Returns whether a master has said farewell to YARN, so that the cluster starts no other.
  [[nodiscard]] bool is_over() const;
  [[nodiscard]] bool is_yarn() const { return yarn_ != nullptr; }

 private:
  [[nodiscard]] ClusterModel::Around model_around();
  [[nodiscard]] YarnModel::Around yarn_around();
  [[nodiscard]] std::unique_ptr<cluster::Link> open_model_link(MasterProcess& process);
  [[nodiscard]] std::unique_ptr<cluster::Link> open_yarn_link(MasterProcess& process);
  void given_back(const job::ContainerId& container, cluster::Confirm confirm);
  void hear(const job::Fact& fact);
  void silence(const job::ContainerId& container);
  void host_dies(const job::HostName& host);

  Setting& setting_;
  Around around_;
  std::unique_ptr<ClusterModel> model_;  ///< One of these two.
  std::unique_ptr<YarnModel> yarn_;
  ClusterLink* line_ = nullptr;  ///< The newest master's line to the ClusterModel.
  Time last_word_{};             ///< When the ClusterModel's latest message arrives.
};

}  // namespace muster::sim
