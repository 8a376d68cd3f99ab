#include "cli/command_line.h"

#include "base/text.h"
#include "cli/help.h"
#include "client/show/failure.h"
#include "spec/keys/key_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>

namespace muster::cli {
namespace {

Printed mistake(std::string_view command, std::string_view reason) {
  return {{},
          command.empty()
              ? fmt::format("muster: {} (see `muster --help`)\n", reason)
              : fmt::format("muster: {0}: {1} (see `muster {0} --help`)\n", command, reason),
          client::kBadUsage};
}

/// Returns the command that runs a file whose name was given instead of a command; "" for other
/// words.
std::string run_of_file(std::string_view word) {
  return word.ends_with(".py") ? fmt::format("run -- python3 {}", word)
         : word.ends_with(".yaml") || word.ends_with(".yml") ? fmt::format("run {}", word)
                                                             : "";
}

Printed no_command(const Table& table, std::string_view group, std::string_view word) {
  std::vector<std::string_view> names;
  for (const Command& each : table.rows) {
    if (!each.summary.empty() && each.name.starts_with(group)) {
      names.push_back(each.name);
    }
  }
  const std::string typed = std::string(group) + printable(word);
  const auto foreign = std::ranges::find_if(table.foreign, [&typed](const Foreign& each) {
    return std::ranges::find(each.names, typed) != each.names.end();
  });
  std::string near = foreign != table.foreign.end() ? std::string(foreign->instead)
                     : group.empty()                ? run_of_file(typed)
                                                    : "";
  if (near.empty()) {
    near = nearest(typed, names).value_or("");
  }
  return {{},
          fmt::format("muster: there is no command `{}`; {}\n", typed,
                      near.empty() ? fmt::format("`muster {}--help` lists them", group)
                                   : fmt::format("did you mean `muster {}`?", near)),
          client::kBadUsage};
}

/// Returns "--set roles.worker.memory=..." for `--memory`, if that is a key of a specification.
std::optional<std::string> as_key(std::string_view option) {
  std::string name(option.substr(2));
  std::ranges::replace(name, '-', '_');
  for (const spec::KeyInfo& key : spec::key_table()) {
    if (key.place == spec::Place::Top && key.path == name) {
      return fmt::format("--set {}=...", name);
    }
    if (key.place == spec::Place::Role && key.path == "roles.<role>." + name) {
      return fmt::format("--set roles.worker.{}=...", name);
    }
  }
  return std::nullopt;
}

std::string unknown_option(const Command& command, std::string_view name) {
  std::string text = fmt::format("there is no option {}", printable(name));
  if (!name.starts_with("--")) {
    return text;
  }
  const auto key = find_option(command, "--set") != nullptr ? as_key(name) : std::nullopt;
  if (key) {
    return fmt::format("{}; {} is a key of the specification: {}", text, name.substr(2), *key);
  }
  std::vector<std::string_view> known{"--help"};
  for (const Parameter& each : command.parameters) {
    if (each.is_option() && !each.help.empty()) {
      known.insert(known.end(), each.names.begin(), each.names.end());
    }
  }
  const auto near = nearest(name, known);
  return near ? fmt::format("{}; did you mean {}?", text, *near) : text;
}

/// Returns what to say about an option in front of the command.
std::string misplaced_option(const Table& table, std::string_view name) {
  for (const Command& each : table.rows) {
    if (!each.summary.empty() && find_option(each, name) != nullptr) {
      return fmt::format("{0} is an option of a command, as in muster {1} {0}", name, each.name);
    }
  }
  const auto near = nearest(name, std::vector<std::string_view>{"--help", "--version"});
  return fmt::format("there is no option {}{}", printable(name),
                     near ? fmt::format("; did you mean {}?", *near) : "");
}

std::string join_choices(std::span<const std::string_view> choices) {
  std::string all;
  for (size_t i = 0; i < choices.size(); ++i) {
    all += i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ";
    all += choices[i];
  }
  return all;
}

/// Reads a number; false if `text` is not a number that fits.
template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

/// Stores a value where it belongs. Returns what is wrong with it, or "".
class Store {
 public:
  /// `least`: the smallest number allowed.
  Store(std::string_view text, uint32_t least) : text_(text), least_(least) {}

  std::string operator()(bool* flag) const { return *flag = true, std::string(); }
  std::string operator()(std::string* text) const { return *text = text_, std::string(); }
  std::string operator()(std::optional<std::string>* text) const {
    return text->emplace(text_), std::string();
  }
  std::string operator()(std::vector<std::string>* texts) const {
    return texts->emplace_back(text_), std::string();
  }
  std::string operator()(uint16_t* number) const { return read(*number); }
  std::string operator()(uint32_t* number) const { return read(*number); }
  std::string operator()(int* number) const { return read(*number); }
  std::string operator()(std::optional<uint32_t>* number) const { return read(number->emplace()); }
  std::string operator()(const std::function<void(std::string_view)>& set) const {
    return set(text_), std::string();
  }

