#pragma once

#include "spec/keys/keys.h"
#include "spec/spec.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::spec {

/// On which kinds of cluster a key has an effect.
struct KeySupport {
  std::string_view key;  ///< As in KeyInfo::path.
  bool local = true;
  bool yarn = true;
  bool spark = true;
  std::string_view reason = {};  ///< Why not on the others.

  [[nodiscard]] bool on(ClusterType cluster) const;
};

/// Every key of a specification that has no keys below it, in the order of the reference page. A
/// test compares it with the table of keys, so a new key must say here where it works.
extern const std::span<const KeySupport> kKeySupports;

/// A key that a job sets although its cluster cannot honour it.
struct Unheeded {
  std::string key;  ///< "yarn.queue", "roles.worker.constraint"
  std::string_view reason;
};

[[nodiscard]] std::vector<Unheeded> unheeded_keys(const Spec& spec, ClusterType cluster);

/// The same for people, one sentence for each reason.
[[nodiscard]] std::vector<std::string> unheeded_warnings(const Spec& spec, ClusterType cluster);

}  // namespace muster::spec
