#include "tracking/command_options.h"

#include <cstddef>
#include <utility>

namespace muster::tracking {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }
/// Ends a command: what follows belongs to another.
bool is_operator(char c) { return c == ';' || c == '|' || c == '&' || c == '<' || c == '>'; }

/// Returns the words up to the end; an operator is a word of its own, so it can be told from a
/// value.
std::vector<std::string> words_of(std::string_view command) {
  std::vector<std::string> words;
  std::string word;
  bool open = false;
  char quote = 0;
  const auto close = [&] {
    if (open) {
      words.push_back(std::exchange(word, {}));
    }
    open = false;
  };
  for (size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else if (c == '\\' && quote == '"' && i + 1 < command.size()) {
        word += command[++i];
      } else {
        word += c;
      }
    } else if (is_blank(c)) {
      close();
    } else if (is_operator(c)) {
      close();
      words.push_back("-" + std::string(1, c));
    } else {
      open = true;
      if (c == '\'' || c == '"') {
        quote = c;
      } else if (c == '\\' && i + 1 < command.size()) {
        word += command[++i];
      } else {
        word += c;
      }
    }
  }
  close();
  return words;
}

bool is_value(std::string_view word) {
  const bool number =
      word.size() > 1 && word[0] == '-' && ((word[1] >= '0' && word[1] <= '9') || word[1] == '.');
  return number || !word.starts_with('-');
}

}  // namespace

std::vector<std::pair<std::string, std::string>> command_options(std::string_view command) {
  std::vector<std::pair<std::string, std::string>> options;
  const std::vector<std::string> words = words_of(command);
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word.size() < 3 || !word.starts_with("--") || word[2] == '-') {
      continue;
    }
    const size_t equals = word.find('=');
    if (equals != std::string_view::npos) {
      options.emplace_back(word.substr(2, equals - 2), word.substr(equals + 1));
    } else if (i + 1 < words.size() && is_value(words[i + 1])) {
      options.emplace_back(word.substr(2), words[++i]);
    } else {
      options.emplace_back(word.substr(2), "true");
    }
  }
  return options;
}

}  // namespace muster::tracking
