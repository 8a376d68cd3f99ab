#include "app/job_words.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

namespace muster::app {

std::vector<std::string> take_job_words(std::vector<std::string>& words) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  if (dashes == words.end()) {
    return {};
  }
  std::vector<std::string> rest(std::next(dashes), words.end());
  words.erase(dashes, words.end());
  return rest;
}

void put_words(Command& command, std::vector<std::string> words) {
  if (auto* run = std::get_if<RunCommand>(&command)) {
    run->spec.words = std::move(words);
  } else if (auto* submit = std::get_if<SubmitCommand>(&command)) {
    submit->spec.words = std::move(words);
  } else if (auto* plan = std::get_if<PlanOptions>(&command)) {
    plan->spec.words = std::move(words);
  } else if (auto* completion = std::get_if<CompletionOptions>(&command)) {
    completion->words = std::move(words);
  }
}

void take_hadoops_options(std::vector<std::string>& words) {
  for (std::string& word : words) {
    if (word == "--") {
      return;
    }
    if (word == "-skipTrash") {
      word = "--skip-trash";
    }
  }
}

}  // namespace muster::app
