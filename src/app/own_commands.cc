#include "app/commands.h"
#include "app/program.h"
#include "base/text.h"
#include "cli/help.h"
#include "client/failure.h"

#include <fmt/format.h>

namespace muster::app {

int print_help(Session& session, const HelpOptions& options) {
  const cli::Table table = command_table();
  const cli::Command* const found = cli::find_command(table, options.command);
  if (!options.command.empty() && found == nullptr) {
    return fail(session.console,
                user_error(fmt::format("there is no command `{}`; `muster --help` lists them",
                                       printable(join(options.command, " ")))));
  }
  session.console.out(options.man        ? cli::manual_page(table)
                      : options.markdown ? cli::reference_page(table)
                      : found == nullptr ? cli::help_overview(table)
                                         : cli::help_text(table, *found));
  return 0;
}

int print_version(Session& session, const client::VersionOptions& command) {
  session.console.out(command.json ? fmt::format(R"({{"schema":"muster.version/1","version":"{}"}})"
                                                 "\n",
                                                 kVersion)
                                   : cli::version_text(command_table()));
  return 0;
}

}  // namespace muster::app
