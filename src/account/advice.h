#pragma once

#include "account/evidence.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster::account {

/// What somebody should change, and why.
struct Advice {
  std::string rule;                       ///< "memory.far_from_use"
  std::string role;                       ///< "" where it concerns the job.
  std::string evidence;                   ///< One sentence, with the numbers.
  std::string what;                       ///< What to do, a sentence.
  std::string saves;                      ///< What it will save, a phrase; "" if unknown.
  std::vector<std::string> sets;          ///< For `--set` and `--spec`: "roles.worker.memory=512m".
  std::map<std::string, double> numbers;  ///< The evidence for programs, by name.
};

/// One row of the table. It speaks only if its evidence is complete and beyond the threshold.
struct Rule {
  std::string_view name;
  std::string_view needs;  ///< What must be known, for people.
  double threshold;        ///< Beyond it the rule speaks; what it counts stands in `means`.
  std::string_view means;  ///< "requested memory / proposed memory"
  void (*judge)(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice);
};

/// Formats a share, 0..1, as in advice: "74 %".
[[nodiscard]] std::string percent_text(double share);

/// Returns what all rules say.
[[nodiscard]] std::vector<Advice> advise(const Evidence& evidence);

}  // namespace muster::account
