#pragma once

#include "job/machine.h"
#include "wire/frame.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace muster::client {

/// Makes the Plan from what a master sends: the resolved specification, the job's id, its seed.
using MakePlan = std::function<Result<job::Plan>(const std::string& plan_json,
                                                 const std::string& job_id, uint64_t seed)>;

/// The state of one job, folded from the facts that its masters send to followers; a master that
/// takes over continues where the previous one stopped.
class FollowedJob {
 public:
  explicit FollowedJob(MakePlan make_plan) : make_plan_(std::move(make_plan)) {}

  /// The first welcome begins the fold; returns whether this was the first.
  Result<bool> begin(const wire::ClientWelcome& welcome);
  /// Applies a fact; returns false for one that was sent before.
  bool take(const wire::FactLogged& logged);
  /// Returns what to ask a master for: the index of the first fact that has not arrived yet.
  [[nodiscard]] uint64_t next_index() const { return next_index_; }
  /// The folded state; nullptr before the first welcome.
  [[nodiscard]] const job::Machine* machine() const { return machine_ ? &*machine_ : nullptr; }
  /// Hands it over; nullopt if machine() is nullptr.
  [[nodiscard]] std::optional<job::Machine> take_machine() {
    return std::exchange(machine_, std::nullopt);
  }

 private:
  MakePlan make_plan_;
  std::optional<job::Machine> machine_;
  uint64_t next_index_ = 0;
};

}  // namespace muster::client
