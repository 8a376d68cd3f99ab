#pragma once

#include "job/action.h"
#include "job/fact.h"
#include "job/outcome.h"
#include "job/plan.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::job {

/// Describes one fact or action with its ids, for people: "attempt-ended worker:1#2 code 1
/// (peer.lost)".
[[nodiscard]] std::string describe(const Plan& plan, const Fact& fact);
[[nodiscard]] std::string describe(const Plan& plan, const Action& action);

/// Returns one sentence for people: "worker:1 ended with exit code 7 (user.exit)".
[[nodiscard]] std::string describe(const Plan& plan, const FirstCause& first);

/// Says what has become of a notice, for people: "the notice `end` was delivered by hook".
[[nodiscard]] std::string sentence(const NoticeTold& told);

/// "1 task", "4 tasks".
[[nodiscard]] std::string count_of(uint64_t count, std::string_view noun);

}  // namespace muster::job
