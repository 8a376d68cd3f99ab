#include "app/mistakes.h"

#include "base/text.h"
#include "spec/key_table.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

namespace muster::app {
namespace {

Printed mistake(std::string message) {
  return Printed{{}, "muster: " + std::move(message) + "\n", 2};
}

std::vector<std::string_view> command_names(const CLI::App& app) {
  std::vector<std::string_view> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!sub->get_group().empty()) {
      names.push_back(sub->get_name());
    }
  }
  return names;
}

/// "--set roles.worker.memory=..." for `--memory`, where that is a key of a specification.
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

/// Says what the first word that looks like an option but is none of `command`'s was to be; "" for
/// no idea.
std::string suggest_option(const CLI::App& command, std::span<const std::string> words) {
  const std::vector<std::string> known = option_names(command);
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  const bool takes_keys = std::ranges::find(known, "--set") != known.end();
  for (const std::string& word : words) {
    const std::string_view name = std::string_view(word).substr(0, word.find('='));
    if (!name.starts_with("--") || std::ranges::find(known, name) != known.end()) {
      continue;
    }
    if (const auto key = takes_keys ? as_key(name) : std::nullopt) {
      return fmt::format("; {} is a key of the specification: {}", name.substr(2), *key);
    }
    if (const auto near = nearest(name, candidates)) {
      return fmt::format("; did you mean {}?", *near);
    }
  }
  return {};
}

/// Words after the specification that are no option: a command without its `--`.
bool forgot_dashes(const CLI::App& command, const CLI::ParseError& error) {
  const std::string_view name = command.get_name();
  if (name != "run" && name != "submit" && name != "plan") {
    return false;
  }
  const std::string_view text = error.what();
  const size_t colon = text.rfind(": ");
  return dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr &&
         colon != std::string_view::npos && !text.substr(colon + 2).starts_with("-");
}

/// What the parser says, in words for people.
std::string reason_of(const CLI::App& command, std::span<const std::string> words,
                      const CLI::ParseError& error) {
  const std::string text = error.what();
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    if (text.starts_with("job ")) {
      return "name a job: its id, the beginning of it, or `last`; `muster ps --all` lists them";
    }
    if (text.starts_with("shell ")) {
      return "name a shell: bash, zsh or fish";
    }
    if (text.starts_with("spec ")) {
      return "name the specification's file";
    }
    if (text.starts_with("paths ")) {
      return "name a path";
    }
    if (!command_names(command).empty()) {
      return "name what is to be done: " +
             fmt::format("{}", fmt::join(command_names(command), ", "));
    }
  }
  if (forgot_dashes(command, error)) {
    return fmt::format(
        "{} stands where only a specification may; the words of a command come after --, as in "
        "muster {} -n 4 -- python3 train.py",
        printable(text.substr(text.rfind(": ") + 2)), command.get_name());
  }
  constexpr std::string_view kConversion = "Could not convert: ";
  if (text.starts_with(kConversion)) {
    const size_t equals = text.find(" = ");
    return fmt::format("{} {} is no whole number from 0 on",
                       text.substr(kConversion.size(), equals - kConversion.size()),
                       printable(text.substr(equals + 3)));
  }
  constexpr std::string_view kNeeds = ": 1 required ";
  constexpr std::string_view kMissing = " missing";
  if (const size_t needs = text.find(kNeeds);
      needs != std::string::npos && text.ends_with(kMissing)) {
    const std::string value = text.substr(needs + kNeeds.size());
    return fmt::format("{} needs a value: {}", text.substr(0, needs),
                       value.substr(0, value.size() - kMissing.size()));
  }
  return printable(text) + suggest_option(command, words);
}

/// Says that an option in front belongs behind one of the commands; "" for one that no command has.
std::string option_of_command(const CLI::App& app, std::string_view option) {
  option = option.substr(0, option.find('='));
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::vector<std::string> known = option_names(*sub);
    if (!sub->get_group().empty() && std::ranges::find(known, option) != known.end()) {
      return fmt::format("{0} is an option of a command, as in muster {1} {0}", option,
                         sub->get_name());
    }
  }
  return {};
}

}  // namespace

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_snames()) {
      names.push_back("-" + name);
    }
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

Printed explain_mistake(const CLI::App& app, const std::vector<std::string>& words,
                        const CLI::ParseError& error) {
  const CLI::App* command = &app;
  std::span<const std::string> rest(words);
  std::string name;  // "fs ls"
  while (!rest.empty() && !rest[0].starts_with("-") && !command_names(*command).empty()) {
    // Those that Muster starts itself are known, too, but in no list.
    const std::vector<const CLI::App*> found =
        command->get_subcommands([&](const CLI::App* each) { return each->get_name() == rest[0]; });
    const std::string group = name.empty() ? "" : name + " ";
    if (found.empty()) {
      const auto near = nearest(rest[0], command_names(*command));
      return mistake(fmt::format("there is no command \"{}{}\"{}", group, printable(rest[0]),
                                 near ? fmt::format("; did you mean `muster {}{}`?", group, *near)
                                      : fmt::format("; `muster {}--help` lists them", group)));
    }
    command = found[0];
    name = group + rest[0];
    rest = rest.subspan(1);
  }
  std::string reason = words.empty() || !name.empty() ? "" : option_of_command(app, words[0]);
  if (reason.empty()) {
    reason = reason_of(*command, rest, error);
  }
  return name.empty()
             ? mistake(fmt::format("{} (`muster --help` tells more)", reason))
             : mistake(fmt::format("{}: {} (`muster {} --help` tells more)", name, reason, name));
}

}  // namespace muster::app
