#include "cli/completion.h"

#include "base/text.h"
#include "spec/keys/key_table.h"
#include "spec/templates.h"

#include <algorithm>
#include <map>

namespace muster::cli {
namespace {

// `completion words` ends with status 3 if the shell is to offer files.

constexpr std::string_view kBash =
    R"sh(# bash completion for muster: eval "$(muster completion bash)"
_muster() {
  local IFS=$'\n' typed=() word last i
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    # Bash ends words at = and :, as in --set KEY=VALUE and worker:1.
    if ((i > 1)) && [[ $word == [=:]* || ${COMP_WORDS[i-1]} == *[=:] ]]; then
      typed[-1]+=$word
    else
      typed+=("$word")
    fi
  done
  last=${typed[-1]}
  COMPREPLY=($(muster completion words -- "${typed[@]}" 2>/dev/null))
  if [ $? -eq 3 ]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}"))
    return
  fi
  COMPREPLY=("${COMPREPLY[@]#"${last%"${last##*[=:]}"}"}")
  [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
}
complete -F _muster muster
)sh";

constexpr std::string_view kZsh = R"sh(#compdef muster
# zsh completion for muster: eval "$(muster completion zsh)"
_muster() {
  local out
  local -a found
  out=$(muster completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( $? == 3 )); then
    _files
    return
  fi
  found=("${(@f)out}")
  compadd -S '' -- "${(@M)found:#*=}"
  compadd -- "${(@)${(@)found:#*=}:#}"
}
compdef _muster muster
)sh";

constexpr std::string_view kFish =
    R"sh(# fish completion for muster: muster completion fish | source
function __muster_words
  set -l typed (commandline -opc) (commandline -ct)
  set -l found (muster completion words -- $typed[2..-1] 2>/dev/null)
  if test $status -eq 3
    __fish_complete_path (commandline -ct)
  else
    printf '%s\n' $found
  end
end
complete -c muster -f -a '(__muster_words)'
)sh";

/// Returns "roles.worker.memory" for "roles.<role>.memory".
std::string with_worker(std::string path) {
  constexpr std::string_view kRole = "<role>";
  if (const size_t at = path.find(kRole); at != std::string::npos) {
    path.replace(at, kRole.size(), "worker");
  }
  return path;
}

std::vector<std::string> keys() {
  std::vector<std::string> all;
  for (const spec::KeyInfo& key : spec::key_table()) {
    all.push_back(with_worker(key.path));
  }
  return all;
}

/// Returns "KEY=" for what `--set` takes and, once there is a key, its values.
std::vector<std::string> settings(std::string_view typed) {
  std::vector<std::string> all;
  const std::string_view name = typed.substr(0, typed.find('='));
  for (const spec::KeyInfo& key : spec::key_table()) {
    const std::string path = with_worker(key.path);
    const bool settable =
        key.place != spec::Place::Site && path.find_first_of("[<") == std::string::npos;
    if (settable && name.size() == typed.size()) {
      all.push_back(path + "=");
    } else if (settable && path == name) {
      for (const std::string_view choice : key.choices) {
        all.push_back(path + "=" + std::string(choice));
      }
    }
  }
  return all;
}

std::vector<std::string> frameworks() {
  for (const spec::KeyInfo& key : spec::key_table()) {
    if (key.path == "framework") {
      return {key.choices.begin(), key.choices.end()};
    }
  }
  return {};
}

/// One command's arguments up to the one being typed.
class Completer {
 public:
  Completer(const Table& table, const Command& command, std::span<const std::string> arguments,
            Offers& offers)
      : table_(table), command_(command), offers_(offers), unfinished_(arguments.back()) {
    for (const std::string& each : arguments.first(arguments.size() - 1)) {
      pass(each);
    }
  }

  [[nodiscard]] Completion complete();

 private:
  void pass(const std::string& argument);
  [[nodiscard]] const Parameter* next_positional() const;
  void offer_options();
  void offer_value(const Parameter& parameter, std::string_view typed, const std::string& before);
  [[nodiscard]] std::vector<std::string> values_of(const Parameter& parameter,
                                                   std::string_view typed);
  /// Returns the argument given for the positional parameter of this kind.
  [[nodiscard]] std::string given(std::initializer_list<Kind> kinds) const;

  const Table& table_;
  const Command& command_;
  Offers& offers_;
  std::string unfinished_;
  const Parameter* open_ = nullptr;  ///< The option whose value comes next.
  bool after_dashes_ = false;
  std::map<const Parameter*, std::string> positionals_;
  Completion found_;
};

void Completer::pass(const std::string& argument) {
  if (open_ != nullptr) {
    open_ = nullptr;
  } else if (after_dashes_ || argument == "--") {
    after_dashes_ = true;
  } else if (argument.starts_with('-')) {
    const Parameter* const option = find_option(command_, argument);
    open_ = option == nullptr || option->is_flag() ? nullptr : option;
  } else if (const Parameter* next = next_positional()) {
    positionals_[next] = argument;
  }
}

