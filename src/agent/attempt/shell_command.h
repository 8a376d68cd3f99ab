#pragma once

#include "os/file/files.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster::agent {

/// Returns where the shell would find a program: `word` itself, relative to `folder`, if it has a
/// slash, else the first match on `path` (PATH's text). "" if there is none.
[[nodiscard]] std::string find_program(os::Files& files, std::string_view word,
                                       std::string_view path, const std::filesystem::path& folder);

/// Returns what a shell is given to run a task's command. A command that is one program with its
/// arguments gets an `exec` in front (bash does so itself, dash does not), so that no shell waits
/// beside the program and a signal to the task's first process reaches the program itself, above
/// all the one the kernel sends when the agent dies. Everything else stays as it is, even a program
/// that cannot be found: the shell's message about it is the user's evidence.
[[nodiscard]] std::string shell_command(os::Files& files, const std::string& command,
                                        std::string_view path, const std::filesystem::path& folder);

/// Returns the shell that runs a command, with its arguments: /bin/sh. If a variable's name is not
/// valid in a shell (`a.b`, or a function exported by bash), bash is used instead if this host has
/// it, because dash would not pass the variable on.
[[nodiscard]] std::vector<std::string> shell_argv(
    os::Files& files, const std::string& command,
    const std::map<std::string, std::string>& environment);

/// Returns the folder where a command run in `folder` starts its work: `cd FOLDER && PROGRAM ...`,
/// as `muster run` writes it, begins elsewhere. A folder that the shell has to expand is not
/// followed.
[[nodiscard]] std::filesystem::path first_folder(std::string_view command,
                                                 const std::filesystem::path& folder);

}  // namespace muster::agent
