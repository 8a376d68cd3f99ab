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

/// A cluster in memory. By hand, it records what it is asked and a test answers with tell(). With
/// `grants` set it acts by itself: every request is granted on the hosts in turn, a release is
/// followed by ContainerEnded.
class FakeLink final : public cluster::Link {
 public:
  explicit FakeLink(rt::Loop& loop) : loop_(loop) {}
  ~FakeLink() override { *alive_ = false; }

  Status start(std::vector<job::ContainerId> known, OnFact on_fact) override;
  void request(const job::RequestContainer& request) override;
  void cancel(job::RequestId request) override;
  void launch(const cluster::LaunchOrder& order) override;
  void release(const job::ContainerId& container, cluster::Confirm confirm) override;
  void reconcile() override { ++reconciles; }
  [[nodiscard]] bool known_dead(const job::ContainerId& container) const override {
    return dead.contains(container);
  }
  [[nodiscard]] std::string waits_for() const override { return waiting; }
  void finish(const job::Outcome& outcome, std::function<void()> done) override;

  /// Tells the master a fact, in a later turn of the loop.
  void tell(job::Fact fact);
  /// Ends a container as its cluster would.
  void end(const job::ContainerId& container, job::ContainerEndKind kind,
           std::string cluster_code = "");

  /// Hosts on which requests are granted by themselves; empty: by hand.
  std::vector<job::HostName> grants;
  /// Called for every launch (the simulator starts an agent there).
  std::function<void(const cluster::LaunchOrder&)> on_launch;

  // What was asked, in order.
  std::vector<job::RequestContainer> requests;
  std::vector<job::RequestId> cancelled;
  std::vector<cluster::LaunchOrder> launches;
  std::vector<job::ContainerId> releases;
  std::set<job::ContainerId> to_confirm;  ///< Of those, whose end must be seen.
  std::vector<job::ContainerId> known_at_start;
  std::optional<job::Outcome> finished;
  int reconciles = 0;

  // What it answers.
  std::set<job::ContainerId> dead;
  std::string waiting;
  bool holds_finish = false;  ///< True: finish() is never answered.
  uint32_t next_container = 1;

 private:
  rt::Loop& loop_;
  OnFact on_fact_;
  std::set<job::RequestId> answered_;
  std::set<job::ContainerId> live_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster::testing
