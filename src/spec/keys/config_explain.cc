#include "base/text.h"
#include "spec/duration_text.h"
#include "spec/keys/key_path.h"
#include "spec/keys/row.h"
#include "spec/read/layers.h"
#include "spec/read/problems.h"
#include "spec/read/stack.h"
#include "spec/size.h"
#include "spec/write/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace muster::spec {
namespace {

/// One layer's value of a key: where it was set, and the value.
struct Said {
  std::string where;
  std::string value;
};

std::string shown(const Node& node) {
  return printable(node.kind == Node::Kind::Scalar ? node.text : write_json(node));
}

const Node* at(const Node& layer, const std::vector<std::string>& parts) {
  const Node* node = &layer;
  for (const std::string& part : parts) {
    node = find(*node, part);
    if (node == nullptr) {
      return nullptr;
    }
  }
  return node;
}

/// Answers for one key after another.
class Explanation {
 public:
  Explanation(const Stack& stack, std::vector<std::string> roles)
      : stack_(stack), roles_(std::move(roles)) {}

  void add(const std::vector<std::string>& parts, const Row& row, bool entry) {
    const Shape shape = row.shape(row);
    if (shape.form == Form::Object && !entry) {
      for (const Row& below : shape.rows) {
        std::vector<std::string> longer = parts;
        longer.emplace_back(below.name);
        add(longer, below, false);
      }
      return;
    }
    const std::vector<Said> said = collect(parts, row, entry);
    const bool merged = shape.form == Form::Map && !entry;
    write(join(parts, "."), said, merged);
  }

  /// Adds one line for a key, or for each key below it, that some layer sets.
  void add_if_set(const std::vector<std::string>& parts, const Row& row) {
    const Shape shape = row.shape(row);
    if (shape.form == Form::Object || shape.group == "Role") {
      const bool roles = shape.form == Form::Map;
      const std::vector<std::string> each = roles ? roles_ : std::vector<std::string>{""};
      for (const std::string& role : each) {
        for (const Row& below : shape.rows) {
          std::vector<std::string> longer = parts;
          if (roles) {
            longer.push_back(role);
          }
          longer.emplace_back(below.name);
          add_if_set(longer, below);
        }
      }
      return;
    }
    const std::vector<Said> said = collect(parts, row, false);
    if (said.size() > 1) {
      text_ +=
          fmt::format("{} = {}  ({})\n", join(parts, "."), said.back().value, said.back().where);
    }
  }

  std::string take() { return std::move(text_); }

 private:
  std::vector<Said> collect(const std::vector<std::string>& parts, const Row& row,
                            bool entry) const {
    std::vector<Said> said;
    const Node builtin = entry ? Node{} : row.fallback(row);
    if (builtin.kind != Node::Kind::Null) {
      said.push_back({"built-in", shown(builtin)});
    } else {
      said.push_back({"built-in", row.notes.unset.empty()
                                      ? "not set"
                                      : fmt::format("not set: {}", row.notes.unset)});
    }
    const auto look = [&](const Node& layer, bool loose) {
      const Node spread = spread_roles(layer, roles_, loose);
      if (const Node* node = at(spread, parts)) {
        said.push_back({to_string(node->origin), shown(*node)});
      }
    };
    for (const Node& layer : stack_.below) {
      look(layer, true);
    }
    if (stack_.job.has_value()) {
      look(*stack_.job, false);
    }
    for (const Node& layer : stack_.above) {
      look(layer, false);
    }
    if (stack_.enforced.has_value()) {
      const size_t before = said.size();
      look(*stack_.enforced, false);
      if (said.size() != before) {
        said.back().where += " (enforced)";
      }
    }
    return said;
  }

  void write(const std::string& key, const std::vector<Said>& said, bool merged) {
    size_t width = 0;
    for (const Said& line : said) {
      width = std::max(width, line.where.size());
    }
    text_ += merged ? fmt::format("{}: combined from all layers\n", key)
                    : fmt::format("{} is {}\n", key, said.back().value);
    for (const Said& line : said) {
      const bool wins = !merged && &line == &said.back();
      text_ += fmt::format("{} {:<{}}  {}\n", wins ? "*" : " ", line.where, width, line.value);
    }
  }

  const Stack& stack_;
  std::vector<std::string> roles_;
  std::string text_;
};

}  // namespace

Result<std::string> config_overview(const Layers& layers) {
  Problems problems;
  const Stack stack = read_layers(layers, problems);
  if (!problems.empty()) {
    return problems.error();
  }
  Explanation overview(stack, role_names(stack));
  for (const Row& row : spec_rows()) {
    overview.add_if_set({std::string(row.name)}, row);
  }
  std::string text = overview.take();
  if (text.empty()) {
    text = "nothing is set; all keys have their built-in values\n";
  }
  for (const auto& [name, cluster] : stack.clusters) {
    text += fmt::format("cluster {}: {}{}\n", name, to_string(cluster.type),
                        cluster.conf.empty() ? "" : ", " + printable(cluster.conf));
  }
  if (stack.cleaning != Cleaning()) {
    text += fmt::format("cleaning: older {}, over {}\n",
                        stack.cleaning.older ? duration_text(*stack.cleaning.older) : "none",
                        format_size(stack.cleaning.over));
  }
  return text;
}

Result<std::string> config_explain(const Layers& layers, std::string_view key) {
  Problems problems;
  const Stack stack = read_layers(layers, problems);
  if (!problems.empty()) {
    return problems.error();
  }
  MUSTER_TRY(const KeyPath path, resolve_key(key));
  std::vector<std::string> roles = role_names(stack);
  const bool of_role = path.parts.size() > 1 && path.parts[0] == "roles";
  if (of_role && path.entry && path.parts.size() == 2) {
    return user_error(
        fmt::format("`{}` is a whole role; name one of its keys, as in {}.memory", key, key));
  }
  if (!of_role && path.parts[0] == "roles") {
    return user_error(
        "`roles` holds whole roles; name one key of a role, as in roles.worker.memory");
  }
  if (of_role && std::ranges::find(roles, path.parts[1]) == roles.end()) {
    if (!roles.empty()) {
      return user_error(
          fmt::format("the job has no role {}; it has {}", path.parts[1], join(roles, ", ")),
          Errc::NotFound);
    }
    roles = {path.parts[1]};
  }
  Explanation explanation(stack, std::move(roles));
  explanation.add(path.parts, *path.row, path.entry);
  return explanation.take();
}

}  // namespace muster::spec
