#pragma once

#include "base/time.h"
#include "cluster/yarn/link/host_spread.h"
#include "cluster/yarn/link/role_placement.h"
#include "hadoop/yarn/application_master.h"
#include "job/action.h"
#include "job/fact.h"
#include "job/plan.h"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::cluster::yarn {

/// What the master has asked of the cluster and not got yet. Requests of one shape that come
/// between two heartbeats are one ask in the book, spread over the hosts. It takes containers from
/// those hosts alone, since a scheduler that may choose gives all that is left in a rack to the
/// first node of it that reports; what has not come after a while is taken from anywhere. Requests
/// that come before the registration wait for it.
class OpenRequests {
 public:
  /// All outlive this.
  struct Deps {
    const job::Plan& plan;
    hadoop::yarn::AskBook& book;
    HostSpread& hosts;
    std::function<void(job::Fact)> tell;
    /// How long hosts that were asked for by name may give nothing.
    Duration patience{};
  };
  /// `placements`: by role.
  OpenRequests(Deps deps, std::map<std::string, RolePlacement> placements)
      : deps_(std::move(deps)), placements_(std::move(placements)) {}

  /// The cluster knows us: what waited for that is asked.
  void registered(const hadoop::yarn::Registration& registration);
  /// Repeating it does nothing. Tells RequestRefused for what the cluster can never grant.
  void ask(const job::RequestContainer& request);
  void cancel(job::RequestId request);
  /// A heartbeat goes out next: what was asked since the last one is put into the book.
  void put_down(HostTime now);

  /// Returns the request that a grant on this host is for, which is open no longer; nothing if
  /// there is none. Of several, the one that was wished there.
  [[nodiscard]] std::optional<job::RequestContainer> granted(hadoop::yarn::AllocationId allocation,
                                                             const std::string& host, HostTime now);
  /// Only a placement processor rejects, after some tries; the scheduler lets a request wait.
  void rejected(const hadoop::yarn::RejectedRequest& rejected);
  /// The cluster refuses a call as a whole; which of its requests it means only its words tell.
  void refused(const Error& error);
  /// Takes in what the queue could still give.
  void take_headroom(const hadoop::yarn::Heartbeat& heartbeat);

  /// Link::waits_for.
  [[nodiscard]] std::string waits_for() const;

 private:
  struct Queue {
    std::string name;
    hadoop::yarn::Resource largest;
  };

  struct Member {
    job::RequestContainer request;
    std::string host;  ///< Where it is wished; "": anywhere.
  };
  /// One ask in the book: what of it was not granted; never nothing.
  struct Ask {
    HostTime stirred{};  ///< When it was made, or gave something last.
    std::map<job::RequestId, Member> members;
    std::map<std::string, std::set<job::RequestId>> by_host;
  };

  [[nodiscard]] std::string constraint_of(job::RoleIndex role) const;
  void put_alone(const job::RequestContainer& request);
  void put_together(std::vector<job::RequestContainer> requests,
                    const std::set<std::string>& avoided, HostTime now);
  [[nodiscard]] std::vector<HostSpread::Use> asked_of_hosts() const;
  void ask_elsewhere(HostTime now);
  void put(hadoop::yarn::AllocationId allocation);
  void add(hadoop::yarn::AllocationId allocation, job::RequestContainer request, std::string host);
  job::RequestContainer take(hadoop::yarn::AllocationId allocation, job::RequestId request);

  Deps deps_;
  std::map<std::string, RolePlacement> placements_;
  std::optional<Queue> queue_;                               ///< Known once we are registered.
  std::map<job::RequestId, job::RequestContainer> waiting_;  ///< Not in the book yet.
  std::map<hadoop::yarn::AllocationId, Ask> asks_;  ///< Under the id of their first request.
  std::map<job::RequestId, hadoop::yarn::AllocationId> asked_;  ///< The ask that each is part of.
  std::set<hadoop::yarn::AllocationId> fewer_;                  ///< The book is to hear of it.
  job::HeadroomReported headroom_;
};

}  // namespace muster::cluster::yarn
