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

/// Returns the row that people mean by this word: its name, or another name used for it.
const Row* row_of_word(std::string_view word, std::span<const Row> rows) {
  const auto found = std::ranges::find_if(rows, [&](const Row& row) {
    const auto also = split(row.notes.also, ' ');
    return row.name == word || (!word.empty() && std::ranges::find(also, word) != also.end());
  });
  return found == rows.end() ? nullptr : &*found;
}

/// Returns the paths of the keys that the word means in the groups among these rows.
std::vector<std::string> paths_below(std::string_view word, std::span<const Row> rows,
                                     std::string_view prefix) {
  std::vector<std::string> paths;
  for (const Row& row : rows) {
    const Shape shape = row.shape(row);
    const Row* inner = shape.form == Form::Object ? row_of_word(word, shape.rows) : nullptr;
    if (inner != nullptr) {
      paths.push_back(fmt::format("{}{}.{}", prefix, row.name, inner->name));
    }
  }
  return paths;
}

}  // namespace

const Row* find_row(std::span<const Row> rows, std::string_view name) {
  const auto found = std::ranges::find(rows, name, &Row::name);
  return found == rows.end() ? nullptr : &*found;
}

std::string suggestion(std::string_view name, std::span<const Row> rows) {
  if (const Row* row = row_of_word(name, rows)) {
    return fmt::format("; did you mean `{}`?", row->name);
  }
  std::vector<std::string_view> names;
  for (const Row& row : rows) {
    names.push_back(row.name);
  }
  const std::optional<std::string_view> meant = nearest(name, names);
  return meant ? fmt::format("; did you mean `{}`?", *meant) : "";
}

std::string home_of(std::string_view name, std::span<const Row> rows) {
  std::string meant = suggestion(name, rows);
  if (!meant.empty()) {
    return meant;
  }
  const bool at_top = rows.data() == spec_rows().data();
  if (const Row* row = row_of_word(name, at_top ? role_rows() : spec_rows())) {
    if (at_top && row->name == "tasks") {
      return "; did you mean `tasks`?";
    }
    if (row->name != name) {
      return at_top
                 ? fmt::format("; did you mean `roles.worker.{}`?", row->name)
                 : fmt::format("; did you mean `{}`, at the top of the specification?", row->name);
    }
    return at_top ? fmt::format("; it belongs in a role, as in roles.worker.{}", name)
                  : "; it belongs at the top of the specification";
  }
  std::vector<std::string> paths = paths_below(name, rows, "");
  if (at_top && paths.empty()) {
    paths = paths_below(name, role_rows(), "roles.worker.");
  }
  constexpr size_t kOfferedMax = 2;
  return paths.empty() || paths.size() > kOfferedMax
             ? ""
             : fmt::format("; did you mean `{}`?", join(paths, "` or `"));
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
    if (row == nullptr && decoder.skips_unknown) {
      continue;
    }
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
