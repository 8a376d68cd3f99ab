#pragma once

#include "os/file/files.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster::agent {

/// Where the shell would find a program: `word` itself, taken from `folder`, when it has a slash,
/// else the first of its name on `path` (PATH's text). "" if there is none.
[[nodiscard]] std::string find_program(os::Files& files, std::string_view word,
                                       std::string_view path, const std::filesystem::path& folder);

/// What a shell is given to run a task's command. A command that is one program with its arguments
/// gets an `exec` before it (bash does so itself, dash does not): no shell waits beside the
/// program, and a signal to the task's first process reaches the program itself, above all the
/// kernel's at the agent's death. Everything else stays as it is, even a program that cannot be
/// found: the shell's message about it is the user's evidence.
[[nodiscard]] std::string shell_command(os::Files& files, const std::string& command,
                                        std::string_view path, const std::filesystem::path& folder);

/// The shell that runs a command, with its arguments: /bin/sh. Where a variable has a name that is
/// none for a shell (`a.b`, or a function that bash has exported), bash in its place if this host
/// has one: dash would not pass it on.
[[nodiscard]] std::vector<std::string> shell_argv(
    os::Files& files, const std::string& command,
    const std::map<std::string, std::string>& environment);

/// Where a command that is run in `folder` works at first: `cd FOLDER && PROGRAM ...`, as `muster
/// run` writes it, begins elsewhere. A folder that the shell has to work out is not followed.
[[nodiscard]] std::filesystem::path first_folder(std::string_view command,
                                                 const std::filesystem::path& folder);

}  // namespace muster::agent
