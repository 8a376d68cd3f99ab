#pragma once

#include "spec/keys/keys.h"
#include "spec/read/document.h"
#include "spec/read/layers.h"
#include "spec/read/problems.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::spec {

/// The layers as read, each as a map in the shape of a specification, but not yet merged. For this
/// module only.
struct Stack {
  std::optional<Node> framework;  ///< The file of the framework that the job names, if it has one.
  std::vector<Node> below;        ///< Quick form, site, configuration, environment.
  std::optional<Node> job;        ///< The specification, or the quick form.
  std::vector<Node> above;        ///< --set, in their order.
  std::optional<Node> enforced;
  Limits limits;
  std::map<std::string, ClusterEntry> clusters;
  Cleaning cleaning;
  std::vector<Prohibition> forbidden;
  PortalRules portal;
};

/// Reads every layer, adding what is wrong to `problems`.
[[nodiscard]] Stack read_layers(const Layers& layers, Problems& problems);

/// Finds the framework that the layers name. If it is defined by a file, reads the file, and the
/// layers then name the built-in framework it is based on.
void resolve_framework(const Layers& layers, Stack& stack, Problems& problems);

/// Returns what a layer says about the given roles: `*` is spread over them, below what is said by
/// name; other roles are left out. With `loose`, `_` in a name also stands for `-`.
[[nodiscard]] Node spread_roles(const Node& layer, const std::vector<std::string>& roles,
                                bool loose);

/// Returns the names of the roles in the job's own layer, or in --set if that names none.
[[nodiscard]] std::vector<std::string> role_names(const Stack& stack);

/// Moves `tasks: N` at the top level to roles.worker.tasks.
void expand_tasks(Node& layer, Problems& problems);

}  // namespace muster::spec
