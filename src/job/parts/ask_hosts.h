#pragma once

#include "base/time.h"
#include "job/action.h"
#include "job/fact.h"
#include "job/ids.h"
#include "job/parts/avoid.h"
#include "job/parts/deps.h"
#include "job/parts/timers.h"
#include "job/state.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace muster::job {

/// Which hosts requests leave out and which they prefer. An open request stays as it was made, so
/// when fewer hosts need to be avoided than it leaves out, it must be made anew: what it leaves out
/// may be the only host with what the job needs, or with room for it. The caller does so.
class AskHosts {
 public:
  /// Reads the open asks.
  AskHosts(const Deps& deps, const std::map<RequestId, Request>& requests);

  /// Writes into a request which hosts it leaves out, and which it prefers.
  void choose(const Request& request, RequestContainer& ask) const;
  /// `ask` is made now, for `asking` among others. Sets the timers for making it anew:
  /// HostReturnTimer, which then names `asking`, and PardonTimer.
  void watch(const RequestContainer& ask, TaskId asking);
  /// HostReturnTimer has passed: the requests of those it names must be made anew.
  void return_passed() { host_return_ = {}; }

  /// A container was granted there.
  void saw(const HostName& host) { avoided_.saw(host); }
  /// The host has just done harm.
  void note(const HostName& host, Harm harm);

  // Each returns one task of every ask that is to be made anew.
  /// A request that has waited for long also accepts the hosts that the plan says to avoid.
  [[nodiscard]] std::vector<TaskId> pardon_passed();
  /// Takes the cluster's report on a host.
  [[nodiscard]] std::vector<TaskId> report(const HostReported& reported);
  /// Takes how many hosts the cluster has.
  [[nodiscard]] std::vector<TaskId> cluster_has(uint32_t hosts);

 private:
  [[nodiscard]] std::vector<HostName> avoided_by(RoleIndex role) const;
  void watch_for_return(const RequestContainer& ask, TaskId asking);
  void watch_for_pardon();
  /// Changes which hosts are avoided; returns one task of every request that leaves out more than
  /// it now needs to.
  template <class Change>
  [[nodiscard]] std::vector<TaskId> avoid_fewer(const Change& change);

  const Plan& plan_;
  Turn& turn_;
  Timers& timers_;
  const Lives& lives_;
  const std::map<RequestId, Request>& requests_;
  AvoidedHosts avoided_;
  Timer<HostReturnTimer> host_return_;
  Timer<PardonTimer> pardon_;
};

}  // namespace muster::job
