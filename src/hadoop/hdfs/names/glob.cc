#include "hadoop/hdfs/names/glob.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace muster::hadoop::hdfs {
namespace {

constexpr size_t kExpansionsMax = 1000;

/// Takes one character of UTF-8 from the front; an invalid byte stands for itself.
uint32_t take_character(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text.front());
  size_t length = 1;
  uint32_t value = first;
  if (first >= 0xF0) {
    length = 4;
    value = first & 0x07U;
  } else if (first >= 0xE0) {
    length = 3;
    value = first & 0x0FU;
  } else if (first >= 0xC0) {
    length = 2;
    value = first & 0x1FU;
  }
  if (length > text.size()) {
    length = 1;
    value = first;
  }
  for (size_t at = 1; at < length; ++at) {
    value = value << 6 | (static_cast<unsigned char>(text[at]) & 0x3FU);
  }
  text.remove_prefix(length);
  return value;
}

uint32_t take_pattern_character(std::string_view& pattern) {
  if (pattern.front() == '\\' && pattern.size() > 1) {
    pattern.remove_prefix(1);
  }
  return take_character(pattern);
}

/// Matches one character with the set at the front of `pattern`, and takes the set; nullopt if it
/// is never closed.
std::optional<bool> take_set(std::string_view& pattern, uint32_t character) {
  std::string_view rest = pattern.substr(1);
  const bool negated = rest.starts_with('^') || rest.starts_with('!');
  if (negated) {
    rest.remove_prefix(1);
  }
  bool found = false;
  for (bool first = true; !rest.empty(); first = false) {
    if (rest.front() == ']' && !first) {
      pattern = rest.substr(1);
      return found != negated;
    }
    const uint32_t low = take_pattern_character(rest);
    uint32_t high = low;
    if (rest.size() >= 2 && rest.front() == '-' && rest[1] != ']') {
      rest.remove_prefix(1);
      high = take_pattern_character(rest);
    }
    found = found || (low <= character && character <= high);
  }
  return std::nullopt;
}

/// Takes one element other than `*` from `pattern` and one character from `name`, if they match.
bool take_one(std::string_view& pattern, std::string_view& name) {
  std::string_view name_after = name;
  std::string_view pattern_after = pattern;
  const uint32_t character = take_character(name_after);
  bool matched = false;
  if (pattern.front() == '?') {
    pattern_after.remove_prefix(1);
    matched = true;
  } else if (pattern.front() == '[') {
    const std::optional<bool> in_set = take_set(pattern_after, character);
    matched = in_set ? *in_set : take_character(pattern_after) == character;
  } else {
    matched = take_pattern_character(pattern_after) == character;
  }
  if (matched) {
    pattern = pattern_after;
    name = name_after;
  }
  return matched;
}

/// The parts of a pattern around its first group of braces: what precedes it, its alternatives,
/// what follows it.
struct Group {
  std::string_view before;
  std::vector<std::string_view> alternatives;
  std::string_view after;
};

/// The state of scanning a pattern; braces count only outside of sets and escapes.
class Scan {
 public:
  /// Returns false for a character that is plain: escaped, or within a set.
  bool is_active(std::string_view pattern, size_t& at) {
    if (pattern[at] == '\\') {
      ++at;
      return false;
    }
    if (in_set_) {
      in_set_ = pattern[at] != ']';
      return false;
    }
    in_set_ = pattern[at] == '[' && pattern.find(']', at + 2) != std::string_view::npos;
    return !in_set_;
  }

 private:
  bool in_set_ = false;
};

Result<std::optional<Group>> find_group(std::string_view pattern) {
  Group group;
  Scan scan;
  size_t depth = 0;
  size_t start = 0;
  for (size_t at = 0; at < pattern.size(); ++at) {
    if (!scan.is_active(pattern, at)) {
      continue;
    }
    const char character = pattern[at];
    if (character == '{') {
      if (depth == 0) {
        group.before = pattern.substr(0, at);
        start = at + 1;
      }
      ++depth;
    } else if (character == ',' && depth == 1) {
      group.alternatives.push_back(pattern.substr(start, at - start));
      start = at + 1;
    } else if (character == '}' && depth > 1) {
      --depth;
    } else if (character == '}' && depth == 1) {
      group.alternatives.push_back(pattern.substr(start, at - start));
      group.after = pattern.substr(at + 1);
      return std::optional(group);
    }
  }
  if (depth > 0) {
    return user_error(
        fmt::format("the pattern {} has an unclosed {{; write \\{{ for the character itself",
                    printable(pattern)));
  }
  return std::optional<Group>();
}

}  // namespace

bool has_wildcard(std::string_view text) {
  return text.find_first_of("*?[{\\") != std::string_view::npos;
}

std::string unescape(std::string_view text) {
  std::string plain;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\' && at + 1 < text.size()) {
      ++at;
    }
    plain += text[at];
  }
  return plain;
}

Result<std::vector<std::string>> expand_braces(std::string_view pattern) {
  std::vector<std::string> done;
  std::vector<std::string> open = {std::string(pattern)};
  while (!open.empty()) {
    const std::string next = std::move(open.back());
    open.pop_back();
    MUSTER_TRY(const std::optional<Group> group, find_group(next));
    if (!group) {
      done.push_back(next);
    } else {
      // From the last to the first: the first is then the next to be taken.
      for (auto alternative = group->alternatives.rbegin();
           alternative != group->alternatives.rend(); ++alternative) {
        open.push_back(fmt::format("{}{}{}", group->before, *alternative, group->after));
      }
    }
    if (done.size() + open.size() > kExpansionsMax) {
      return user_error(fmt::format("the pattern {} expands to more than {} names",
                                    printable(pattern), kExpansionsMax));
    }
  }
  return done;
}

bool matches(std::string_view pattern, std::string_view name) {
  // Where to go on when what follows the last star does not match.
  std::string_view star_pattern;
  std::string_view star_name;
  bool has_star = false;
  while (true) {
    if (!pattern.empty() && pattern.front() == '*') {
      pattern.remove_prefix(1);
      star_pattern = pattern;
      star_name = name;
      has_star = true;
      continue;
    }
    if (name.empty()) {
      return pattern.empty();
    }
    if (!pattern.empty() && take_one(pattern, name)) {
      continue;
    }
    if (!has_star) {
      return false;
    }
    if (star_name.empty()) {
      return false;
    }
    take_character(star_name);
    name = star_name;
    pattern = star_pattern;
  }
}

}  // namespace muster::hadoop::hdfs
