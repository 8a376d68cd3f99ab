#include "spec/keys/row.h"

#include "base/text.h"
#include "spec/keys/keys.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::spec {
namespace {

/// Lists the keys of a group, if they are few.
std::string known(std::span<const Row> rows) {
  constexpr size_t kListed = 10;
  if (rows.size() > kListed) {
    return "a map of keys";
  }
  std::vector<std::string> names;
  for (const Row& row : rows) {
    names.emplace_back(row.name);
  }
  return "a map with some of the keys " + join(names, ", ");
}

}  // namespace

const Row* find_row(std::span<const Row> rows, std::string_view name) {
  const auto found = std::ranges::find(rows, name, &Row::name);
  return found == rows.end() ? nullptr : &*found;
}

std::string suggestion(std::string_view name, std::span<const Row> rows) {
  std::vector<std::string_view> names;
  for (const Row& row : rows) {
    names.push_back(row.name);
    const auto also = split(row.notes.also, ' ');
    if (!name.empty() && std::ranges::find(also, name) != also.end()) {
      return fmt::format("; did you mean `{}`?", row.name);
    }
  }
  const std::optional<std::string_view> meant = nearest(name, names);
  return meant ? fmt::format("; did you mean `{}`?", *meant) : "";
}

std::string home_of(std::string_view name, std::span<const Row> rows) {
  std::string meant = suggestion(name, rows);
  if (!meant.empty()) {
    return meant;
  }
  const std::span<const Row> top = spec_rows();
  const std::span<const Row> role = role_rows();
  if (rows.data() == top.data() && find_row(role, name) != nullptr) {
    return fmt::format("; it belongs in a role, as in roles.worker.{}", name);
  }
  if (rows.data() != top.data() && find_row(top, name) != nullptr) {
    return "; it belongs at the top of the specification";
  }
  return "";
}

void decode_rows(Decoder& decoder, const Node& node, std::span<const Row> rows, void* object,
                 std::string_view what) {
  const std::string where = what.empty() ? "" : fmt::format("{}: ", what);
  if (node.kind == Node::Kind::Scalar || node.kind == Node::Kind::List) {
    decoder.fail(node, fmt::format("{}must be {}, not {}", where, known(rows), describe(node)));
    return;
  }
  bool slip = false;
  for (const Member& member : node.members) {
    const Row* row = find_row(rows, member.key);
    if (row == nullptr) {
      slip = true;
      decoder.problems.add(member.origin, fmt::format("{}unknown key `{}`{}", where, member.key,
                                                      home_of(member.key, rows)));
      continue;
    }
    row->decode(decoder, member.value, *row, object);
  }
  // A key that seems to be missing was most likely the mistyped one.
  for (const Row& row : rows) {
    if (row.notes.required && !slip && find(node, row.name) == nullptr) {
      decoder.fail(node, fmt::format("{}the key `{}` is missing", where, row.name));
    }
  }
}

Node encode_rows(std::span<const Row> rows, const void* object) {
  Node map = map_node();
  for (const Row& row : rows) {
    put(map, row.name, row.encode(row, object));
  }
  return map;
}

}  // namespace muster::spec
