#pragma once

#include "app/options.h"

#include <string>
#include <variant>
#include <vector>

namespace muster::app {

struct VersionOptions {
  bool json = false;
};
struct DoctorOptions {
  std::string on;     ///< The YARN cluster to look at; empty: the one that is configured.
  bool deep = false;  ///< Look at a node, too: by a job of one container.
  bool json = false;
};
struct DemoOptions {
  bool fast = false;  ///< Without the pause in which people can read along.
};
struct RunCommand : RunOptions {};
struct SubmitCommand : RunOptions {};
struct StatusCommand : JobOptions {};
struct ShowCommand : JobOptions {
  bool page = false;  ///< Serve its page instead.
};
struct WhyCommand : JobOptions {};
struct PsCommand : ListOptions {};
struct HistoryCommand : ListOptions {};

/// Text to print and the exit status to end with: help, or a mistake in the command line.
struct Printed {
  std::string out;
  std::string err;
  int exit_status = 0;
};

using Command =
    std::variant<Printed, RunCommand, SubmitCommand, PlanOptions, PsCommand, HistoryCommand,
                 StatusCommand, ShowCommand, WhyCommand, LogsOptions, StopOptions, SpecFileOptions,
                 ExplainOptions, ConfigOptions, InitOptions, CleanOptions, DoctorOptions,
                 DemoOptions, TensorboardOptions, PortalOptions, CompletionOptions, VersionOptions,
                 FsOptions, TonyOptions, MasterCommand>;

/// Parses the command line without the program's name. Never exits and prints nothing: help and
/// mistakes come as Printed (a mistake: exit status 2, one line that says what to do, with the
/// nearest command for a slip). `agent` and `keeper` are no commands of people; main handles them
/// before.
[[nodiscard]] Command parse_command_line(std::vector<std::string> words);

/// Every command with its one-line description, for completion and the reference page.
struct CommandHelp {
  std::string name;
  std::string description;
  std::string usage;                 ///< The whole help text.
  std::vector<std::string> options;  ///< "--json", "-n", ...
  bool takes_job = false;
  std::vector<CommandHelp> subcommands;  ///< Of a group: fs.
};
[[nodiscard]] std::vector<CommandHelp> command_help();

}  // namespace muster::app
