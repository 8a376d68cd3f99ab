#pragma once

#include "cli/command.h"

#include <string>

/// Texts made from the table of commands. Help texts have at most 80 columns.
namespace muster::cli {

/// What `muster --help` prints.
[[nodiscard]] std::string help_overview(const Table& table);
/// What `muster COMMAND --help` prints; `command` is a row of the table.
[[nodiscard]] std::string help_text(const Table& table, const Command& command);
/// What `muster --version` prints.
[[nodiscard]] std::string version_text(const Table& table);
/// In roff.
[[nodiscard]] std::string manual_page(const Table& table);
/// In Markdown.
[[nodiscard]] std::string reference_page(const Table& table);

}  // namespace muster::cli
