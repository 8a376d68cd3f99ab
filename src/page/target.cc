#include "page/target.h"

#include "base/text.h"

#include <algorithm>
#include <charconv>

namespace muster::page {
namespace {

std::string decode(std::string_view text) {
  std::string decoded;
  for (size_t at = 0; at < text.size(); ++at) {
    unsigned value = 0;
    const char* const digits = text.data() + at + 1;
    const bool escaped = text[at] == '%' && at + 2 < text.size() &&
                         std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2;
    decoded += escaped ? static_cast<char>(value) : text[at];
    at += escaped ? 2 : 0;
  }
  return decoded;
}

}  // namespace

std::optional<uint64_t> parse_number(std::string_view text) {
  uint64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && stop == text.data() + text.size();
  return whole && !text.empty() ? std::optional(number) : std::nullopt;
}

std::string_view Target::value(std::string_view name) const {
  const auto found = std::ranges::find(query, name, &std::pair<std::string, std::string>::first);
  return found == query.end() ? std::string_view() : std::string_view(found->second);
}

std::optional<uint64_t> Target::number(std::string_view name) const {
  return parse_number(value(name));
}

Target parse_target(std::string_view text) {
  Target target;
  const size_t mark = text.find('?');
  std::string_view path = text.substr(0, mark);
  path.remove_prefix(path.starts_with('/') ? 1 : 0);
  for (const std::string_view part : split(path, '/')) {
    target.parts.push_back(decode(part));
  }
  if (mark == std::string_view::npos) {
    return target;
  }
  target.raw_query = text.substr(mark + 1);
  for (const std::string_view pair : split(target.raw_query, '&')) {
    const size_t equals = pair.find('=');
    const bool has_value = equals != std::string_view::npos;
    target.query.emplace_back(decode(pair.substr(0, equals)),
                              has_value ? decode(pair.substr(equals + 1)) : std::string());
  }
  return target;
}

}  // namespace muster::page
