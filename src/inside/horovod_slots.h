#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::inside {

/// The place of one rank, as assigned by Horovod's launchers.
struct Slot {
  std::string host;
  uint32_t rank = 0;
  uint32_t size = 0;
  uint32_t local_rank = 0;
  uint32_t local_size = 0;
  uint32_t cross_rank = 0;
  uint32_t cross_size = 0;

  bool operator==(const Slot&) const = default;
};

/// Reads what a driver of TonY's debug mode has written: a list of {hostname, rank, size,
/// localRank, localSize, crossRank, crossSize}, numbers or texts. Corrupt for anything else, and
/// for a file that is not whole yet.
[[nodiscard]] Result<std::vector<Slot>> parse_slots(std::string_view json);

/// Returns the hosts of all tasks but those of `driver`, from the text of MUSTER_VIEW_FILE, each
/// with how many are there: "10.0.0.7:2,10.0.0.8:1".
[[nodiscard]] std::string worker_list(std::string_view view_json, std::string_view driver);

/// Returns the slot of a task, as TonY chose it: among the slots on its host, in the order of their
/// local ranks, the one at the task's own position among the tasks there, in the order of their
/// indices. An error says what the driver has assigned instead.
[[nodiscard]] Result<Slot> slot_for(const std::vector<Slot>& slots, std::string_view view_json,
                                    std::string_view driver, std::string_view role, uint32_t index);

}  // namespace muster::inside
