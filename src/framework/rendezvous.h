#pragma once

#include "framework/seat.h"
#include "job/plan.h"
#include "job/view.h"

#include <string_view>

namespace muster::framework {

/// The named port on which a key-value store is served for the ranks, beside rank 0.
inline constexpr std::string_view kRendezvousPort = "rendezvous";

/// Adds that port to the role of rank 0.
void add_rendezvous_port(job::Plan& plan);

/// Returns whether the store is served beside this task: it is rank 0 of a framework whose ranks
/// meet through one.
[[nodiscard]] bool serves_rendezvous(const job::Plan& plan, const job::View& view,
                                     job::TaskId task);

}  // namespace muster::framework
