#include "spec/read/stack.h"

#include "base/ascii.h"
#include "base/text.h"
#include "spec/keys/key_path.h"
#include "spec/names.h"
#include "spec/read/quick.h"
#include "spec/read/yaml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace muster::spec {
namespace {

constexpr std::string_view kVariablePrefix = "MUSTER_SET_";

std::shared_ptr<const Source> source_of(std::string name, Layer layer) {
  return std::make_shared<const Source>(Source{.name = std::move(name), .layer = layer});
}

/// Returns the map that a file holds; an empty file is an empty map if `may_be_empty`.
std::optional<Node> read_map(const TextInput& input, Layer layer, bool may_be_empty,
                             Problems& problems) {
  std::optional<Node> node = read_yaml(input.text, source_of(input.name, layer), problems);
  if (!node.has_value() || node->kind == Node::Kind::Map) {
    return node;
  }
  if (node->kind != Node::Kind::Null) {
    problems.add(node->origin, fmt::format("must be a map of keys, as in `name: digits`, not {}",
                                           describe(*node)));
    return std::nullopt;
  }
  if (!may_be_empty) {
    problems.add({.source = source_of(input.name, layer), .line = 1, .column = 1},
                 "the specification is empty");
    return std::nullopt;
  }
  node->kind = Node::Kind::Map;
  return node;
}

void read_clusters(const Node& node, Problems& problems, std::map<std::string, ClusterEntry>& out) {
  if (node.kind == Node::Kind::Scalar || node.kind == Node::Kind::List) {
    problems.add(node.origin,
                 "clusters: must be a map, as in {prod: {type: yarn, conf: /etc/hadoop/prod}}");
    return;
  }
  Decoder decoder{.problems = problems};
  for (const Member& member : node.members) {
    const std::string wrong = wrong_role_name(member.key);
    if (!wrong.empty() || member.key == "local" || member.key == "yarn" || member.key == "spark") {
      problems.add(member.origin,
                   fmt::format("clusters: `{}` cannot be the name of a cluster", member.key));
      continue;
    }
    decode_rows(decoder, member.value, cluster_rows(), &out[member.key], "cluster " + member.key);
  }
}

void read_forbidden(const Node& node, Problems& problems, std::vector<Prohibition>& out) {
  if (node.kind != Node::Kind::List) {
    problems.add(node.origin, fmt::format("forbidden: must be a list of rules, as in [{{verbs: "
                                          "[shell], roles: [ps]}}], not {}",
                                          describe(node)));
    return;
  }
  Decoder decoder{.problems = problems};
  for (const Node& item : node.items) {
    Prohibition& rule = out.emplace_back();
    decode_rows(decoder, item, forbidden_rows(), &rule, "a rule of forbidden");
    rule.place =
        fmt::format("{}:{}:{}", item.origin.source->name, item.origin.line, item.origin.column);
  }
}

/// Reads a site file or the user's configuration, which is the same without limits and enforced
/// values.
void read_site(const TextInput& input, Layer layer, Stack& stack, Problems& problems) {
  std::optional<Node> root = read_map(input, layer, true, problems);
  if (!root.has_value()) {
    return;
  }
  const bool site = layer == Layer::Site;
  Node defaults = map_node();
  for (Member& member : root->members) {
    if (member.key == "defaults") {
      defaults = std::move(member.value);
    } else if (member.key == "clusters") {
      read_clusters(member.value, problems, stack.clusters);
    } else if (member.key == "cleaning") {
      Decoder decoder{.problems = problems};
      decode_rows(decoder, member.value, cleaning_rows(), &stack.cleaning, "cleaning");
    } else if (site && member.key == "enforced") {
      stack.enforced = std::move(member.value);
    } else if (site && member.key == "forbidden") {
      read_forbidden(member.value, problems, stack.forbidden);
    } else if (site && member.key == "portal") {
      Decoder decoder{.problems = problems};
      decode_rows(decoder, member.value, portal_rows(), &stack.portal, "portal");
    } else if (site && member.key == "limits") {
      Decoder decoder{.problems = problems};
      decode_rows(decoder, member.value, limits_rows(), &stack.limits, "limits");
    } else if (find_row(spec_rows(), member.key) != nullptr) {
      problems.add(member.origin, fmt::format("`{}` must be below `defaults:`", member.key));
    } else {
      problems.add(
          member.origin,
          fmt::format("unknown key `{}`; the keys of this file are {}", member.key,
                      site ? "defaults, limits, enforced, clusters, cleaning, forbidden and portal"
                           : "defaults, clusters and cleaning"));
    }
  }
  for (const Node* part : {&defaults, stack.enforced.has_value() ? &*stack.enforced : nullptr}) {
    if (part != nullptr && (part->kind == Node::Kind::Scalar || part->kind == Node::Kind::List)) {
      problems.add(part->origin, fmt::format("must be a map of keys, not {}", describe(*part)));
    }
  }
  defaults.kind = Node::Kind::Map;
  expand_tasks(defaults, problems);
  stack.below.push_back(std::move(defaults));
}

/// Returns the key that a variable stands for: ROLES__WORKER__TASKS is roles.worker.tasks. The part
/// after ENV keeps its case.
std::string key_of_variable(std::string_view name) {
  std::string key;
  bool keep_case = false;
  for (size_t at = 0; at <= name.size();) {
    const size_t end = std::min(name.find("__", at), name.size());
    std::string part(name.substr(at, end - at));
    const bool env = part == "ENV";
    if (!keep_case || part == "FROM_ENV" || part == "FROM_FILE") {
      part = ascii_lower(std::move(part));
    }
    keep_case = keep_case || env;
    key += (key.empty() ? "" : ".") + part;
    at = end + 2;
  }
  return key;
}

std::optional<Node> read_assignment(std::string_view key, std::string_view value,
                                    const Origin& origin, Problems& problems) {
  const Result<KeyPath> path = resolve_key(key);
  if (!path.has_value()) {
    problems.add(origin, path.error().message);
    return std::nullopt;
  }
  return nested(path->parts, value_for(*path, value, origin, problems));
}

void read_environment(const Layers& layers, Stack& stack, Problems& problems) {
  Node layer = map_node();
  for (const auto& [name, value] : layers.environment) {
    if (!name.starts_with(kVariablePrefix)) {
      continue;
    }
    const Origin origin{.source = source_of(name, Layer::Environment)};
    const std::string key = key_of_variable(std::string_view(name).substr(kVariablePrefix.size()));
    if (const auto node = read_assignment(key, value, origin, problems)) {
      merge(layer, *node);
    }
  }
  stack.below.push_back(std::move(layer));
}

void read_sets(const Layers& layers, Stack& stack, Problems& problems) {
  for (const std::string& set : layers.sets) {
    const Origin origin{.source = source_of("--set " + set, Layer::CommandLine)};
    const size_t equals = set.find('=');
    if (equals == std::string::npos || equals == 0) {
      problems.add(origin, "must be KEY=VALUE, as in roles.worker.tasks=8");
      continue;
    }
    const auto node = read_assignment(trim(std::string_view(set).substr(0, equals)),
                                      std::string_view(set).substr(equals + 1), origin, problems);
    if (node.has_value()) {
      stack.above.push_back(*node);
    }
  }
}

/// The command line and the environment may hold any bytes; a specification holds text.
void check_words(const Layers& layers, Problems& problems) {
  const auto check = [&](std::string_view word, std::string name, Layer layer) {
    if (const std::string wrong = wrong_text(word); !wrong.empty()) {
      problems.add({.source = source_of(std::move(name), layer)}, wrong);
    }
  };
  for (const auto& [name, value] : layers.environment) {
    if (name.starts_with(kVariablePrefix)) {
      check(name + value, name, Layer::Environment);
    }
  }
  std::vector<std::string> words = layers.sets;
  words.insert(words.end(), layers.args.begin(), layers.args.end());
  if (layers.quick.has_value()) {
    const QuickOptions& quick = *layers.quick;
    words.insert(words.end(), quick.command.begin(), quick.command.end());
    words.insert(words.end(), quick.roles.begin(), quick.roles.end());
    words.push_back(quick.tasks.value_or("") + quick.framework.value_or("") +
                    quick.name.value_or("") + quick.memory.value_or("") +
                    quick.vcores.value_or("") + quick.gpus.value_or("") +
                    quick.max_restarts.value_or(""));
  }
  for (const std::string& word : words) {
    check(word, "the command line", Layer::CommandLine);
  }
}

std::string dashes_to_underscores(std::string text) {
  std::ranges::replace(text, '-', '_');
  return text;
}

}  // namespace

