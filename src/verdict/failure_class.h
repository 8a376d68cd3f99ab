#pragma once

#include "job/failure.h"

#include <span>
#include <string_view>

namespace muster::verdict {

/// One way to fail: its name, whose fault it is, what Muster does about it and what people can do.
struct FailureClass {
  std::string_view name;  ///< Dotted, stable: "user.import".
  job::FailureKind kind = job::FailureKind::Program;
  job::Remedy remedy = job::Remedy::Restart;
  std::string_view meaning;  ///< What happened, for the reference page. No full stop.
  std::string_view hint;     ///< What to do. "{}" stands for what the rule's pattern captured.
};

/// Returns every class that a built-in rule can give, by family.
[[nodiscard]] std::span<const FailureClass> failure_classes();

/// Returns the class of that name. A name that is not in the table (a user's rule may invent one)
/// gets its kind and remedy from its first part (`user.` is not retried, `peer.` is a victim, ...).
[[nodiscard]] FailureClass find_class(std::string_view name);

}  // namespace muster::verdict
