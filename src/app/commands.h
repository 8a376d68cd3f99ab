#pragma once

#include "cli/command.h"
#include "client/options.h"
#include "client/session.h"
#include "fs/options.h"

#include <string>
#include <vector>

/// The commands that need more of this binary than `client` has. All print their own output and
/// return the exit status.
namespace muster::app {

using client::Session;

/// Returns the whole table, fresh.
[[nodiscard]] cli::Table command_table();

struct HelpOptions {
  std::vector<std::string> command;  ///< Empty: the list of all commands.
  bool man = false;                  ///< The manual page, in roff.
  bool markdown = false;             ///< The reference page.
};

/// `muster help`
int print_help(Session& session, const HelpOptions& options);
int print_version(Session& session, const client::VersionOptions& command);
int print_completion(Session& session, const client::CompletionOptions& command);
int complete_words(Session& session, const client::CompletionWords& command);

/// `muster fs`: the commands on files of HDFS.
int run_fs(Session& session, const fs::Options& command);

/// `muster master`, started by a cluster; has no terminal.
int run_master(Session& session, const client::MasterCommand& command);
/// `muster agent` and `muster keeper`: their own arguments, apart from people's command line.
int run_agent(const std::vector<std::string>& arguments, char** variables);
int run_keeper(const std::vector<std::string>& arguments, char** variables);

}  // namespace muster::app
