#include "agent/attempt/shell_command.h"

#include "base/text.h"

#include <algorithm>
#include <array>

namespace muster::agent {
namespace {

constexpr std::string_view kBlanks = " \t\n";
constexpr std::string_view kThen = " && ";

/// Characters of more than one command, or of a word that the shell has to expand first. Inside
/// quotes they would do no harm, but only the shell can tell.
constexpr std::string_view kNotSimple = ";&|()`{}\n\r";

constexpr std::string_view kProgramLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./";

/// Characters of a variable's name that a shell understands.
constexpr std::string_view kNameLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/// Characters of a folder's name that the shell takes literally.
constexpr std::string_view kFolderLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./:=,@%";

/// Words that the shell itself understands and that are also programs, whose messages have
/// different words, or that are no programs although somebody may have put one of that name on
/// PATH.
constexpr std::array<std::string_view, 59> kShellWords = {
    ".",      ":",        "alias",   "bg",      "break",    "builtin", "caller", "case", "cd",
    "chdir",  "command",  "coproc",  "declare", "do",       "done",    "echo",   "elif", "else",
    "esac",   "eval",     "exec",    "exit",    "export",   "false",   "fc",     "fg",   "fi",
    "for",    "function", "getopts", "hash",    "if",       "in",      "jobs",   "kill", "let",
    "local",  "printf",   "pwd",     "read",    "readonly", "return",  "select", "set",  "shift",
    "source", "test",     "then",    "time",    "times",    "trap",    "true",   "type", "ulimit",
    "umask",  "unset",    "until",   "wait",    "while",
};

/// Judges by the mode alone: a file that its owner may run but this user may not is rare, and the
/// shell reports it either way.
bool can_run(os::Files& files, const std::string& program) {
  constexpr uint32_t kAnybodyRuns = 0111;
  const auto stat = files.stat(program);
  return stat.has_value() && stat->kind != os::FileKind::Folder && (stat->mode & kAnybodyRuns) != 0;
}

/// Returns the command without its single-quoted parts, in which nothing is special to the shell.
std::string without_quoted(std::string_view command) {
  if (command.find_first_of("\"\\") != std::string_view::npos) {
    return std::string(command);  // A single quote may be a literal one there.
  }
  std::string rest;
  bool quoted = false;
  for (const char c : command) {
    quoted = quoted != (c == '\'');
    if (!quoted) {
      rest += c;
    }
  }
  return quoted ? std::string(command) : rest;
}

}  // namespace

std::string find_program(os::Files& files, std::string_view word, std::string_view path,
                         const std::filesystem::path& folder) {
  if (word.find('/') != std::string_view::npos) {
    const std::filesystem::path file = folder / word;  // An absolute word replaces the folder.
    return files.exists(file) ? file.string() : std::string();
  }
  for (const std::string_view each : split(path, ':')) {
    const std::filesystem::path file = folder / each / word;
    if (!each.empty() && files.exists(file)) {
      return file.string();
    }
  }
  return {};
}

std::string shell_command(os::Files& files, const std::string& command, std::string_view path,
                          const std::filesystem::path& folder) {
  const std::string_view all = command;
  const size_t begin = all.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) {
    return command;
  }
  const std::string_view text = all.substr(begin, all.find_last_not_of(kBlanks) + 1 - begin);
  // `cd FOLDER && PROGRAM ...`, as `muster run` writes it for programs of the current folder.
  if (const size_t then = text.find(kThen);
      text.starts_with("cd ") && then != std::string_view::npos) {
    const std::string_view target = text.substr(3, then - 3);
    if (!target.empty() && target.find_first_not_of(kProgramLetters) == std::string_view::npos) {
      const std::string rest(text.substr(then + kThen.size()));
      return std::string(text.substr(0, then + kThen.size())) +
             shell_command(files, rest, path, folder / target);
    }
  }
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  const bool simple = without_quoted(text).find_first_of(kNotSimple) == std::string_view::npos &&
                      word.find_first_not_of(kProgramLetters) == std::string_view::npos &&
                      std::ranges::find(kShellWords, word) == kShellWords.end();
  if (!simple || !can_run(files, find_program(files, word, path, folder))) {
    return command;
  }
  return "exec " + std::string(text);
}

std::vector<std::string> shell_argv(os::Files& files, const std::string& command,
                                    const std::map<std::string, std::string>& environment) {
  const auto is_odd = [](const auto& entry) {
    const std::string& name = entry.first;
    return name.empty() || name.find_first_not_of(kNameLetters) != std::string::npos ||
           (name.front() >= '0' && name.front() <= '9');
  };
  constexpr const char* kBash = "/bin/bash";
  if (std::ranges::any_of(environment, is_odd) && files.exists(kBash)) {
    return {kBash, "--posix", "-c", command};
  }
  return {"/bin/sh", "-c", command};
}

std::filesystem::path first_folder(std::string_view command, const std::filesystem::path& folder) {
  constexpr std::string_view kGo = "cd ";
  const size_t begin = std::min(command.find_first_not_of(kBlanks), command.size());
  const std::string_view text = command.substr(begin);
  if (!text.starts_with(kGo)) {
    return folder;
  }
  std::string_view target = text.substr(kGo.size());
  size_t end = 0;
  if (target.starts_with('\'')) {
    target.remove_prefix(1);
    end = std::min(target.find('\''), target.size());
    if (!target.substr(end).starts_with("' && ")) {
      return folder;
    }
  } else {
    end = std::min(target.find(kThen), target.size());
    const std::string_view word = target.substr(0, end);
    // `cd -` is where the shell was before.
    if (end == target.size() || word.starts_with('-') ||
        word.find_first_not_of(kFolderLetters) != std::string_view::npos) {
      return folder;
    }
  }
  return end == 0 ? folder : folder / target.substr(0, end);
}

}  // namespace muster::agent
