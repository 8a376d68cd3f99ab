#include "os/host/host_names.h"

#include "base/ascii.h"
#include "base/text.h"
#include "os/host/identity.h"
#include "os/host/proc_text.h"

#include <algorithm>

namespace muster::os {
namespace {

/// Returns the words of a line, without its comment.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::string text(line.substr(0, line.find_first_of("#;")));
  std::ranges::replace(text, '\t', ' ');
  for (const std::string_view word : split(trim(text), ' ')) {
    if (!word.empty()) {
      words.push_back(ascii_lower(std::string(word)));
    }
  }
  return words;
}

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

void add(std::vector<std::string>& names, const std::string& name) {
  if (!name.empty() && !holds(names, name)) {
    names.push_back(name);
  }
}

}  // namespace

std::vector<std::string> host_names(std::string_view own, const NameFiles& files) {
  std::vector<std::string> names;
  const std::string whole = ascii_lower(std::string(own));
  const std::string first = whole.substr(0, whole.find('.'));
  add(names, whole);
  add(names, first);
  for (const std::string_view line : split(files.resolv_conf, '\n')) {
    const std::vector<std::string> words = words_of(line);
    const bool searched = !words.empty() && (words[0] == "search" || words[0] == "domain");
    for (size_t at = 1; searched && at < words.size(); ++at) {
      add(names, first + "." + words[at]);
    }
  }
  for (const std::string_view line : split(files.hosts, '\n')) {
    const std::vector<std::string> words = words_of(line);
    const bool ours = std::ranges::any_of(
        words, [&](const std::string& word) { return word == whole || word == first; });
    for (size_t at = 1; ours && at < words.size(); ++at) {
      add(names, words[at]);
    }
  }
  return names;
}

std::vector<std::string> host_names() {
  return host_names(host_name(), {.hosts = read_proc("/etc/hosts"),
                                  .resolv_conf = read_proc("/etc/resolv.conf")});
}

}  // namespace muster::os