const Parameter* Completer::next_positional() const {
  for (const Parameter& each : command_.parameters) {
    const bool fits = !each.is_option() && each.kind != Kind::AfterDashes;
    if (fits && (each.repeats() || !positionals_.contains(&each))) {
      return &each;
    }
  }
  return nullptr;
}

Completion Completer::complete() {
  const size_t equals = unfinished_.find('=');
  const Parameter* const option = find_option(command_, unfinished_.substr(0, equals));
  if (open_ != nullptr) {
    offer_value(*open_, unfinished_, "");
  } else if (after_dashes_) {
    found_.files = true;
  } else if (unfinished_.starts_with('-') && equals != std::string::npos && option != nullptr) {
    offer_value(*option, unfinished_.substr(equals + 1), unfinished_.substr(0, equals + 1));
  } else if (unfinished_.starts_with('-')) {
    offer_options();
  } else if (const Parameter* next = next_positional()) {
    offer_value(*next, unfinished_, "");
  }
  return std::move(found_);
}

void Completer::offer_options() {
  for (const Parameter& each : command_.parameters) {
    for (const std::string_view name : each.names) {
      if (each.is_option() && !each.help.empty() && name.starts_with(unfinished_)) {
        found_.words.emplace_back(name);
      }
    }
  }
  if (std::string_view("--help").starts_with(unfinished_)) {
    found_.words.emplace_back("--help");
  }
}

void Completer::offer_value(const Parameter& parameter, std::string_view typed,
                            const std::string& before) {
  found_.files = parameter.kind == Kind::File || parameter.kind == Kind::Everything;
  for (const std::string& value : values_of(parameter, typed)) {
    if (value.starts_with(typed)) {
      found_.words.push_back(before + value);
    }
  }
}

std::string Completer::given(std::initializer_list<Kind> kinds) const {
  for (const auto& [parameter, value] : positionals_) {
    if (std::ranges::find(kinds, parameter->kind) != kinds.end()) {
      return value;
    }
  }
  return {};
}

std::vector<std::string> Completer::values_of(const Parameter& parameter, std::string_view typed) {
  std::vector<std::string> values;
  switch (parameter.kind) {
    case Kind::Text:
    case Kind::File:
    case Kind::AfterDashes:
    case Kind::Everything:
      return {};
    case Kind::Choice:
      return {parameter.choices.begin(), parameter.choices.end()};
    case Kind::Job:
    case Kind::LiveJob:
    case Kind::EndedJob:
      values = offers_.jobs(parameter.kind);
      values.insert(values.begin(), "last");
      return values;
    case Kind::Tasks:
      return offers_.tasks_of(given({Kind::Job, Kind::LiveJob, Kind::EndedJob}));
    case Kind::Role:
      return offers_.roles_in(given({Kind::File}));
    case Kind::Cluster:
      return offers_.clusters();
    case Kind::Framework:
      return frameworks();
    case Kind::Key:
      return keys();
    case Kind::Setting:
      return settings(typed);
    case Kind::Template:
      for (const spec::Template& each : spec::templates()) {
        values.emplace_back(each.name);
      }
      return values;
    case Kind::Command:
      for (const Command& each : table_.rows) {
        if (!each.summary.empty() && each.name.find(' ') == std::string_view::npos) {
          values.emplace_back(each.name);
        }
      }
      return values;
  }
  return values;
}

/// Returns the last word of each command's name that begins with `typed`.
std::vector<std::string> command_names(const Table& table, const std::vector<std::string>& typed) {
  std::vector<std::string> found;
  for (const Command& each : table.rows) {
    const std::vector<std::string_view> names = split(each.name, ' ');
    if (!each.summary.empty() && names.size() == typed.size() &&
        std::equal(names.begin(), std::prev(names.end()), typed.begin()) &&
        names.back().starts_with(typed.back())) {
      found.emplace_back(names.back());
    }
  }
  return found;
}

}  // namespace

std::string completion_script(std::string_view shell) {
  if (shell == "zsh") {
    return std::string(kZsh);
  }
  return std::string(shell == "fish" ? kFish : kBash);
}

Completion complete(const Table& table, const std::vector<std::string>& typed, Offers& offers) {
  const std::vector<std::string> arguments = typed.empty() ? std::vector<std::string>{""} : typed;
  Completion found{.words = command_names(table, arguments)};
  const std::span<const std::string> finished = std::span(arguments).first(arguments.size() - 1);
  const Command* const command = find_command(table, finished);
  if (!found.words.empty() || command == nullptr || !command->run) {
    return found;
  }
  return Completer(table, *command, std::span(arguments).subspan(split(command->name, ' ').size()),
                   offers)
      .complete();
}

}  // namespace muster::cli
