#include "tony/flags.h"

#include "base/text.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <variant>

namespace muster::tony {
namespace {

using Target = std::variant<std::string Flags::*, std::vector<std::string> Flags::*, bool Flags::*>;

enum class Owner : uint8_t { Tony, Muster };

struct Flag {
  std::string_view name;
  Target target;
  std::string_view help;
  Owner owner = Owner::Tony;
};

constexpr std::array kFlags = {
    Flag{"executes", &Flags::executes, "the command of every task"},
    Flag{"task_params", &Flags::task_params, "appended to the command"},
    Flag{"src_dir", &Flags::src_dir, "a folder or an archive, where the tasks start"},
    Flag{"python_venv", &Flags::python_venv, "an archive that tasks find as venv/"},
    Flag{"python_binary_path", &Flags::python_binary_path, "in the venv, or absolute"},
    Flag{"hdfs_classpath", &Flags::hdfs_classpath, "more files, separated by commas"},
    Flag{"shell_env", &Flags::shell_env, "NAME=VALUE for the program; may be repeated"},
    Flag{"container_env", &Flags::container_env, "the same for the container"},
    Flag{"conf", &Flags::conf, "KEY=VALUE; overrides every file; may be repeated"},
    Flag{"conf_file", &Flags::conf_file, "read instead of tony.xml; may be in HDFS"},
    Flag{"sidecar_tensorboard_log_dir", &Flags::tensorboard_log_dir, "what TensorBoard shows"},
    Flag{"debug", &Flags::debug, "has no effect"},
    Flag{"help", &Flags::help, "this text"},
    Flag{"on", &Flags::on, "where to run: yarn (the default), local, ...", Owner::Muster},
    Flag{"set", &Flags::set, "KEY=VALUE of the specification; may be repeated", Owner::Muster},
    Flag{"setting", &Flags::setting,
         "KEY=VALUE of TonY; overrides the files, and -conf overrides it; replaces lists",
         Owner::Muster},
    Flag{"default-setting", &Flags::default_setting, "KEY=VALUE of TonY; every file overrides it",
         Owner::Muster},
    Flag{"convert", &Flags::convert, "only print the job as a specification", Owner::Muster},
    Flag{"explain", &Flags::explain, "only say what Muster does with each setting", Owner::Muster},
    Flag{"json", &Flags::json, "JSON lines, as `muster run --json`", Owner::Muster},
    Flag{"quiet", &Flags::quiet, "only the tasks' output and a failure", Owner::Muster},
    Flag{"notebook", &Flags::notebook, "forward a port of this machine to the task's TB_PORT",
         Owner::Muster},
    Flag{"muster-exit-status", &Flags::muster_exit_status,
         "exit with the status of `muster run`, not with TonY's 0 or 255", Owner::Muster},
};

/// The flag that an argument begins: its name without dashes, and the value after a `=`.
struct Word {
  std::string_view name;
  std::optional<std::string_view> value;
  bool two_dashes = false;
};

std::optional<Word> word_of(std::string_view argument) {
  if (argument.size() < 2 || !argument.starts_with('-')) {
    return std::nullopt;
  }
  Word word;
  word.two_dashes = argument.starts_with("--");
  argument.remove_prefix(word.two_dashes ? 2 : 1);
  const size_t equals = argument.find('=');
  word.name = argument.substr(0, equals);
  if (equals != std::string_view::npos) {
    word.value = argument.substr(equals + 1);
  }
  return word;
}

const Flag* find_flag(const Word& word) {
  for (const Flag& flag : kFlags) {
    if (flag.name == word.name && (word.two_dashes || flag.owner == Owner::Tony)) {
      return &flag;
    }
  }
  return nullptr;
}

std::string dashed(const Flag& flag) {
  return fmt::format("{}{}", flag.owner == Owner::Tony ? "-" : "--", flag.name);
}

Error unknown(std::string_view argument, const Word& word) {
  std::vector<std::string> known;
  for (const Flag& flag : kFlags) {
    known.push_back(dashed(flag));
  }
  // Compared without dashes: nobody mistypes those.
  std::vector<std::string_view> names;
  for (const Flag& flag : kFlags) {
    names.push_back(flag.name);
  }
  const auto near = nearest(word.name, names);
  std::string hint = "; `muster tony --help` lists all flags";
  for (const std::string& flag : known) {
    if (near && flag.ends_with(*near) && flag.size() <= near->size() + 2) {
      hint = "; did you mean " + flag + "?";
    }
  }
  return user_error(fmt::format("neither TonY nor Muster has a flag {}{}",
                                printable(argument.substr(0, argument.find('='))), hint));
}

/// Quotes around a whole value come from a shell in between, as TonY's parser assumes.
std::string_view unquoted(std::string_view value) {
  const bool quoted = value.size() > 1 && value.starts_with('"') && value.ends_with('"');
  const std::string_view inner = quoted ? value.substr(1, value.size() - 2) : value;
  return inner.find('"') == std::string_view::npos ? inner : value;
}

class Reader {
 public:
  explicit Reader(const std::vector<std::string>& arguments) : arguments_(arguments) {}

