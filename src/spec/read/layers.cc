#include "spec/read/layers.h"

#include "base/check.h"
#include "base/text.h"
#include "spec/check/idle_keys.h"
#include "spec/check/validate.h"
#include "spec/keys/key_path.h"
#include "spec/names.h"
#include "spec/read/problems.h"
#include "spec/read/quick.h"
#include "spec/read/stack.h"
#include "spec/write/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>

namespace muster::spec {
namespace {

/// Merges the layers of one job and turns the result into a Spec.
class Loading {
 public:
  explicit Loading(const Layers& layers)
      : layers_(layers), stack_(read_layers(layers, problems_)) {}

  Result<Loaded> run() {
    if (problems_.empty()) {
      merge_layers();
    }
    if (problems_.empty()) {
      finish();
    }
    if (!problems_.empty()) {
      return problems_.error();
    }
    loaded_.clusters = std::move(stack_.clusters);
    loaded_.cleaning = stack_.cleaning;
    return std::move(loaded_);
  }

 private:
  void merge_layers() {
    MUSTER_CHECK(stack_.job.has_value(), "load needs a spec or the quick form");
    const Node* said = find(*stack_.job, "roles");
    if (said != nullptr && (said->kind == Node::Kind::Scalar || said->kind == Node::Kind::List)) {
      problems_.add(said->origin,
                    fmt::format("roles: must be a map, as in {{worker: {{tasks: 2}}}}, not {}",
                                describe(*said)));
      return;
    }
    roles_ = role_names(stack_);
    Node& document = loaded_.document;
    document = map_node();
    document.origin = stack_.job->origin;
    merge(document, empty_roles());
    if (stack_.framework) {
      merge(document, *stack_.framework);
    }
    for (const Node& layer : stack_.below) {
      merge(document, spread_roles(layer, roles_, true));
    }
    merge(document, *stack_.job);
    for (const Node& layer : stack_.above) {
      known_roles(layer);
      merge(document, spread_roles(layer, roles_, false));
    }
    append_words(document);
    enforce(document);
    inherit(document);
    if (find(document, "name") == nullptr) {
      put(document, "name", text_node(default_name()));
    }
  }

  /// Returns the roles with nothing in them, so that they keep their order and their origins.
  Node empty_roles() const {
    Node roles = map_node();
    const auto take = [&](const Node& layer) {
      const Node* said = find(layer, "roles");
      for (const Member& member : said == nullptr ? std::vector<Member>() : said->members) {
        const bool wanted = std::ranges::find(roles_, member.key) != roles_.end();
        if (wanted && find(roles, member.key) == nullptr) {
          Node empty = map_node();
          empty.origin = member.value.origin;
          roles.members.push_back(
              {.key = member.key, .origin = member.origin, .value = std::move(empty)});
        }
      }
      roles.origin = said == nullptr ? roles.origin : said->origin;
    };
    take(*stack_.job);
    std::ranges::for_each(stack_.above, take);
    if (stack_.framework) {
      take(*stack_.framework);
    }
    Node document = map_node();
    document.origin = stack_.job->origin;
    if (!roles_.empty()) {
      put(document, "roles", std::move(roles));
    }
    return document;
  }

  /// A --set for a role the job does not have is a slip: nothing else would define that role.
  void known_roles(const Node& layer) {
    const Node* said = find(layer, "roles");
    if (said == nullptr) {
      return;
    }
    for (const Member& member : said->members) {
      if (member.key != "*" && std::ranges::find(roles_, member.key) == roles_.end()) {
        problems_.add(member.value.origin, fmt::format("the job has no role {}; it has {}",
                                                       member.key, join(roles_, ", ")));
      }
    }
  }

  void append_words(Node& document) {
    if (layers_.args.empty()) {
      return;
    }
    Node* command = find(document, "command");
    if (command == nullptr || command->kind != Node::Kind::Scalar) {
      problems_.add(
          document.origin,
          "arguments after `--` are appended to the top-level command, and this job has none");
      return;
    }
    command->text += (command->text.empty() ? "" : " ") + shell_command(layers_.args);
  }

  /// Applies the site's enforced values last and reports where that changes what the user asked
  /// for.
  void enforce(Node& document) {
    if (!stack_.enforced.has_value()) {
      return;
    }
    const Node enforced = spread_roles(*stack_.enforced, roles_, false);
    compare(enforced, document, "");
    merge(document, enforced);
  }

