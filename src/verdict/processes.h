#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::verdict {

/// The lines of each process in an output that a launcher mixed from several, without the marks
/// that tell them apart ("[rank1]: ", "[1,2]<stderr>:", "[default3]:", "(Worker pid=7) "). In the
/// order in which the processes began their last traceback, or else ended. Empty if fewer than two
/// are marked.
[[nodiscard]] std::vector<std::string> split_by_process(std::string_view tail);

/// The signal that ended the first process that failed, and the line in which its launcher says so.
struct FirstSignal {
  int32_t signal = 0;
  std::string line;
};
/// Returns what torchrun or mpirun says; nullopt: nothing, or that it ended by itself.
[[nodiscard]] std::optional<FirstSignal> first_signal(std::string_view output);

}  // namespace muster::verdict
