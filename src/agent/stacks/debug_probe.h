#pragma once

#include <string>
#include <vector>

namespace muster::agent {

/// `muster debug-probe`: runs as a session inside an attempt and looks closely at one of its
/// processes, with a tool of others: `profile` (py-spy for --seconds N, --rate N times a second,
/// in --format NAME, to standard output), `watch` (py-spy top, on the session's terminal) or
/// `attach` (gdb). --pid N names the process; else it is the attempt's Python process, or its
/// first. With --tool-from-stdin the program py-spy is read from standard input. Returns the tool's
/// exit status, or 2 after saying what is missing; with --or-ask kNoPySpy without a word where
/// there is no py-spy, for one who can send it.
int run_debug_probe(const std::vector<std::string>& arguments, char** variables);

}  // namespace muster::agent
