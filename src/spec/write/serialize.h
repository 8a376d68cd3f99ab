#pragma once

#include "base/result.h"
#include "spec/spec.h"

#include <string>
#include <string_view>

namespace muster::spec {

/// Returns the canonical text of a spec: one line of JSON with every field in a fixed order, unset
/// policies as null. Secrets stay references (from_env, from_file). Equal specs have equal texts.
[[nodiscard]] std::string to_json(const Spec& spec);

/// Parses a text made by `to_json`: parse_json(to_json(spec)) == spec for every valid spec.
/// Anything else is an error, including a spec that `validate` refuses.
[[nodiscard]] Result<Spec> parse_json(std::string_view text);

/// Returns a specification file for people that means `spec`, leaving out what equals the built-in
/// value.
[[nodiscard]] std::string to_yaml(const Spec& spec);

}  // namespace muster::spec
