#pragma once

#include "base/result.h"
#include "cluster/outputs.h"
#include "job/plan.h"

#include <string>
#include <vector>

namespace muster::client {

/// Parses "worker" or "worker:1"; the error names what the job has.
[[nodiscard]] Result<cluster::TaskSelector> selector_of(const std::string& text,
                                                        const job::Plan& plan);

/// Returns the tasks that such texts mean, each once, in the order in which they are named.
[[nodiscard]] Result<std::vector<job::TaskId>> tasks_of(const std::vector<std::string>& texts,
                                                        const job::Plan& plan);

/// Like tasks_of; without texts, all of the job's tasks.
[[nodiscard]] Result<std::vector<job::TaskId>> tasks_or_all(std::vector<std::string> texts,
                                                            const job::Plan& plan);

}  // namespace muster::client
