#include "sim/full/cluster_link.h"

#include <utility>

namespace muster::sim {

Status ClusterLink::start(std::vector<job::ContainerId> known, OnFact on_fact) {
  on_fact_ = std::move(on_fact);
  for (const job::ContainerId& container : known) {
    around_.cluster.ask_about(container);
  }
  return {};
}

void ClusterLink::request(const job::RequestContainer& request) {
  if (around_.lets_act()) {
    around_.cluster.request(request);
  }
}

void ClusterLink::cancel(job::RequestId request) {
  if (around_.lets_act()) {
    around_.cluster.cancel(request);
  }
}

void ClusterLink::launch(const cluster::LaunchOrder& order) {
  if (around_.lets_act()) {
    around_.launches(order);
    around_.cluster.launch(order.container);
  }
}

void ClusterLink::release(const job::ContainerId& container, cluster::Confirm confirm) {
  if (around_.lets_act()) {
    around_.released(container, confirm);
    around_.cluster.release(container, confirm);
  }
}

void ClusterLink::reconcile() {
  if (around_.lets_act()) {
    around_.cluster.reconcile();
  }
}

void ClusterLink::finish(const job::Outcome& outcome, std::function<void()> done) {
  if (around_.lets_act()) {
    around_.finished(outcome);
    around_.cluster.release_all();
    around_.loop.call_after(std::chrono::milliseconds(20), std::move(done));
  }
}

void ClusterLink::deliver(const job::Fact& fact) {
  around_.loop.post([this, alive = alive_, fact] {
    if (*alive && on_fact_) {
      on_fact_(fact);
    }
  });
}

}  // namespace muster::sim
