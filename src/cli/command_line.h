#pragma once

#include "cli/command.h"

#include <string>
#include <variant>
#include <vector>

namespace muster::cli {

/// Text to print and the exit status to end with: help, or an error in the command line.
struct Printed {
  std::string out;
  std::string err;
  int exit_status = 0;
};

/// Parses a command line, without the program's name. Prints nothing: help and errors are returned
/// as Printed (an error: exit status 2, one line that says what to do, with the nearest command or
/// option for a typo); otherwise returns the row with its options filled.
[[nodiscard]] std::variant<Printed, Command> parse_command_line(
    const Table& table, const std::vector<std::string>& arguments);

}  // namespace muster::cli