void expand_tasks(Node& layer, Problems& problems) {
  const Node* tasks = find(layer, "tasks");
  if (tasks == nullptr) {
    return;
  }
  if (const Node* roles = find(layer, "roles"); roles != nullptr) {
    problems.add(
        tasks->origin,
        "give either tasks or roles; tasks alone means one role, worker, with that many tasks");
  }
  Node moved = nested({"roles", "worker", "tasks"}, *tasks);
  // The role takes the place of the key, so that roles keep the order of the text.
  for (Member& member : layer.members) {
    if (member.key == "tasks") {
      member.key = "roles";
      member.value = std::move(moved.members[0].value);
      return;
    }
  }
}

Node spread_roles(const Node& layer, const std::vector<std::string>& roles, bool loose) {
  const Node* said = find(layer, "roles");
  if (said == nullptr || said->kind != Node::Kind::Map) {
    return layer;
  }
  Node spread = map_node();
  spread.origin = said->origin;
  const Node* star = find(*said, "*");
  for (const std::string& role : roles) {
    if (star != nullptr) {
      put(spread, role, *star);
    }
    for (const Member& member : said->members) {
      const bool same = member.key == role ||
                        (loose && dashes_to_underscores(member.key) == dashes_to_underscores(role));
      if (same && find(spread, role) != nullptr) {
        merge(*find(spread, role), member.value);
      } else if (same) {
        put(spread, role, member.value);
      }
    }
  }
  Node result = layer;
  put(result, "roles", std::move(spread));
  return result;
}

