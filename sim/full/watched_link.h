#pragma once

#include "cluster/link.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace muster::sim {

/// A master's real link, watched by the run: it hears what is asked of the cluster and what the
/// cluster says, and nothing goes through once the process is dying.
class WatchedLink final : public cluster::Link {
 public:
  struct Watch {
    std::function<bool()> lets_act;
    std::function<void(const job::ContainerId&, cluster::Confirm)> released;
    std::function<void(const job::Outcome&)> finished;
    std::function<void(const job::Fact&)> heard;
  };

  WatchedLink(std::unique_ptr<cluster::Link> link, Watch watch)
      : watch_(std::move(watch)), link_(std::move(link)) {}

  Status start(std::vector<job::ContainerId> known, OnFact on_fact) override {
    return link_->start(std::move(known), [heard = watch_.heard,
                                           on_fact = std::move(on_fact)](const job::Fact& fact) {
      heard(fact);
      on_fact(fact);
    });
  }
  void request(const job::RequestContainer& request) override {
    if (watch_.lets_act()) {
      link_->request(request);
    }
  }
  void cancel(job::RequestId request) override {
    if (watch_.lets_act()) {
      link_->cancel(request);
    }
  }
  void launch(const cluster::LaunchOrder& order) override {
    if (watch_.lets_act()) {
      link_->launch(order);
    }
  }
  void release(const job::ContainerId& container, cluster::Confirm confirm) override {
    if (watch_.lets_act()) {
      watch_.released(container, confirm);
      link_->release(container, confirm);
    }
  }
  void reconcile() override {
    if (watch_.lets_act()) {
      link_->reconcile();
    }
  }
  [[nodiscard]] bool known_dead(const job::ContainerId& container) const override {
    return link_->known_dead(container);
  }
  [[nodiscard]] std::string waits_for() const override { return link_->waits_for(); }
  void finish(const job::Outcome& outcome, std::function<void()> done) override {
    if (watch_.lets_act()) {
      watch_.finished(outcome);
      link_->finish(outcome, std::move(done));
    }
  }

 private:
  Watch watch_;
  std::unique_ptr<cluster::Link> link_;
};

}  // namespace muster::sim
