#include "app/completion.h"

namespace muster::app {
namespace {

constexpr std::string_view kBash =
    R"sh(# bash completion for muster: eval "$(muster completion bash)"
_muster() {
  local IFS=$'\n'
  COMPREPLY=($(muster completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  if [ ${#COMPREPLY[@]} -eq 0 ]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}"))
  fi
}
complete -F _muster muster
)sh";

constexpr std::string_view kZsh = R"sh(#compdef muster
# zsh completion for muster: eval "$(muster completion zsh)"
_muster() {
  local -a found
  found=("${(@f)$(muster completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ ${#found} -gt 0 && -n "${found[1]}" ]]; then
    compadd -- "${found[@]}"
  else
    _files
  fi
}
compdef _muster muster
)sh";

constexpr std::string_view kFish =
    R"sh(# fish completion for muster: muster completion fish | source
function __muster_words
  set -l typed (commandline -opc) (commandline -ct)
  muster completion words -- $typed[2..-1] 2>/dev/null
end
complete -c muster -a '(__muster_words)'
)sh";

const CommandHelp* find_command(const std::vector<CommandHelp>& commands, std::string_view name) {
  for (const CommandHelp& command : commands) {
    if (command.name == name) {
      return &command;
    }
  }
  return nullptr;
}

}  // namespace

std::string completion_script(std::string_view shell) {
  if (shell == "zsh") {
    return std::string(kZsh);
  }
  return std::string(shell == "fish" ? kFish : kBash);
}

std::vector<std::string> complete(const std::vector<std::string>& typed,
                                  const std::vector<std::string>& jobs) {
  const std::vector<CommandHelp> commands = command_help();
  const std::string prefix = typed.empty() ? std::string() : typed.back();
  std::vector<std::string> found;
  const auto offer = [&](const std::string& word) {
    if (word.starts_with(prefix)) {
      found.push_back(word);
    }
  };
  size_t at = 0;
  const CommandHelp* command = nullptr;
  while (at + 1 < typed.size() && (command == nullptr || !command->subcommands.empty())) {
    command = find_command(command == nullptr ? commands : command->subcommands, typed[at++]);
    if (command == nullptr) {
      return found;
    }
  }
  if (command == nullptr || !command->subcommands.empty()) {
    for (const CommandHelp& each : command == nullptr ? commands : command->subcommands) {
      offer(each.name);
    }
    return found;
  }
  if (prefix.starts_with("-")) {
    for (const std::string& option : command->options) {
      offer(option);
    }
    return found;
  }
  if (command->takes_job && typed.size() == 2) {
    offer("last");
    for (const std::string& job : jobs) {
      offer(job);
    }
  }
  return found;
}

}  // namespace muster::app
