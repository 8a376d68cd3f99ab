#pragma once

#include "cluster/cluster.h"
#include "job/plan.h"

#include <string>

namespace muster::client {

/// Renders what `muster plan` shows: roles, containers, resources, policies, and whether the job
/// can fit.
[[nodiscard]] std::string render_fit(const job::Plan& plan, const cluster::Fit& fit);
/// {"schema":"muster.fit/1",...}
[[nodiscard]] std::string render_fit_json(const job::Plan& plan, const cluster::Fit& fit);

}  // namespace muster::client
