#pragma once

#include "job/action.h"
#include "job/plan.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster::testing {

/// An action in the words of scenarios: "start worker:0#1" and what may be said beyond,
/// "generation=1".
struct ActionText {
  std::string head;
  std::map<std::string, std::string> details;

  /// Tells whether `expected` names this action: its words without '=' are the head, the others are
  /// details that must be equal.
  [[nodiscard]] bool matches(std::string_view expected) const;
  /// The head and all details.
  [[nodiscard]] std::string full() const;
};

[[nodiscard]] ActionText describe_action(const job::Plan& plan, const job::Action& action,
                                         Time now);

/// "500ms", "10s", "5m", "1h"; where there is none, the caller says so.
[[nodiscard]] std::string write_duration(Duration duration);

/// Splits at blanks.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text);

}  // namespace muster::testing
