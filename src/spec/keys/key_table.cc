#include "spec/keys/key_table.h"

#include "base/check.h"
#include "base/text.h"
#include "spec/keys/key_path.h"
#include "spec/keys/keys.h"
#include "spec/keys/row.h"
#include "spec/write/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace muster::spec {
namespace {

/// Returns the built-in value for people: as YAML, or in words.
std::string fallback_of(const Row& row) {
  if (row.notes.required) {
    return "required";
  }
  const Node node = row.fallback(row);
  const bool empty = node.kind == Node::Kind::Scalar && node.text.empty();
  if (node.kind == Node::Kind::Null || (empty && !row.notes.unset.empty())) {
    return row.notes.unset.empty() ? "not set" : std::string(row.notes.unset);
  }
  if (node.kind == Node::Kind::Scalar) {
    return empty ? "\"\"" : node.text;
  }
  if (!row.notes.unset.empty()) {
    return std::string(row.notes.unset);
  }
  return node.kind == Node::Kind::List ? "[]" : "{}";
}

/// Lists rows, and what is below them, as paths.
class Listing {
 public:
  explicit Listing(Place place) : place_(place) {}

  void add(std::span<const Row> rows, const std::string& prefix) {
    for (const Row& row : rows) {
      const Shape shape = row.shape(row);
      const std::string path = prefix + std::string(row.name);
      keys_.push_back(
          {.path = path,
           .type = shape.type,
           .fallback = shape.form == Form::Object && row.notes.unset.empty() && !row.notes.required
                           ? ""
                           : fallback_of(row),
           .choices = shape.choices,
           .doc = std::string(row.notes.doc),
           .place = place_,
           .required = row.notes.required,
           .since = row.notes.since});
      const bool role = shape.group == "Role";
      if (!row.notes.inherited && !role) {
        add(shape.rows, path + std::string(below(shape.form)));
      }
    }
  }

  std::vector<KeyInfo> take() { return std::move(keys_); }

 private:
  static std::string_view below(Form form) {
    switch (form) {
      case Form::Scalar:
      case Form::Object:
        return ".";
      case Form::List:
        return "[].";
      case Form::Map:
        return ".<name>.";
    }
    MUSTER_CHECK(false, "unknown Form");
  }

  Place place_;
  std::vector<KeyInfo> keys_;
};

void append(std::vector<KeyInfo>& all, Listing listing) {
  std::ranges::move(listing.take(), std::back_inserter(all));
}

/// Returns a path without its variable parts: "roles.worker.memory", "roles.<role>.memory" and
/// "roles.memory" become the same.
std::string skeleton(std::string_view path) {
  std::vector<std::string> kept;
  const std::vector<std::string_view> parts = split(path, '.');
  for (size_t i = 0; i < parts.size(); ++i) {
    std::string_view part = parts[i].substr(0, parts[i].find('['));
    const bool role_name = i == 1 && parts[0] == "roles" && parts.size() > 2;
    const bool digits =
        !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
    if (!role_name && !part.starts_with('<') && !digits) {
      kept.emplace_back(part);
    }
  }
  return join(kept, ".");
}

/// Returns whether `wanted` may mean this key; `roles.memory` has no role to leave out.
bool means(const KeyInfo& key, std::string_view wanted) {
  const std::string known = skeleton(key.path);
  return key.path == wanted || known == wanted || known == skeleton(wanted);
}

std::string wrapped(std::string_view text, size_t width, std::string_view margin) {
  std::string out;
  std::string line;
  for (const std::string_view word : split(text, ' ')) {
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      out += std::string(margin) + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + std::string(word);
  }
  return out + std::string(margin) + line + "\n";
}

std::string describe(const KeyInfo& key, const std::vector<KeyInfo>& table) {
  std::string out = fmt::format("{}: {}\n", key.path, key.type);
  if (key.required) {
    out += "  required\n";
  } else if (!key.fallback.empty()) {
    out += fmt::format("  default: {}\n", key.fallback);
  }
  out += fmt::format("  where: {}; since {}\n\n", to_string(key.place), key.since);
  out += wrapped(key.doc, 88, "  ");
  std::string below;
  for (const KeyInfo& other : table) {
    const std::string_view path = other.path;
    const bool under = path.starts_with(key.path) && path.size() > key.path.size() &&
                       (path[key.path.size()] == '.' || path[key.path.size()] == '[');
    if (under) {
      below += fmt::format("  {:<34} {}\n", path, other.type);
    }
  }
  return below.empty() ? out : out + "\n  Keys below it:\n" + below;
}

}  // namespace

std::string_view to_string(Place place) {
  switch (place) {
    case Place::Top:
      return "top level of a specification";
    case Place::Role:
      return "a role";
    case Place::Site:
      return "the site file";
  }
  MUSTER_CHECK(false, "unknown Place");
}

std::vector<KeyInfo> key_table() {
  std::vector<KeyInfo> all;
  Listing top(Place::Top);
  top.add(spec_rows(), "");
  append(all, std::move(top));
  Listing role(Place::Role);
  role.add(role_rows(), "roles.<role>.");
  append(all, std::move(role));
  Listing site(Place::Site);
  site.add(limits_rows(), "limits.");
  site.add(cluster_rows(), "clusters.<name>.");
  site.add(cleaning_rows(), "cleaning.");
  site.add(forbidden_rows(), "forbidden[].");
  site.add(portal_rows(), "portal.");
  append(all, std::move(site));
  return all;
}

Result<std::string> explain(std::string_view key) {
  const std::vector<KeyInfo> table = key_table();
  std::vector<const KeyInfo*> found;
  for (const KeyInfo& candidate : table) {
    if (means(candidate, key)) {
      found.push_back(&candidate);
    }
  }
  if (found.empty()) {
    for (const KeyInfo& candidate : table) {
      if (skeleton(candidate.path).ends_with("." + std::string(key))) {
        found.push_back(&candidate);
      }
    }
  }
  if (found.empty()) {
    std::vector<std::string> known;
    for (const KeyInfo& candidate : table) {
      known.push_back(skeleton(candidate.path));
      known.push_back(known.back().substr(known.back().rfind('.') + 1));
    }
    const std::vector<std::string_view> names(known.begin(), known.end());
    const auto meant = nearest(key, names);
    const Result<KeyPath> path = resolve_key(key);
    if (!meant && !path && path.error().message.ends_with('?')) {
      return path.error();
    }
    return user_error(fmt::format("`{}` is not a key{}", printable(key),
                                  meant ? fmt::format("; did you mean `{}`?", *meant)
                                        : "; `muster explain` lists them all"),
                      Errc::NotFound);
  }
  std::string out;
  for (const KeyInfo* info : found) {
    out += (out.empty() ? "" : "\n") + describe(*info, table);
  }
  return out;
}

std::string key_list() {
  std::string out;
  for (const KeyInfo& key : key_table()) {
    const std::string fallback = key.required ? "required" : key.fallback;
    out +=
        fmt::format("{:<36} {}{}\n", key.path, key.type, fallback.empty() ? "" : "; " + fallback);
  }
  return out;
}

}  // namespace muster::spec
