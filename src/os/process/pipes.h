#pragma once

#include "os/process/pid.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::os {

/// Which of some processes have the reading ends of pipes open. Looks at all their descriptors, but
/// once, and only if it is asked about a pipe.
class PipeReaders {
 public:
  explicit PipeReaders(std::vector<Pid> processes) : processes_(std::move(processes)) {}

  /// Returns the only one of the processes that has the reading end of a pipe open into which
  /// `writer` writes by `descriptor`, the writer itself apart; 0 if there are several or none, if
  /// it is no pipe, or if that cannot be seen. Others may have it open, too.
  [[nodiscard]] Pid only_reader(Pid writer, int32_t descriptor);

 private:
  std::vector<Pid> processes_;
  std::optional<std::map<std::string, std::vector<Pid>>> readers_;  ///< By pipe, once read.
};

}  // namespace muster::os
