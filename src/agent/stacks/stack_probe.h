#pragma once

#include <string>
#include <vector>

namespace muster::agent {

/// `muster stack-probe`: runs as a session inside an attempt (its parent is the agent, its
/// environment the attempt's) and writes what the threads of the attempt's processes do now to
/// standard output, as stacks::process_line() and the like. It ends within about 20 s, whatever the
/// processes are stuck in; py-spy and gdb are ended before. With --tool-from-stdin the program
/// py-spy is read from standard input; with --watch SECONDS what threads read is watched before,
/// for so long at most. Returns the exit status: 0, also where frames are missing; the report says
/// why.
int run_stack_probe(const std::vector<std::string>& arguments, char** variables);

}  // namespace muster::agent