 private:
  template <class Number>
  [[nodiscard]] std::string read(Number& number) const {
    if (read_number(text_, number) && std::cmp_greater_equal(number, least_)) {
      return {};
    }
    return sizeof(Number) == sizeof(uint16_t)
               ? fmt::format("must be a port, 0 to {}, not `{}`",
                             std::numeric_limits<uint16_t>::max(), printable(text_))
               : fmt::format("must be a whole number, {} or more, not `{}`", least_,
                             printable(text_));
  }

  std::string_view text_;
  uint32_t least_;
};

/// One command's arguments, from left to right.
class ArgumentReader {
 public:
  ArgumentReader(const Table& table, Command& command, std::span<const std::string> arguments)
      : table_(table), command_(command), rest_(arguments) {}

  /// Fills the command's options; returns the first mistake.
  [[nodiscard]] std::optional<Printed> read();

 private:
  /// Each takes what it reads from `rest_` and returns what is wrong, or "".
  std::string read_option();
  std::string read_short(std::string_view argument);
  std::string unknown(std::string_view argument, std::string_view name);
  std::string read_value(const Parameter& option, std::string_view name);
  std::string read_positional();
  std::string read_after_dashes();
  std::string store(const Parameter& parameter, std::string_view name, std::string_view value);
  [[nodiscard]] bool asks_help(std::string_view argument) const;
  [[nodiscard]] const Parameter* parameter_of(Kind kind) const;
  std::string_view take() {
    const std::string_view first = rest_.front();
    rest_ = rest_.subspan(1);
    return first;
  }

