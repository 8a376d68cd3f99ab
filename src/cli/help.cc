#include "cli/help.h"

#include "base/text.h"

#include <fmt/format.h>

namespace muster::cli {
namespace {

constexpr size_t kColumns = 80;
constexpr size_t kTextColumn = 26;  ///< Where descriptions begin.

/// Appends `text` in lines of at most kColumns, all indented by `indent`; the first line already
/// has `column` characters.
void wrap(std::string& out, std::string_view text, size_t indent, size_t column) {
  bool first = true;
  for (const std::string_view word : split(text, ' ')) {
    if (!first && column + 1 + word.size() > kColumns) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
      first = true;
    }
    out += first ? "" : " ";
    out += word;
    column += word.size() + (first ? 0 : 1);
    first = false;
  }
  out += "\n";
}

/// Adds "  LEFT                  TEXT", with the text below a left side that is too long.
void add_row(std::string& out, std::string_view left, std::string_view text) {
  std::string line = fmt::format("  {:<{}}", left, kTextColumn - 2);
  if (left.size() + 4 > kTextColumn) {
    line = fmt::format("  {}\n{}", left, std::string(kTextColumn, ' '));
  }
  out += line;
  wrap(out, text, kTextColumn, kTextColumn);
}

std::string_view value_name(const Parameter& option) {
  return option.value.empty() ? "TEXT" : option.value;
}

/// "-n, --tasks N"
std::string option_names(const Parameter& option) {
  std::string names;
  for (const std::string_view name : option.names) {
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return option.is_flag() ? names : fmt::format("{} {}", names, value_name(option));
}

/// "SPEC", "PATH..."
std::string argument_name(const Parameter& argument) { return std::string(argument.names.front()); }

std::string usage(const Command& command) {
  std::string line = fmt::format("muster {}", command.name);
  if (!command.run) {
    return line + " COMMAND";
  }
  bool has_options = false;
  std::string arguments;
  for (const Parameter& each : command.parameters) {
    if (each.help.empty()) {
      continue;
    }
    has_options = has_options || each.is_option();
    if (!each.is_option()) {
      const std::string name = argument_name(each);
      arguments += each.missing.empty() ? " [" + name + "]" : " " + name;
    }
  }
  return line + (has_options ? " [OPTION...]" : "") + arguments;
}

/// Calls `see` for each parameter meant for people, positional ones first.
template <class See>
void each_parameter(const Command& command, bool options, See see) {
  for (const Parameter& each : command.parameters) {
    if (!each.help.empty() && each.is_option() == options) {
      see(each);
    }
  }
}

std::vector<const Command*> commands_of(const Table& table, std::string_view prefix) {
  std::vector<const Command*> found;
  for (const Command& each : table.rows) {
    const bool below = each.name.starts_with(prefix) &&
                       each.name.find(' ', prefix.size()) == std::string_view::npos;
    if (below && !each.summary.empty()) {
      found.push_back(&each);
    }
  }
  return found;
}

void add_commands(std::string& out, const Table& table, std::string_view prefix) {
  out += "\nCommands:\n";
  for (const Command* each : commands_of(table, prefix)) {
    add_row(out, each->name.substr(prefix.size()), each->summary);
  }
}

/// Returns the help text without its first sentence.
std::string body_of(const Table& table, const Command& command) {
  std::string out = fmt::format("Usage: {}\n", usage(command));
  if (!command.run) {
    add_commands(out, table, std::string(command.name) + " ");
  } else {
    std::string arguments;
    each_parameter(command, false, [&](const Parameter& each) {
      add_row(arguments, argument_name(each), each.help);
    });
    out += arguments.empty() ? "" : "\n" + arguments;
    out += "\nOptions:\n";
    each_parameter(command, true,
                   [&](const Parameter& each) { add_row(out, option_names(each), each.help); });
    add_row(out, find_option(command, "-h") == nullptr ? "-h, --help" : "--help",
            "Print this help");
  }
  if (!command.notes.empty()) {
    out += "\n";
    wrap(out, command.notes, 0, 0);
  }
  return out + fmt::format("\nExample:\n  {}\n", command.example);
}

std::string overview_body(const Table& table) {
  std::string out = "Usage: muster COMMAND [ARGUMENT...]\n";
  add_commands(out, table, "");
  out += "\nOptions:\n";
  add_row(out, "-h, --help", "Print this help");
  add_row(out, "--version", "Print the version");
  return out + fmt::format("\nExample:\n  {}\n", table.example);
}

/// Escapes what roff would take as its own.
std::string roff(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    out += letter == '\\' ? "\\e" : letter == '-' ? "\\-" : std::string(1, letter);
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

void add_manual_entry(std::string& out, std::string_view left, std::string_view text) {
  out += fmt::format(".TP\n.B {}\n{}.\n", roff(left), roff(text));
}

}  // namespace

std::string help_overview(const Table& table) {
  return fmt::format("{}.\n\n{}", table.summary, overview_body(table));
}

std::string help_text(const Table& table, const Command& command) {
  return fmt::format("{}.\n\n{}", command.summary, body_of(table, command));
}

std::string version_text(const Table& table) { return fmt::format("muster {}\n", table.version); }

std::string reference_page(const Table& table) {
  std::string out(table.reference_head);
  out += fmt::format("\n## muster\n\n{}.\n\n```\n{}```\n", table.summary, overview_body(table));
  for (const Command& each : table.rows) {
    if (!each.summary.empty()) {
      out += fmt::format("\n## muster {}\n\n{}.\n\n```\n{}```\n", each.name, each.summary,
                         body_of(table, each));
    }
  }
  return out;
}

std::string manual_page(const Table& table) {
  std::string out = fmt::format(
      ".\\\" Made from the table of commands by tools/reference.\n.TH MUSTER 1 \"\" \"muster {}\"\n"
      ".SH NAME\nmuster \\- {}\n.SH SYNOPSIS\n.B muster\n.I COMMAND\n[\\fIARGUMENT\\fR...]\n"
      ".SH DESCRIPTION\n{}.\nA job is named by its id, by the beginning of it, or as\n.BR last .\n"
      ".SH COMMANDS\n",
      table.version, "run distributed machine\\-learning jobs", roff(table.summary));
  for (const Command& each : table.rows) {
    if (each.summary.empty()) {
      continue;
    }
    out += fmt::format(".SS {}\n{}.\n", roff(usage(each)), roff(each.summary));
    const auto add_argument = [&](const Parameter& one) {
      add_manual_entry(out, argument_name(one), one.help);
    };
    const auto add_option = [&](const Parameter& one) {
      add_manual_entry(out, option_names(one), one.help);
    };
    each_parameter(each, false, add_argument);
    each_parameter(each, true, add_option);
    out += each.notes.empty() ? "" : fmt::format(".PP\n{}\n", roff(each.notes));
    out += fmt::format(".PP\nExample:\n.RS\n.B {}\n.RE\n", roff(each.example));
  }
  return out + ".SH SEE ALSO\nThe reference of the specification: \\fBmuster explain\\fR\n";
}

}  // namespace muster::cli
