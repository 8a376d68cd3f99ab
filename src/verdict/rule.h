#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace muster::verdict {

/// How a program must have ended for a rule to match.
enum class Ending : uint8_t {
  Any,
  Code,         ///< Exit code `number`.
  Signal,       ///< Signal `number`, or exit code 128 + `number` (what a shell reports for it).
  AnySignal,    ///< Any signal.
  OverMemory,   ///< The memory watch or the kernel's out-of-memory killer ended it.
  Uncaught,     ///< No signal, and its last words are a Python traceback.
  Stopped,      ///< Muster ended it.
  ClusterCode,  ///< The cluster gave `number` as its reason.
};

/// Where a rule's pattern is searched for.
enum class Where : uint8_t {
  Nowhere,  ///< The ending alone decides.
  Error,    ///< In the last error, then in the errors that led to it (LastWords).
  Final,    ///< In the last error only.
  Output,   ///< In all of the last output.
};

/// One row of the table: if the ending fits and the pattern, if any, is found, this is the class.
struct Rule {
  std::string_view class_name;
  Ending ending = Ending::Any;
  int32_t number = 0;
  Where where = Where::Nowhere;
  std::string_view pattern =
      {};  ///< RE2 syntax; its first group, if any, fills "{}" of the class's hint.
};

/// The built-in rules, in three steps; within a step, and from step to step, the first match wins.
/// `certain`: what Muster, the cluster or the kernel says. `telling`: what the program said last.
/// `general`: how it ended; its last row always matches.
struct RuleTable {
  std::span<const Rule> certain;
  std::span<const Rule> telling;
  std::span<const Rule> general;
};
[[nodiscard]] RuleTable built_in_rules();

}  // namespace muster::verdict
