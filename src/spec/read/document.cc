#include "spec/read/document.h"

#include "base/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace muster::spec {
namespace {

const Node* step(const Node& node, std::string_view part) {
  switch (node.kind) {
    case Node::Kind::Map:
      return find(node, part);
    case Node::Kind::List: {
      size_t index = 0;
      const auto [end, problem] = std::from_chars(part.data(), part.data() + part.size(), index);
      const bool number = problem == std::errc() && end == part.data() + part.size();
      return number && index < node.items.size() ? &node.items[index] : nullptr;
    }
    case Node::Kind::Null:
    case Node::Kind::Scalar:
      return nullptr;
  }
  MUSTER_CHECK(false, "unknown Node::Kind");
}

}  // namespace

std::string to_string(const Origin& origin) {
  std::string name = origin.source == nullptr ? "spec" : origin.source->name;
  if (origin.line == 0) {
    return name;
  }
  return fmt::format("{}:{}:{}", name, origin.line, origin.column);
}

Node text_node(std::string_view text) {
  return {.kind = Node::Kind::Scalar, .text = std::string(text), .quoted = true};
}

Node plain_node(std::string_view text) {
  return {.kind = Node::Kind::Scalar, .text = std::string(text)};
}

Node list_node(std::vector<Node> items) {
  Node node{.kind = Node::Kind::List};
  node.items = std::move(items);
  return node;
}

Node map_node() { return {.kind = Node::Kind::Map}; }

const Node* find(const Node& node, std::string_view key) {
  const auto found = std::ranges::find(node.members, key, &Member::key);
  return found == node.members.end() ? nullptr : &found->value;
}

Node* find(Node& node, std::string_view key) {
  const auto found = std::ranges::find(node.members, key, &Member::key);
  return found == node.members.end() ? nullptr : &found->value;
}

void put(Node& map, std::string_view key, Node value) {
  if (Node* there = find(map, key)) {
    *there = std::move(value);
    return;
  }
  const Origin origin = value.origin;
  map.members.push_back({.key = std::string(key), .origin = origin, .value = std::move(value)});
}

void remove(Node& map, std::string_view key) {
  std::erase_if(map.members, [&](const Member& member) { return member.key == key; });
}

Origin origin_of(const Node& root, const std::vector<std::string>& path) {
  const Node* node = &root;
  Origin origin = root.origin;
  for (const std::string& part : path) {
    const Node* next = step(*node, part);
    if (next == nullptr) {
      break;
    }
    const auto member = std::ranges::find(node->members, part, &Member::key);
    const bool by_key = member != node->members.end() && next->kind == Node::Kind::Map &&
                        member->origin.source != nullptr;
    origin = by_key ? member->origin : next->origin;
    node = next;
  }
  return origin;
}

void merge(Node& base, const Node& over) {
  if (base.kind != Node::Kind::Map || over.kind != Node::Kind::Map) {
    base = over;
    return;
  }
  for (const Member& member : over.members) {
    if (Node* there = find(base, member.key)) {
      merge(*there, member.value);
    } else {
      base.members.push_back(member);
    }
  }
  base.origin = over.origin;
}

bool same_value(const Node& left, const Node& right) {
  const auto same_member = [](const Member& a, const Member& b) {
    return a.key == b.key && same_value(a.value, b.value);
  };
  return left.kind == right.kind && left.text == right.text && left.quoted == right.quoted &&
         std::ranges::equal(left.items, right.items, same_value) &&
         std::ranges::equal(left.members, right.members, same_member);
}

std::string describe(const Node& node) {
  constexpr size_t kShown = 40;
  switch (node.kind) {
    case Node::Kind::Null:
      return "nothing";
    case Node::Kind::Scalar:
      return fmt::format("`{}{}`", node.text.substr(0, kShown),
                         node.text.size() > kShown ? "..." : "");
    case Node::Kind::List:
      return "a list";
    case Node::Kind::Map:
      return "a map";
  }
  MUSTER_CHECK(false, "unknown Node::Kind");
}

}  // namespace muster::spec