std::vector<std::string> role_names(const Stack& stack) {
  std::vector<std::string> names;
  const auto collect = [&](const Node& layer) {
    const Node* roles = find(layer, "roles");
    if (roles == nullptr) {
      return;
    }
    for (const Member& member : roles->members) {
      if (member.key != "*" && std::ranges::find(names, member.key) == names.end()) {
        names.push_back(member.key);
      }
    }
  };
  if (stack.job.has_value()) {
    collect(*stack.job);
  }
  if (names.empty()) {
    std::ranges::for_each(stack.above, collect);
  }
  if (stack.framework.has_value()) {
    collect(*stack.framework);
  }
  return names;
}

Stack read_layers(const Layers& layers, Problems& problems) {
  Stack stack;
  check_words(layers, problems);
  if (layers.quick.has_value()) {
    stack.below.push_back(quick_defaults(*layers.quick));
  }
  if (layers.site.has_value()) {
    read_site(*layers.site, Layer::Site, stack, problems);
  }
  if (layers.config.has_value()) {
    read_site(*layers.config, Layer::Config, stack, problems);
  }
  read_environment(layers, stack, problems);
  if (layers.spec.has_value()) {
    stack.job = read_map(*layers.spec, Layer::Spec, false, problems);
  } else if (layers.quick.has_value()) {
    stack.job = quick_layer(*layers.quick, problems);
  }
  if (stack.job.has_value()) {
    expand_tasks(*stack.job, problems);
  }
  read_sets(layers, stack, problems);
  resolve_framework(layers, stack, problems);
  return stack;
}

}  // namespace muster::spec