  Result<Flags> read() {
    while (at_ < arguments_.size()) {
      MUSTER_TRY_STATUS(read_one(arguments_[at_++]));
    }
    return std::move(flags_);
  }

 private:
  Status read_one(const std::string& argument) {
    const std::optional<Word> word = word_of(argument);
    if (!word) {
      return read_file(argument);
    }
    const Flag* const flag = find_flag(*word);
    if (flag == nullptr) {
      return unknown(argument, *word);
    }
    return std::visit([&](auto target) { return store(*flag, *word, target); }, flag->target);
  }

  Status store(const Flag& flag, const Word& word, bool Flags::* target) {
    if (word.value) {
      return user_error(fmt::format("{} takes no value", dashed(flag)));
    }
    flags_.*target = true;
    remember(flag, "");
    return {};
  }
  Status store(const Flag& flag, const Word& word, std::string Flags::* target) {
    MUSTER_TRY(std::string value, value_of(flag, word));
    if (flag.owner == Owner::Tony && !seen_.insert(flag.name).second) {
      flags_.repeated.push_back(dashed(flag));
      return {};
    }
    remember(flag, value);
    flags_.*target = std::move(value);
    return {};
  }
  Status store(const Flag& flag, const Word& word, std::vector<std::string> Flags::* target) {
    MUSTER_TRY(std::string value, value_of(flag, word));
    remember(flag, value);
    (flags_.*target).push_back(std::move(value));
    return {};
  }

  void remember(const Flag& flag, const std::string& value) {
    if (flag.owner == Owner::Tony) {
      flags_.given.emplace_back(dashed(flag), value);
    }
  }

  /// Returns what follows the flag's `=`, else takes the next argument.
  Result<std::string> value_of(const Flag& flag, const Word& word) {
    if (word.value) {
      return std::string(unquoted(*word.value));
    }
    const std::optional<Word> next =
        at_ < arguments_.size() ? word_of(arguments_[at_]) : std::nullopt;
    const Flag* const other = next ? find_flag(*next) : nullptr;
    const bool is_programs =
        flag.name == "task_params" && other != nullptr && other->owner == Owner::Muster;
    if (at_ == arguments_.size() || (other != nullptr && !is_programs)) {
      return user_error(fmt::format("{} needs a value", dashed(flag)));
    }
    return std::string(unquoted(arguments_[at_++]));
  }

  Status read_file(const std::string& argument) {
    if (argument.starts_with(" #") || argument == " ") {
      return user_error(
          "there is a blank after a backslash, so the shell ends the command on that line; put "
          "each `\\` at the very end of its line, with no comment after it");
    }
    if (!argument.ends_with(".xml")) {
      return user_error(
          fmt::format("`{}` does not belong to a flag; quote values that contain blanks, as in "
                      "-executes \"python train.py\"",
                      printable(argument)));
    }
    if (!flags_.conf_file.empty()) {
      return user_error(fmt::format("{} and {}: only one file can be read",
                                    printable(flags_.conf_file), printable(argument)));
    }
    flags_.conf_file = argument;
    return {};
  }

  const std::vector<std::string>& arguments_;
  size_t at_ = 0;
  std::set<std::string_view> seen_;  ///< TonY's flags with a single value.
  Flags flags_;
};

}  // namespace

Result<Flags> parse_flags(const std::vector<std::string>& arguments) {
  return Reader(arguments).read();
}

std::string flags_help() {
  std::string text =
      "usage: muster tony [TONY.XML] [FLAG...]\n\nRuns a TonY job. TonY's flags, with one dash or "
      "two:\n";
  bool own = false;
  for (const Flag& flag : kFlags) {
    if (!own && flag.owner == Owner::Muster) {
      own = true;
      text += "\nMuster's:\n";
    }
    text += fmt::format("  {:<30} {}\n", dashed(flag), flag.help);
  }
  return text;
}

}  // namespace muster::tony
