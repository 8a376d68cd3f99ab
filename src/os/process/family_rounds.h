#pragma once

#include "os/process/pid.h"
#include "os/process/process_tree.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace muster::os {

/// What the families of several children of this process are listed by at roughly the same moment.
struct FamilyRound {
  uint64_t number = 0;
  OwnChildren own;
  /// Parents of processes that may have appeared since the previous round; nullopt if any process
  /// may be such a parent.
  std::optional<std::set<Pid>> parents;
};

/// Lists families of children of this process as list_family() does, repeatedly. Finding new
/// members takes a read for each of their threads, so it is done only when a process has appeared,
/// judging by the pid that the kernel gave out last, and now and then.
class FamilyRounds {
 public:
  /// Call about once a second, before the lists that are to use the round.
  [[nodiscard]] FamilyRound begin();
  /// `round` must be the last one begun, and must have `own`.
  [[nodiscard]] std::vector<Pid> members(Pid child, const FamilyRound& round);

 private:
  /// What is known of one family, as it was found in a round.
  struct Known {
    std::vector<ProcessInfo> members;
    uint64_t round = 0;
    uint32_t rounds_kept = 0;  ///< Rounds since all its threads were read.
  };

  uint64_t round_ = 0;
  /// The last pid given out as of the previous round, and of the one before it: a process may
  /// become visible a moment after its pid was given out.
  std::array<std::optional<int32_t>, 2> given_out_;
  std::map<Pid, Known> known_;
};

/// Returns those members of a family that still belong to it, without looking for new ones. nullopt
/// if one of its roots is new, or if a former member is among the `parents` of new processes.
[[nodiscard]] std::optional<std::vector<ProcessInfo>> still_members(
    const std::vector<ProcessInfo>& members, const std::vector<ProcessInfo>& roots,
    const std::set<Pid>& parents);

}  // namespace muster::os
