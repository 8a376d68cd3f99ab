#include "spec/write/writer.h"

#include "base/ascii.h"
#include "base/check.h"
#include "base/text.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace muster::spec {
namespace {

constexpr size_t kFlowWidth = 80;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Returns whether a text that begins with a digit is a size, a duration or a range of these, which
/// no reader of YAML takes for a number.
bool is_measure(std::string_view text) {
  const size_t dots = text.find("..");
  if (dots != std::string_view::npos) {
    return is_measure(text.substr(0, dots)) && is_measure(text.substr(dots + 2));
  }
  const size_t digits = text.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos) {
    return false;
  }
  constexpr std::array<std::string_view, 10> kUnits = {"b",  "k",  "m", "g", "t",
                                                       "us", "ms", "s", "h", "d"};
  return std::ranges::find(kUnits, text.substr(digits)) != kUnits.end();
}

bool is_special(std::string_view text) {
  const std::string lower = ascii_lower(std::string(text));
  constexpr std::array<std::string_view, 10> kWords = {"true", "false", "yes", "no", "on",
                                                       "off",  "null",  "y",   "n",  ""};
  return std::ranges::find(kWords, lower) != kWords.end();
}

/// Returns whether every reader of YAML takes the bare text for the text itself, in flow context
/// too.
bool is_plain(std::string_view text) {
  const auto allowed = [](char c) {
    return is_letter(c) || is_digit(c) ||
           std::string_view("_./ =+@%-").find(c) != std::string_view::npos;
  };
  if (is_special(text) || !std::ranges::all_of(text, allowed) || text.ends_with(' ')) {
    return false;
  }
  if (is_digit(text[0])) {
    return is_measure(text);
  }
  return is_letter(text[0]) || text[0] == '_' || text[0] == '/';
}

std::string yaml_scalar(const Node& node) {
  return node.quoted && !is_plain(node.text) ? json_quote(node.text) : node.text;
}

std::string yaml_key(std::string_view key) {
  return is_plain(key) ? std::string(key) : json_quote(key);
}

/// Returns the node on one line, in flow style.
std::string flow(const Node& node) {
  switch (node.kind) {
    case Node::Kind::Null:
      return "null";
    case Node::Kind::Scalar:
      return yaml_scalar(node);
    case Node::Kind::List: {
      std::vector<std::string> parts;
      std::ranges::transform(node.items, std::back_inserter(parts), flow);
      return "[" + join(parts, ", ") + "]";
    }
    case Node::Kind::Map: {
      std::vector<std::string> parts;
      for (const Member& member : node.members) {
        parts.push_back(yaml_key(member.key) + ": " + flow(member.value));
      }
      return "{" + join(parts, ", ") + "}";
    }
  }
  MUSTER_CHECK(false, "unknown Node::Kind");
}

bool is_leaf(const Node& node) {
  return node.kind == Node::Kind::Null || node.kind == Node::Kind::Scalar ||
         (node.members.empty() && node.items.empty());
}

/// A map of scalars reads better on one line, if that is short.
bool fits_one_line(const Node& node, size_t used) {
  const bool flat =
      std::ranges::all_of(node.items, is_leaf) &&
      std::ranges::all_of(node.members, [](const Member& member) { return is_leaf(member.value); });
  return flat && used + flow(node).size() <= kFlowWidth;
}

void block(const Node& node, size_t indent, std::string& out);

void block_value(const Node& value, size_t indent, size_t used, std::string& out) {
  if (is_leaf(value) || fits_one_line(value, used)) {
    out += " " + flow(value) + "\n";
    return;
  }
  out += "\n";
  block(value, indent + 2, out);
}

void block(const Node& node, size_t indent, std::string& out) {
  const std::string margin(indent, ' ');
  for (const Node& item : node.items) {
    out += margin + "- " + flow(item) + "\n";
  }
  for (const Member& member : node.members) {
    const std::string key = yaml_key(member.key);
    out += margin + key + ":";
    block_value(member.value, indent, indent + key.size() + 2, out);
  }
}

}  // namespace

std::string write_json(const Node& node) {
  switch (node.kind) {
    case Node::Kind::Null:
      return "null";
    case Node::Kind::Scalar:
      return node.quoted ? json_quote(node.text) : node.text;
    case Node::Kind::List: {
      std::vector<std::string> parts;
      std::ranges::transform(node.items, std::back_inserter(parts), write_json);
      return "[" + join(parts, ",") + "]";
    }
    case Node::Kind::Map: {
      std::vector<std::string> parts;
      for (const Member& member : node.members) {
        parts.push_back(json_quote(member.key) + ":" + write_json(member.value));
      }
      return "{" + join(parts, ",") + "}";
    }
  }
  MUSTER_CHECK(false, "unknown Node::Kind");
}

std::string write_yaml(const Node& node) {
  std::string out;
  block(node, 0, out);
  return out;
}

}  // namespace muster::spec
