#include "tony/entities.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace muster::tony {
namespace {

constexpr std::string_view kDeclared = "<!ENTITY";
constexpr std::string_view kBlanks = " \t\r\n";
constexpr size_t kExpandedMax = size_t{1} << 20;

using Entities = std::map<std::string, std::string, std::less<>>;

/// Removes the next word from the front, with the blanks before it, up to the next blank.
std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text.remove_prefix(word.size());
  return word;
}

/// Removes a quoted text from the front, with the blanks before it; returns nullopt if there is
/// none.
std::optional<std::string_view> take_quoted(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  if (text.empty() || (text.front() != '"' && text.front() != '\'')) {
    return std::nullopt;
  }
  const size_t end = text.find(text.front(), 1);
  if (end == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view quoted = text.substr(1, end - 1);
  text.remove_prefix(end + 1);
  return quoted;
}

/// Returns whether a text refers to an entity; `&lt;`, `&#38;` and the like do not count.
bool names_entity(std::string_view text) {
  constexpr std::string_view kOwn[] = {"&lt;", "&gt;", "&amp;", "&apos;", "&quot;", "&#"};
  for (size_t at = text.find('&'); at != std::string_view::npos; at = text.find('&', at + 1)) {
    const std::string_view rest = text.substr(at);
    if (std::ranges::none_of(kOwn, [&](std::string_view own) { return rest.starts_with(own); })) {
      return true;
    }
  }
  return false;
}

Result<Entities> declared_in(std::string_view doctype) {
  Entities entities;
  for (size_t at = doctype.find(kDeclared); at != std::string_view::npos;
       at = doctype.find(kDeclared)) {
    doctype.remove_prefix(at + kDeclared.size());
    const std::string name(take_word(doctype));
    const std::optional<std::string_view> text = take_quoted(doctype);
    if (name == "%" || !text) {
      return user_error(fmt::format(
          "the entity {} is not defined as text in this file: write its value where it is used",
          printable(name)));
    }
    if (names_entity(*text)) {
      return user_error(fmt::format(
          "the entity {} names another one: entities are expanded once, and not within each other",
          printable(name)));
    }
    entities.emplace(name, *text);  // Of two declarations the first counts.
  }
  return entities;
}

/// Returns the length of a comment or CDATA section that begins here, in which nothing is expanded;
/// else 0.
size_t verbatim_size(std::string_view text) {
  constexpr std::pair<std::string_view, std::string_view> kVerbatim[] = {{"<!--", "-->"},
                                                                         {"<![CDATA[", "]]>"}};
  for (const auto& [begin, end] : kVerbatim) {
    if (text.starts_with(begin)) {
      const size_t found = text.find(end, begin.size());
      return found == std::string_view::npos ? text.size() : found + end.size();
    }
  }
  return 0;
}

}  // namespace

Result<std::string> expand_entities(std::string_view text, std::string_view doctype) {
  MUSTER_TRY(const Entities entities, declared_in(doctype));
  std::string expanded;
  size_t added = 0;
  while (!text.empty()) {
    size_t plain = std::min(text.find_first_of("&<", 1), text.size());
    if (const size_t verbatim = verbatim_size(text); verbatim > 0) {
      plain = verbatim;
    } else if (text.front() == '&') {
      const size_t end = std::min(text.find(';'), text.size());
      const auto entity = entities.find(text.substr(1, end - 1));
      if (entity != entities.end()) {
        added += entity->second.size();
        if (added > kExpandedMax) {
          return user_error("the entities of this file stand for more than 1 MiB of text");
        }
        expanded += entity->second;
        text.remove_prefix(end + 1);
        continue;
      }
    }
    expanded += text.substr(0, plain);
    text.remove_prefix(plain);
  }
  return expanded;
}

}  // namespace muster::tony
