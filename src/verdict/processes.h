#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::verdict {

/// Returns the lines of each process in output that a launcher mixed from several, without the
/// marks that distinguish them ("[rank1]: ", "[1,2]<stderr>:", "[default3]:", "(Worker pid=7) ").
/// Ordered by when the processes began their last traceback or, without one, ended. Empty if fewer
/// than two are marked.
[[nodiscard]] std::vector<std::string> split_by_process(std::string_view tail);

/// The signal that ended the first process that failed, and the line in which its launcher says so.
struct FirstSignal {
  int32_t signal = 0;
  std::string line;
};
/// Returns what torchrun or mpirun says; nullopt if nothing, or that it ended on its own.
[[nodiscard]] std::optional<FirstSignal> first_signal(std::string_view output);

}  // namespace muster::verdict
