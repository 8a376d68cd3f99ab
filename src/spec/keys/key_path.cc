#include "spec/keys/key_path.h"

#include "base/text.h"
#include "spec/keys/keys.h"
#include "spec/names.h"
#include "spec/read/yaml_reader.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <ranges>

namespace muster::spec {
namespace {

/// Walks the table along the parts of a key.
class Walk {
 public:
  explicit Walk(std::string_view dotted) : dotted_(dotted), rest_(dotted) {}

  Result<KeyPath> run() {
    MUSTER_TRY_STATUS(descend(spec_rows()));
    return std::move(path_);
  }

 private:
  [[nodiscard]] bool done() const { return !more_; }

  std::string next() {
    const size_t dot = rest_.find('.');
    const std::string part(rest_.substr(0, dot));
    more_ = dot != std::string_view::npos;
    rest_ = more_ ? rest_.substr(dot + 1) : std::string_view();
    return part;
  }

  Error wrong(std::string_view why) const {
    return user_error(fmt::format("`{}` {}", dotted_, why));
  }

  Status descend(std::span<const Row> rows) {
    const std::string part = next();
    const Row* row = find_row(rows, part);
    if (row == nullptr) {
      const std::string home = home_of(part, rows);
      return wrong(part == dotted_ ? fmt::format("is not a key{}", home)
                                   : fmt::format("is not a key: there is no `{}`{}", part, home));
    }
    path_.parts.push_back(part);
    path_.row = row;
    if (done()) {
      return {};
    }
    const Shape shape = row->shape(*row);
    switch (shape.form) {
      case Form::Scalar:
        return wrong(fmt::format("is not a key: `{}` has no keys below it", part));
      case Form::Object:
        return descend(shape.rows);
      case Form::List:
        return wrong(
            fmt::format("cannot be set alone: `{}` is a list; set the whole list, as in {}=[a, b]",
                        part, part));
      case Form::Map:
        return shape.group == "Role" ? role() : entry(shape);
    }
    return {};
  }

  Status role() {
    const std::string name = next();
    if (const std::string bad = wrong_role_name(name); name != "*" && !bad.empty()) {
      return user_error(bad);
    }
    path_.parts.push_back(name);
    path_.entry = done();
    return done() ? Status() : descend(role_rows());
  }

  /// The rest is the name of an entry, including any dots; only a secret has keys below its name.
  Status entry(const Shape& shape) {
    std::string name(rest_);
    for (const Row& below : shape.rows) {
      const std::string ending = fmt::format(".{}", below.name);
      if (name.ends_with(ending)) {
        path_.parts.push_back(name.substr(0, name.size() - ending.size()));
        path_.parts.emplace_back(below.name);
        path_.row = &below;
        return {};
      }
    }
    path_.parts.push_back(std::move(name));
    path_.entry = true;
    return {};
  }

  std::string_view dotted_;
  std::string_view rest_;
  bool more_ = true;
  KeyPath path_;
};

/// Sets one origin everywhere: a value on the command line has no line numbers.
void place_at(Node& node, const Origin& origin) {
  node.origin = origin;
  for (Node& item : node.items) {
    place_at(item, origin);
  }
  for (Member& member : node.members) {
    member.origin = origin;
    place_at(member.value, origin);
  }
}

Node as_yaml(std::string_view text, const Origin& origin, Problems& problems) {
  Problems own;
  std::optional<Node> node = read_yaml(text, origin.source, own);
  if (!node.has_value()) {
    for (const std::string& message : own.messages()) {
      problems.add(origin, message);
    }
    return {.origin = origin};
  }
  place_at(*node, origin);
  return *std::move(node);
}

bool is_bracketed(std::string_view text) { return text.starts_with('[') || text.starts_with('{'); }

Node plain(std::string_view text, const Origin& origin) {
  Node node = plain_node(text);
  node.origin = origin;
  return node;
}

}  // namespace

Result<KeyPath> resolve_key(std::string_view dotted) {
  if (dotted == "tasks") {
    dotted = "roles.worker.tasks";
  }
  return Walk(dotted).run();
}

Node value_for(const KeyPath& key, std::string_view text, const Origin& origin,
               Problems& problems) {
  const Shape shape = key.row->shape(*key.row);
  const std::string_view trimmed = trim(text);
  switch (shape.form) {
    case Form::Scalar:
      return plain(text, origin);
    case Form::List: {
      if (is_bracketed(trimmed)) {
        return as_yaml(trimmed, origin, problems);
      }
      Node list = list_node();
      list.origin = origin;
      for (const std::string_view part : split(trimmed, ',')) {
        if (!trim(part).empty()) {
          list.items.push_back(plain(trim(part), origin));
        }
      }
      return list;
    }
    case Form::Object:
    case Form::Map:
      if (key.entry && !is_bracketed(trimmed)) {
        return plain(text, origin);
      }
      return as_yaml(trimmed, origin, problems);
  }
  return {};
}

Node nested(const std::vector<std::string>& parts, Node value) {
  for (const std::string& part : std::views::reverse(parts)) {
    Node map = map_node();
    map.origin = value.origin;
    put(map, part, std::move(value));
    value = std::move(map);
  }
  return value;
}

}  // namespace muster::spec
