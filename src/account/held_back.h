#pragma once

#include "account/evidence.h"

#include <string>

namespace muster::account {

/// Whether a task's main threads could have run for much longer than they were given a processor.
[[nodiscard]] bool is_held_back(const TaskEvidence& task);

/// What held it back: the others on its host, or a limit of its own, as far as its peers on the
/// same host tell: "others keep h3 busy".
[[nodiscard]] std::string why_held_back(const Evidence& evidence, const TaskEvidence& task);

/// What to do about it.
[[nodiscard]] std::string after_held_back(const TaskEvidence& task);

}  // namespace muster::account
