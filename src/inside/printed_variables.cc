#include "inside/printed_variables.h"

#include "base/text.h"
#include "os/process/command.h"
#include "spec/names.h"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <utility>

namespace muster::inside {
namespace {

/// The program may wait for other tasks.
constexpr Duration kPatience = std::chrono::minutes(10);
constexpr size_t kQuotedMax = 80;

std::string quoted(std::string_view line) {
  return printable(line.substr(0, kQuotedMax)) + (line.size() > kQuotedMax ? "..." : "");
}

std::string how_ended(const os::Exit& exit) {
  return exit.code ? fmt::format("ended with status {}", *exit.code)
                   : fmt::format("was ended by signal {}", exit.signal.value_or(0));
}

}  // namespace

Result<Variables> parse_variables(std::string_view text) {
  Variables variables;
  size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (line.empty() || line.starts_with('#')) {
      continue;
    }
    const size_t equals = line.find('=');
    const std::string name(line.substr(0, equals));
    if (name.starts_with("MUSTER_")) {
      return user_error(
          fmt::format("line {} of its output sets {}, a name of Muster's own", number, name));
    }
    if (equals == std::string_view::npos || !spec::wrong_variable(name).empty()) {
      return user_error(
          fmt::format("line {} of its output is not NAME=VALUE: `{}`; what is for "
                      "people belongs on standard error",
                      number, quoted(line)));
    }
    if (line.find('\0') != std::string_view::npos) {
      return user_error(fmt::format("line {} of its output contains a NUL byte", number));
    }
    variables[name] = line.substr(equals + 1);
  }
  return variables;
}

Result<Variables> printed_variables(const std::string& program,
                                    const std::filesystem::path& view_file,
                                    const Variables& environment) {
  const std::string subject = fmt::format("the framework's program `{}`", printable(program));
  os::SpawnOptions options;
  options.argv = {"/bin/sh", "-c", program};
  options.env = environment;
  options.stdin_from = os::ToFile{view_file};
  Result<os::CommandOutput> output = os::run_command(std::move(options), kPatience);
  if (!output.has_value()) {
    return user_error(fmt::format("{}: {}", subject, output.error().message));
  }
  if (output->exit.code != 0) {
    return user_error(fmt::format("{} {}", subject, how_ended(output->exit)));
  }
  Result<Variables> variables = parse_variables(output->stdout_text);
  if (!variables.has_value()) {
    return std::move(variables).error().within(subject);
  }
  return variables;
}

}  // namespace muster::inside
