#pragma once

#include "cluster/link.h"
#include "rt/loop.h"
#include "sim/core/cluster_model.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace muster::sim {

/// One master's line to the modelled cluster, which knows only the newest: an older one's requests
/// are ignored.
class ClusterLink final : public cluster::Link {
 public:
  struct Around {
    ClusterModel& cluster;
    rt::Loop& loop;
    /// Called before everything that it does; false means that the process is dying, or was
    /// replaced.
    std::function<bool()> lets_act;
    std::function<void(const cluster::LaunchOrder&)> launches;
    std::function<bool(const job::ContainerId&)> known_dead;
    std::function<void(const job::ContainerId&, cluster::Confirm)> released;
    std::function<void(const job::Outcome&)> finished;
  };

  explicit ClusterLink(Around around) : around_(std::move(around)) {}
  ~ClusterLink() override { *alive_ = false; }
  ClusterLink(const ClusterLink&) = delete;
  ClusterLink& operator=(const ClusterLink&) = delete;

  Status start(std::vector<job::ContainerId> known, OnFact on_fact) override;
  void request(const job::RequestContainer& request) override;
  void cancel(job::RequestId request) override;
  void launch(const cluster::LaunchOrder& order) override;
  void release(const job::ContainerId& container, cluster::Confirm confirm) override;
  void reconcile() override;
  [[nodiscard]] bool known_dead(const job::ContainerId& container) const override {
    return around_.known_dead(container);
  }
  [[nodiscard]] std::string waits_for() const override { return "the cluster"; }
  void finish(const job::Outcome& outcome, std::function<void()> done) override;

  /// A message of the cluster has arrived at this host.
  void deliver(const job::Fact& fact);

 private:
  Around around_;
  OnFact on_fact_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster::sim
