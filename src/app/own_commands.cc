#include "app/commands.h"
#include "app/linked_libraries.h"
#include "app/program.h"
#include "base/text.h"
#include "cli/help.h"
#include "client/show/failure.h"

#include <fmt/format.h>

#include <span>
#include <string>

namespace muster::app {
namespace {

std::string version_json(std::span<const LinkedLibrary> libraries) {
  std::string rows;
  for (const LinkedLibrary& library : libraries) {
    rows += fmt::format("{}{}:{}", rows.empty() ? "" : ",", json_quote(library.name),
                        json_quote(library.version));
  }
  return fmt::format(R"({{"schema":"muster.version/1","version":{}{}}})"
                     "\n",
                     json_quote(kVersion),
                     rows.empty() ? "" : fmt::format(R"(,"libraries":{{{}}})", rows));
}

std::string version_rows(std::span<const LinkedLibrary> libraries) {
  std::string rows;
  for (const LinkedLibrary& library : libraries) {
    rows += fmt::format("  {:<10} {}\n", library.name, library.version);
  }
  return rows;
}

}  // namespace

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
  const std::span<const LinkedLibrary> libraries =
      command.all ? linked_libraries() : std::span<const LinkedLibrary>();
  session.console.out(command.json ? version_json(libraries)
                                   : cli::version_text(command_table()) + version_rows(libraries));
  return 0;
}

}  // namespace muster::app
