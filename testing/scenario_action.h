#pragma once

#include "job/action.h"
#include "job/plan.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster::testing {

/// An action in the words of scenarios: "start worker:0#1", and the details that may be added,
/// "generation=1".
struct ActionText {
  std::string head;
  std::map<std::string, std::string> details;

  /// Returns whether `expected` names this action: its words without '=' are the head, the others
  /// are details that must be equal.
  [[nodiscard]] bool matches(std::string_view expected) const;
  /// Returns the head and all details.
  [[nodiscard]] std::string full() const;
};

[[nodiscard]] ActionText describe_action(const job::Plan& plan, const job::Action& action,
                                         Time now);

/// Returns "500ms", "10s", "5m", "1h"; callers handle an absent duration themselves.
[[nodiscard]] std::string write_duration(Duration duration);

/// Splits at blanks.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text);

}  // namespace muster::testing
