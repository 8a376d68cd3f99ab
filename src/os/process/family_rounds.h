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

/// What the families of several children of this process are listed by at about one moment.
struct FamilyRound {
  uint64_t number = 0;
  OwnChildren own;
  /// Parents of those who may have come since the round before; nullopt: that may be anybody.
  std::optional<std::set<Pid>> parents;
};

/// Lists families of children of this process as list_family() does, again and again. To find who
/// is new takes a read for each of their threads: that is done where a process has come, by the
/// number that the kernel gave out last, and now and then.
class FamilyRounds {
 public:
  /// To be called about once a second, and before the lists that are wanted of it.
  [[nodiscard]] FamilyRound begin();
  /// `round` is the last that was begun, and has `own`.
  [[nodiscard]] std::vector<Pid> members(Pid child, const FamilyRound& round);

 private:
  /// Of one family, as it was found in a round.
  struct Known {
    std::vector<ProcessInfo> members;
    uint64_t round = 0;
    uint32_t rounds_kept = 0;  ///< Since all of its threads were read.
  };

  uint64_t round_ = 0;
  /// The last number given out as of the round before, and of that before it: one that has its
  /// number may be seen a moment later.
  std::array<std::optional<int32_t>, 2> given_out_;
  std::map<Pid, Known> known_;
};

/// Of the members of a family those that still are some, without a look for others. nullopt if
/// one of its roots is new, or one that was a member is among the `parents` of new ones.
[[nodiscard]] std::optional<std::vector<ProcessInfo>> still_members(
    const std::vector<ProcessInfo>& members, const std::vector<ProcessInfo>& roots,
    const std::set<Pid>& parents);

}  // namespace muster::os