  void compare(const Node& enforced, const Node& asked, const std::string& key) {
    if (enforced.kind == Node::Kind::Map && asked.kind == Node::Kind::Map) {
      for (const Member& member : enforced.members) {
        if (const Node* below = find(asked, member.key)) {
          compare(member.value, *below, key.empty() ? member.key : key + "." + member.key);
        }
      }
      return;
    }
    const bool users = asked.origin.source != nullptr && asked.origin.source->layer != Layer::Site;
    if (users && write_json(enforced) != write_json(asked)) {
      loaded_.warnings.push_back(printable(fmt::format(
          "{}: warning: {} is {} on this site ({}); {} is not used", to_string(asked.origin), key,
          write_json(enforced), to_string(enforced.origin), write_json(asked))));
    }
  }

  /// Fills in what a role's python, restart and stall leave out from those at the top level.
  static void inherit(Node& document) {
    Node* roles = find(document, "roles");
    if (roles == nullptr) {
      return;
    }
    for (const std::string_view key : {"python", "restart", "stall"}) {
      const Node* top = find(document, key);
      for (Member& role : roles->members) {
        Node* own = find(role.value, key);
        if (own == nullptr || top == nullptr || own->kind != Node::Kind::Map) {
          continue;
        }
        Node whole = *top;
        merge(whole, *own);
        *own = std::move(whole);
      }
    }
  }

  std::string default_name() const {
    std::string_view file = layers_.spec.has_value() ? std::string_view(layers_.spec->name) : "job";
    file = file.substr(file.rfind('/') + 1);
    for (const std::string_view ending : {".yaml", ".yml", ".json"}) {
      if (file.ends_with(ending)) {
        file.remove_suffix(ending.size());
      }
    }
    return job_name_from(file);
  }

  void finish() {
    Decoder decoder{.problems = problems_};
    decode_rows(decoder, loaded_.document, spec_rows(), &loaded_.spec, "");
    if (!problems_.empty()) {
      return;
    }
    validate(loaded_.spec, loaded_.document, problems_);
    // A site that limits resources requires every task to have a size, on its own machines too.
    const Limits& limits = stack_.limits;
    if (limits.memory || limits.total_memory || limits.vcores || limits.total_vcores) {
      give_sizes(loaded_.spec);
    }
    check_limits(loaded_.spec, stack_.limits, loaded_.document, problems_);
    std::ranges::move(idle_warnings(loaded_.spec, loaded_.document),
                      std::back_inserter(loaded_.warnings));
  }

  const Layers& layers_;
  Problems problems_;
  Stack stack_;
  std::vector<std::string> roles_;
  Loaded loaded_;
};

}  // namespace

Result<Loaded> load(const Layers& layers) {
  MUSTER_CHECK(layers.spec.has_value() != layers.quick.has_value(),
               "give a spec or the quick form");
  return Loading(layers).run();
}

Result<Spec> from_quick(const QuickOptions& options) {
  MUSTER_TRY(Loaded loaded, load({.quick = options}));
  return std::move(loaded.spec);
}

Result<std::map<std::string, ClusterEntry>> load_clusters(const Layers& layers) {
  Problems problems;
  Stack stack = read_layers({.site = layers.site, .config = layers.config}, problems);
  if (!problems.empty()) {
    return problems.error();
  }
  return std::move(stack.clusters);
}

Result<Cleaning> load_cleaning(const Layers& layers) {
  Problems problems;
  const Stack stack = read_layers({.site = layers.site, .config = layers.config}, problems);
  if (!problems.empty()) {
    return problems.error();
  }
  return stack.cleaning;
}

Result<PortalRules> load_portal_rules(const Layers& layers) {
  Problems problems;
  Stack stack = read_layers({.site = layers.site}, problems);
  if (!problems.empty()) {
    return problems.error();
  }
  return std::move(stack.portal);
}

Result<std::vector<Prohibition>> load_forbidden(const Layers& layers) {
  Problems problems;
  Stack stack = read_layers({.site = layers.site}, problems);
  if (!problems.empty()) {
    return problems.error();
  }
  return std::move(stack.forbidden);
}

}  // namespace muster::spec
