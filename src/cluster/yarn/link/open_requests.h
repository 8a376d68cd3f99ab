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

/// What the master has requested from the cluster and not received yet. Requests of one shape that
/// arrive between two heartbeats become one ask in the book, spread over the hosts. The ask accepts
/// containers from those hosts alone, since a scheduler that may choose gives everything left in a
/// rack to the first node of it that reports; what has not arrived after a while is accepted from
/// anywhere. Requests that arrive before the registration wait for it.
class OpenRequests {
 public:
  /// All must outlive this.
  struct Deps {
    const job::Plan& plan;
    hadoop::yarn::AskBook& book;
    HostSpread& hosts;
    std::function<void(job::Fact)> tell;
    /// How long hosts requested by name may give nothing.
    Duration patience{};
  };
  /// `placements`: by role.
  OpenRequests(Deps deps, std::map<std::string, RolePlacement> placements)
      : deps_(std::move(deps)), placements_(std::move(placements)) {}

  /// The cluster has registered us: requests that waited for that are made.
  void registered(const hadoop::yarn::Registration& registration);
  /// Requests a container; repeating it does nothing. Reports RequestRefused for what the cluster
  /// can never grant.
  void ask(const job::RequestContainer& request);
  void cancel(job::RequestId request);
  /// A heartbeat goes out next: puts what was requested since the last one into the book.
  void put_down(HostTime now);

  /// Returns the request that a grant on this host satisfies, which is no longer open; nothing if
  /// there is none. Among several, the one that wanted this host.
  [[nodiscard]] std::optional<job::RequestContainer> granted(hadoop::yarn::AllocationId allocation,
                                                             const std::string& host, HostTime now);
  /// Only a placement processor rejects, after some tries; the scheduler lets a request wait.
  void rejected(const hadoop::yarn::RejectedRequest& rejected);
  /// The cluster refuses a call as a whole; only its message tells which of the requests it means.
  void refused(const Error& error);
  /// Takes how much the queue could still give.
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
  /// One ask in the book: the part of it that was not granted; never empty.
  struct Ask {
    HostTime stirred{};  ///< When it was made, or last yielded something.
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
  std::set<hadoop::yarn::AllocationId> fewer_;                  ///< The book must be told.
  job::HeadroomReported headroom_;
};

}  // namespace muster::cluster::yarn
