#pragma once

#include "base/result.h"
#include "spec/keys/row.h"
#include "spec/read/document.h"
#include "spec/read/problems.h"

#include <string>
#include <string_view>
#include <vector>

namespace muster::spec {

/// A key of one job, as `roles.worker.memory` names it, looked up in the table.
struct KeyPath {
  std::vector<std::string> parts;  ///< {"roles", "worker", "memory"}
  const Row* row =
      nullptr;         ///< Of the last part; of the map for an entry of a map ({"env", "PATH"}).
  bool entry = false;  ///< The last part is an entry of a map, not a key of the table.
};

/// Looks up a dotted key. `tasks` alone means roles.worker.tasks; the role may be `*`. The error
/// names the key and suggests a similar one.
[[nodiscard]] Result<KeyPath> resolve_key(std::string_view dotted);

/// Returns the node that `text`, given on a command line or in a variable, means for this key.
/// Lists may be written a,b or [a, b]; everything else that is not a plain value is YAML on one
/// line.
[[nodiscard]] Node value_for(const KeyPath& key, std::string_view text, const Origin& origin,
                             Problems& problems);

/// Returns nested maps around `value` so that it stands at `parts`.
[[nodiscard]] Node nested(const std::vector<std::string>& parts, Node value);

}  // namespace muster::spec
