#pragma once

#include "cluster/yarn/link/role_placement.h"
#include "hadoop/yarn/application_master.h"
#include "job/action.h"
#include "job/fact.h"
#include "job/plan.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace muster::cluster::yarn {

/// What the master has asked of the cluster and not got yet. A request is an ask in the book, under
/// its own allocation; requests that come before the registration wait for it.
class OpenRequests {
 public:
  /// All outlive this.
  struct Deps {
    const job::Plan& plan;
    hadoop::yarn::AskBook& book;
    std::function<void(job::Fact)> tell;
  };
  /// `placements`: by role.
  OpenRequests(Deps deps, std::map<std::string, RolePlacement> placements)
      : deps_(std::move(deps)), placements_(std::move(placements)) {}

  /// The cluster knows us: what waited for that is asked.
  void registered(const hadoop::yarn::Registration& registration);
  /// Repeating it does nothing. Tells RequestRefused for what the cluster can never grant.
  void ask(const job::RequestContainer& request);
  void cancel(job::RequestId request);

  /// Returns the request that a grant is for, which is open no longer; nothing if there is none.
  [[nodiscard]] std::optional<job::RequestContainer> granted(hadoop::yarn::AllocationId allocation);
  /// Only a placement processor rejects, after some tries; the scheduler lets a request wait.
  void rejected(const hadoop::yarn::RejectedRequest& rejected);
  /// The cluster refuses a call as a whole; which of its requests it means only its words tell.
  void refused(const Error& error);
  /// A host's rack, as the cluster has told it.
  void learn_rack(const std::string& host, const std::string& rack);
  /// Hosts as the scheduler wants them named.
  [[nodiscard]] std::vector<hadoop::yarn::HostAndRack> places_of(
      const std::vector<job::HostName>& hosts) const;
  /// Takes in what the queue could still give.
  void take_headroom(const hadoop::yarn::Heartbeat& heartbeat);

  /// Link::waits_for.
  [[nodiscard]] std::string waits_for() const;

 private:
  struct Queue {
    std::string name;
    hadoop::yarn::Resource largest;
  };

  [[nodiscard]] std::string constraint_of(job::RoleIndex role) const;

  Deps deps_;
  std::map<std::string, RolePlacement> placements_;
  std::optional<Queue> queue_;                ///< Known once we are registered.
  std::vector<job::RequestContainer> early_;  ///< Asked before that.
  std::map<hadoop::yarn::AllocationId, job::RequestContainer> open_;
  std::map<std::string, std::string> racks_;  ///< By host; the others are in Hadoop's default.
  job::HeadroomReported headroom_;
};

}  // namespace muster::cluster::yarn
