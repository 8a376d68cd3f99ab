#pragma once

#include "cluster/link.h"
#include "rt/loop.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::testing {

/// A cluster in memory: every request is granted on the hosts of `grants` in turn, and a release is
/// followed by ContainerEnded. Records what it is asked for, and ends containers when a test says
/// so.
class FakeLink final : public cluster::Link {
 public:
  explicit FakeLink(rt::Loop& loop) : loop_(loop) {}
  ~FakeLink() override { *alive_ = false; }

  Status start(std::vector<job::ContainerId> known, OnFact on_fact) override;
  void request(const job::RequestContainer& request) override;
  void cancel(job::RequestId) override {}
  void launch(const cluster::LaunchOrder& order) override;
  void release(const job::ContainerId& container, cluster::Confirm confirm) override;
  void reconcile() override {}
  [[nodiscard]] bool known_dead(const job::ContainerId& container) const override {
    return dead_.contains(container);
  }
  [[nodiscard]] std::string waits_for() const override { return ""; }
  void finish(const job::Outcome& outcome, std::function<void()> done) override;

  /// Ends a container as its cluster would.
  void end(const job::ContainerId& container, job::ContainerEndKind kind,
           std::string cluster_code = "");

  std::vector<job::HostName> grants;  ///< At least one.
  uint32_t next_container = 1;        ///< The next one granted is "c1".
  /// Called for every launch (the simulator starts an agent there).
  std::function<void(const cluster::LaunchOrder&)> on_launch;

  // What was asked for, in order.
  std::vector<job::RequestContainer> requests;
  std::vector<cluster::LaunchOrder> launches;
  std::set<job::ContainerId> to_confirm;  ///< Released, and their end must be confirmed.
  std::vector<job::ContainerId> known_at_start;
  std::optional<job::Outcome> finished;

 private:
  /// Tells the master a fact, in a later turn of the loop.
  void tell(job::Fact fact);

  rt::Loop& loop_;
  OnFact on_fact_;
  std::set<job::RequestId> answered_;
  std::set<job::ContainerId> live_;
  std::set<job::ContainerId> dead_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster::testing
