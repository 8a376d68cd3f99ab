#pragma once

#include "job/machine.h"

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::sim {

/// Watches a run for rare branches of the machine, from outside: by its facts, its actions and its
/// state. A suite of seeds that misses one of `all()` tests less than it seems to.
class Probes {
 public:
  void observe(const job::Fact& fact, std::span<const job::Action> actions,
               const job::Machine& machine);
  [[nodiscard]] const std::set<std::string>& reached() const { return reached_; }

  [[nodiscard]] static std::span<const std::string_view> all();

 private:
  void reach(std::string_view name) { reached_.emplace(name); }
  void observe_again(const job::Action& action);
  void observe_grants(const job::Fact& fact, std::span<const job::Action> actions);
  void observe_gangs(const job::Machine& machine);
  void observe_state(const job::Fact& fact, const job::Machine& machine);

  std::set<std::string> reached_;
  std::set<job::RequestId> cancelled_;
  std::set<job::RequestId> granted_;
  std::set<job::TaskId> succeeded_;
  std::set<job::AttemptId> prepared_;
  std::set<job::AttemptId> started_;
  std::set<job::ContainerId> suspected_;
  std::map<job::RoleIndex, uint32_t> gangs_;  // Members of static roles of min..max, last seen.
  job::Generation generation_;
  job::JobPhase phase_ = job::JobPhase::Gathering;
};

}  // namespace muster::sim
