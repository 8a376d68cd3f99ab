#include "spec/check/program_check.h"

#include "base/text.h"
#include "spec/archive_name.h"
#include "spec/read/problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace muster::spec {
namespace {

/// Characters of more than one command, or of arguments that the shell has to expand first.
constexpr std::string_view kShellLetters = ";&|()<>`{}$*?[]~#\"'\\\n\r\t";

constexpr std::array<std::string_view, 4> kInterpreters = {"python", "python3", "sh", "bash"};

/// Options of these interpreters that take no value and come before the script.
constexpr std::array<std::string_view, 9> kBareOptions = {"-u", "-O", "-OO", "-B", "-E",
                                                          "-s", "-I", "-e",  "-x"};

bool is_assignment(std::string_view word) {
  const size_t sign = word.find('=');
  return sign != std::string_view::npos && sign > 0 && word.find('/') > sign;
}

bool is_interpreter(std::string_view word) {
  const std::string_view name = word.substr(word.rfind('/') + 1);
  return std::ranges::find(kInterpreters, name) != kInterpreters.end();
}

/// Returns a path below the task's folder without its redundant parts; "" if it may lead elsewhere.
std::string place_below(std::string_view word) {
  if (word.starts_with('/') || word.starts_with('-')) {
    return {};
  }
  std::vector<std::string> parts;
  for (const std::string_view part : split(word, '/')) {
    if (part == "..") {
      return {};
    }
    if (!part.empty() && part != ".") {
      parts.emplace_back(part);
    }
  }
  return join(parts, "/");
}

bool may_be_unpacked(const File& file) {
  return file.unpack == Unpack::Yes ||
         (file.unpack == Unpack::Auto && !archive_stem(place_of(file)).empty());
}

/// Returns whether the program is one of these files, or in one of these folders.
bool is_among(const std::string& program, const std::vector<File>& files, FileProbe& probe) {
  return std::ranges::any_of(files, [&](const File& file) {
    const std::string place = place_of(file);
    if (program == place) {
      return true;
    }
    return program.starts_with(place + "/") &&
           (is_uri(file.src) ||
            probe.look(file.src + program.substr(place.size())).kind != PathInfo::Kind::Missing);
  });
}

}  // namespace

std::string program_of(std::string_view command) {
  if (command.find_first_of(kShellLetters) != std::string_view::npos) {
    return {};
  }
  std::vector<std::string_view> words;
  for (const std::string_view word : split(command, ' ')) {
    if (!word.empty()) {
      words.push_back(word);
    }
  }
  auto word = words.begin();
  while (word != words.end() && (*word == "exec" || *word == "env" || is_assignment(*word))) {
    ++word;
  }
  if (word == words.end()) {
    return {};
  }
  if (!is_interpreter(*word)) {
    return word->find('/') == std::string_view::npos ? "" : place_below(*word);
  }
  do {
    ++word;
  } while (word != words.end() && std::ranges::find(kBareOptions, *word) != kBareOptions.end());
  return word == words.end() ? "" : place_below(*word);
}

Status check_programs(const Spec& spec, const Node& document, FileProbe& probe) {
  Problems problems;
  for (const Role& role : spec.roles) {
    const RoleSettings settings = settings_of(spec, role);
    const std::string program = program_of(settings.command);
    if (program.empty() || role.docker.has_value() || settings.python.has_value() ||
        std::ranges::any_of(settings.files, may_be_unpacked) ||
        is_among(program, settings.files, probe)) {
      continue;
    }
    const std::vector<std::string> at =
        role.command.has_value() ? std::vector<std::string>{"roles", role.name, "command"}
                                 : std::vector<std::string>{"command"};
    const bool here = probe.look(program).kind != PathInfo::Kind::Missing;
    problems.add(origin_of(document, at),
                 here ? fmt::format("command: `{0}` is not among the files of the tasks, which run "
                                    "in folders of their own; add it, as in `files: [{0}]`",
                                    program)
                      : fmt::format("command: `{}` does not exist, neither here nor among `files`",
                                    program));
  }
  return problems.empty() ? Status() : Status(problems.error());
}

}  // namespace muster::spec
