#pragma once

#include "base/time.h"
#include "cluster/local/claims.h"
#include "job/action.h"
#include "job/fact.h"
#include "job/plan.h"
#include "os/file/watch.h"
#include "rt/io_loop.h"
#include "rt/scope.h"
#include "rt/wait.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::cluster::local {

/// Turns the requests of one job into claims on this machine (claims.h).
///
/// All open requests of a gang get their claims together or not at all, so that two gangs never
/// hold half of this machine each. While others hold what is needed, the job stands in line, and
/// tries again when claims change. Lives on the loop's thread.
class ClaimQueue {
 public:
  struct Deps {
    rt::IoLoop& loop;
    const job::Plan& plan;
    ClaimFolder claims;
  };
  /// Called from the loop, never inside a call; must neither call back into the queue nor destroy
  /// it.
  struct Handlers {
    /// A request has its claim, and leaves the queue.
    std::function<void(const job::RequestContainer& request, const job::ContainerId& container,
                       Claim claim)>
        claimed;
    /// RequestRefused, HeadroomReported.
    std::function<void(job::Fact fact)> tell;
  };

  ClaimQueue(Deps deps, Handlers handlers);
  ~ClaimQueue() { leave_line(); }
  ClaimQueue(const ClaimQueue&) = delete;
  ClaimQueue& operator=(const ClaimQueue&) = delete;

  /// Begins to work. Containers are numbered from `last_number` + 1. `capacity`: nullopt for what
  /// this machine has.
  Status start(uint32_t last_number, std::optional<Capacity> capacity);
  /// Adds a request. One that is in the queue, or has left it with a claim, is not added again.
  void add(const job::RequestContainer& request);
  void cancel(job::RequestId request);
  void cancel_all();
  /// Returns what the job waits for, in words; "" if for nothing.
  [[nodiscard]] const std::string& waits_for() const { return waits_for_; }

 private:
  struct Attempt;

  [[nodiscard]] rt::Async<> serve(std::optional<Capacity> capacity);
  [[nodiscard]] rt::Async<bool> claim_next();
  [[nodiscard]] rt::Async<> wait_for_change();
  [[nodiscard]] Attempt next_attempt() const;
  [[nodiscard]] std::vector<job::RequestContainer> next_set() const;
  [[nodiscard]] bool is_elastic_extra(const job::RequestContainer& request,
                                      std::map<uint16_t, uint32_t>& counts) const;
  void refuse_impossible();
  void hand_over(Attempt& attempt, std::vector<Claim> claims);
  void report_headroom();
  void rest();
  void leave_line();

  Deps deps_;
  Handlers handlers_;
  Capacity capacity_;
  std::vector<job::RequestContainer> open_;  ///< In order of arrival.
  std::set<job::RequestId> claimed_;
  uint32_t last_number_ = 0;
  std::string waits_for_;
  std::optional<Claim> in_line_;  ///< Set while others hold what it waits for.
  std::vector<std::unique_ptr<os::FileWatch>> watches_;  ///< One per user's folder of claims.
  bool claims_changed_ = false;
  Duration next_look_;
  rt::Event news_;   ///< A request arrived, or claims have changed.
  rt::Scope scope_;  ///< Last: its coroutines use the rest.
};

}  // namespace muster::cluster::local
