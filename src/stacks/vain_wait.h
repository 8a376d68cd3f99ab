#pragma once

#include "stacks/stack_groups.h"
#include "stacks/stack_report.h"

#include <span>
#include <string>

/// Waits that can no longer end, as far as a task's own processes show.
namespace muster::stacks {

/// Says why what the telling thread waits for may never come: "; its child process 812 was killed
/// by signal 9, and it has not noticed", "; all 4 workers of its pool wait for work: ...", "; no
/// other thread or child process of its own is left to put something there", "; process 812 writes
/// to a pipe that only process 811 could read, which waits for a child process to end". "" if there
/// is no indication.
[[nodiscard]] std::string describe_vain_wait(const Report& report);
/// The same for tasks at one place. Among several, the first about which something is known, with
/// its name: "; of worker:2: all 4 workers of its pool wait for work: ...".
[[nodiscard]] std::string describe_vain_wait(std::span<const Subject> subjects, const Group& group);

}  // namespace muster::stacks