  const Table& table_;
  Command& command_;
  std::span<const std::string> rest_;
  std::set<const Parameter*> given_;
};

std::optional<Printed> ArgumentReader::read() {
  if (const Parameter* all = parameter_of(Kind::Everything);
      all != nullptr && std::ranges::find(rest_, "--help") == rest_.end()) {
    std::get<std::vector<std::string>*>(all->field)->assign(rest_.begin(), rest_.end());
    return std::nullopt;
  }
  while (!rest_.empty()) {
    const std::string_view next = rest_.front();
    if (asks_help(next)) {
      return Printed{help_text(table_, command_), {}, 0};
    }
    const bool is_option = next.size() > 1 && next.starts_with('-');
    const std::string wrong = next == "--" ? read_after_dashes()
                              : is_option  ? read_option()
                                           : read_positional();
    if (!wrong.empty()) {
      return mistake(command_.name, wrong);
    }
  }
  for (const Parameter& each : command_.parameters) {
    if (!each.missing.empty() && !given_.contains(&each)) {
      return mistake(command_.name, each.missing);
    }
  }
  return std::nullopt;
}

bool ArgumentReader::asks_help(std::string_view argument) const {
  return argument == "--help" || (argument == "-h" && find_option(command_, "-h") == nullptr);
}

const Parameter* ArgumentReader::parameter_of(Kind kind) const {
  const auto found = std::ranges::find(command_.parameters, kind, &Parameter::kind);
  return found == command_.parameters.end() ? nullptr : &*found;
}

/// Recognises "-N" in "-N2", as that program would.
bool names_option(const Foreign& foreign, std::string_view argument) {
  const std::string_view name = argument.substr(0, argument.find('='));
  return std::ranges::any_of(foreign.names, [name](std::string_view each) {
    const bool letter = each.size() == 2;
    return each == name || (letter && !name.starts_with("--") && name.starts_with(each));
  });
}

std::string ArgumentReader::read_option() {
  const std::string_view argument = take();
  const std::string_view name = argument.substr(0, argument.find('='));
  const Parameter* const option = find_option(command_, name);
  if (option == nullptr) {
    return unknown(argument, name);
  }
  if (name.size() == argument.size()) {
    return read_value(*option, name);
  }
  return option->is_flag() ? fmt::format("{} takes no value", name)
                           : store(*option, name, argument.substr(name.size() + 1));
}

/// Explains an unknown option: of a program that was named without the dashes, of another program,
/// or of none.
std::string ArgumentReader::unknown(std::string_view argument, std::string_view name) {
  const bool behind_program = parameter_of(Kind::AfterDashes) != nullptr && !given_.empty() &&
                              std::ranges::any_of(given_, [](const Parameter* each) {
                                return !each->is_option() && each->kind == Kind::File;
                              });
  if (behind_program) {
    return fmt::format(
        "there is no option {}; arguments of a program come after --, as in "
        "muster {} -n 4 -- python3 train.py --epochs 5",
        printable(name), command_.name);
  }
  const auto foreign = std::ranges::find_if(
      command_.foreign, [argument](const Foreign& each) { return names_option(each, argument); });
  if (foreign != command_.foreign.end()) {
    return fmt::format("there is no option {}: {}", printable(name), foreign->instead);
  }
  return argument.starts_with("--") ? unknown_option(command_, name) : read_short(argument);
}

/// Reads "-rf" or "-n4".
std::string ArgumentReader::read_short(std::string_view argument) {
  for (size_t at = 1; at < argument.size(); ++at) {
    const std::string name{'-', argument[at]};
    const Parameter* const option = find_option(command_, name);
    if (option == nullptr) {
      return unknown_option(command_, at == 1 ? argument : name);
    }
    if (!option->is_flag() && at + 1 < argument.size()) {
      return store(*option, name, argument.substr(at + 1));
    }
    if (std::string wrong = read_value(*option, name); !wrong.empty()) {
      return wrong;
    }
  }
  return {};
}

std::string ArgumentReader::read_value(const Parameter& option, std::string_view name) {
  if (option.is_flag()) {
    return store(option, name, {});
  }
  if (rest_.empty() || rest_.front() == "--" || find_option(command_, rest_.front()) != nullptr) {
    return fmt::format("{} needs a value: {}", name, option.value);
  }
  return store(option, name, take());
}

std::string ArgumentReader::read_positional() {
  for (const Parameter& each : command_.parameters) {
    const bool fits = !each.is_option() && each.kind != Kind::AfterDashes;
    if (fits && (each.repeats() || !given_.contains(&each))) {
      return store(each, each.names.front(), take());
    }
  }
  const std::string argument = printable(take());
  return parameter_of(Kind::AfterDashes) == nullptr || command_.summary.empty()
             ? fmt::format("unexpected argument `{}`", argument)
             : fmt::format(
                   "unexpected argument `{}`; the command to run comes after --, as in "
                   "muster {} -n 4 -- python3 train.py",
                   argument, command_.name);
}

/// After `--` come the job's own arguments, whatever they look like; for a command without a job,
/// positional ones.
std::string ArgumentReader::read_after_dashes() {
  take();
  if (const Parameter* all = parameter_of(Kind::AfterDashes)) {
    std::get<std::vector<std::string>*>(all->field)->assign(rest_.begin(), rest_.end());
    rest_ = {};
  }
  std::string wrong;
  while (!rest_.empty() && wrong.empty()) {
    wrong = read_positional();
  }
  return wrong;
}

std::string ArgumentReader::store(const Parameter& parameter, std::string_view name,
                                  std::string_view value) {
  if (!given_.insert(&parameter).second && !parameter.repeats() && !parameter.is_flag()) {
    return fmt::format("{} is given twice", name);
  }
  if (parameter.kind == Kind::Choice &&
      std::ranges::find(parameter.choices, value) == parameter.choices.end()) {
    return fmt::format("{} must be {}, not `{}`", name, join_choices(parameter.choices),
                       printable(value));
  }
  const std::string wrong = std::visit(Store(value, parameter.least), parameter.field);
  return wrong.empty() ? wrong : fmt::format("{} {}", name, wrong);
}

/// Answers a group of commands with an argument that is none of its commands.
Printed of_group(const Table& table, const Command& group, std::span<const std::string> rest) {
  if (!rest.empty() && (rest[0] == "--help" || rest[0] == "-h")) {
    return {help_text(table, group), {}, 0};
  }
  const std::string prefix = std::string(group.name) + " ";
  if (!rest.empty() && !rest[0].starts_with('-')) {
    return no_command(table, prefix, rest[0]);
  }
  std::string names;
  for (const Command& each : table.rows) {
    if (each.name.starts_with(prefix)) {
      names += (names.empty() ? "" : ", ") + std::string(each.name.substr(prefix.size()));
    }
  }
  return mistake(group.name, "name a command: " + names);
}

}  // namespace

std::variant<Printed, Command> parse_command_line(const Table& table,
                                                  const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    return Printed{{}, help_overview(table), client::kBadUsage};
  }
  const std::string& first = arguments.front();
  if (first == "--help" || first == "-h") {
    return Printed{help_overview(table), {}, 0};
  }
  if (first == "--version") {
    return Printed{version_text(table), {}, 0};
  }
  if (first.starts_with('-')) {
    return mistake("", misplaced_option(table, first.substr(0, first.find('='))));
  }
  const Command* const found = find_command(table, arguments);
  if (found == nullptr) {
    return no_command(table, "", first);
  }
  const size_t names = split(found->name, ' ').size();
  const std::span<const std::string> rest = std::span(arguments).subspan(names);
  if (!found->run) {
    return of_group(table, *found, rest);
  }
  Command command = *found;
  if (std::optional<Printed> printed = ArgumentReader(table, command, rest).read()) {
    return *std::move(printed);
  }
  return command;
}

}  // namespace muster::cli
