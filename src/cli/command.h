#pragma once

#include "client/session.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// A command line as a table of commands, from which parsing, error messages, help, completion, the
/// reference page and the manual page are made.
namespace muster::cli {

/// What a value stands for; determines what completion offers.
enum class Kind : uint8_t {
  Text,
  Choice,   ///< One of `choices` and nothing else.
  File,     ///< A file or folder of this machine.
  Job,      ///< Any job.
  LiveJob,  ///< One that has not ended.
  EndedJob,
  Tasks,  ///< A role or a task of the job named before it.
  Role,   ///< A role of the specification named on the same line.
  Cluster,
  Framework,
  Key,      ///< A key of the specification.
  Setting,  ///< KEY=VALUE
  Template,
  Command,
  AfterDashes,  ///< Everything after `--`.
  Everything,   ///< All arguments as they are, for a command with a syntax of its own.
};

/// Where a value goes; its type determines how the value is read. Flags are `bool`.
using Field = std::variant<bool*, std::string*, std::optional<std::string>*,
                           std::vector<std::string>*, uint16_t*, uint32_t*,
                           std::optional<uint32_t>*, int*, std::function<void(std::string_view)>>;

/// One option or one positional argument.
struct Parameter {
  std::vector<std::string_view> names;  ///< "-n", "--tasks"; of a positional one: "SPEC".
  Field field;
  std::string_view help;  ///< A sentence without a full stop; empty: hidden from people.
  Kind kind = Kind::Text;
  std::string_view value = {};                 ///< The value's name in help texts: "CLUSTER".
  std::vector<std::string_view> choices = {};  ///< Of Kind::Choice.
  uint32_t least = 0;                          ///< Of a number.
  std::string_view missing = {};  ///< What to say when it is not there; empty: it may be left out.

  [[nodiscard]] bool is_option() const {
    return kind != Kind::AfterDashes && kind != Kind::Everything && names.front().starts_with('-');
  }
  [[nodiscard]] bool is_flag() const { return std::holds_alternative<bool*>(field); }
  /// Returns whether it takes more than one value.
  [[nodiscard]] bool repeats() const {
    return std::holds_alternative<std::vector<std::string>*>(field);
  }
};

/// Options or commands that people know from other programs, and what to use instead. A one-letter
/// option is also recognized with its value attached.
struct Foreign {
  std::vector<std::string_view> names;
  std::string_view instead;
};

/// One row. Its parameters point into its own options, so that it serves one command line.
struct Command {
  std::string_view name;     ///< "logs", "fs ls"
  std::string_view summary;  ///< A sentence without a full stop; empty: hidden from people.
  std::string_view example;  ///< A whole command line that parses.
  std::vector<Parameter> parameters;
  std::function<int(client::Session& session)> run;  ///< Empty: a group of commands.
  std::shared_ptr<void> options;
  std::string_view notes = {};  ///< Further sentences for the help text.
  std::vector<Foreign> foreign = {};
};

/// Makes a row: `run` is the handler, `parameters` says how its options are filled.
template <class Options, class Parameters>
Command command(std::string_view name, std::string_view summary,
                int (*run)(client::Session& session, const Options& options), Parameters parameters,
                std::string_view example) {
  const auto options = std::make_shared<Options>();
  return {.name = name,
          .summary = summary,
          .example = example,
          .parameters = parameters(*options),
          .run = [options, run](client::Session& session) { return run(session, *options); },
          .options = options};
}

/// The whole command line of `muster`.
struct Table {
  std::string_view summary;         ///< Of the program, a sentence without a full stop.
  std::string_view example;         ///< As Command::example.
  std::string_view version;         ///< "0.1.0"
  std::string_view reference_head;  ///< Stands above the entries of the reference page.
  std::vector<Command> rows;        ///< In the order of the help text.
  /// Commands that people know from other programs; `instead` is a command of this table.
  std::vector<Foreign> foreign = {};
};

/// Finds the row whose name `arguments` begins with, the longest; nullptr if there is none.
[[nodiscard]] const Command* find_command(const Table& table,
                                          std::span<const std::string> arguments);

/// Finds an option by one of its names; nullptr if the command has no such option.
[[nodiscard]] const Parameter* find_option(const Command& command, std::string_view name);

}  // namespace muster::cli
