#pragma once

#include "cluster/finding.h"

#include <string>
#include <vector>

namespace muster::client {

/// Renders findings for people: one line each, advice indented below.
[[nodiscard]] std::string render_findings(const std::vector<cluster::Finding>& findings,
                                          bool colour);
/// {"schema":"muster.doctor/1","findings":[...]}
[[nodiscard]] std::string render_findings_json(const std::vector<cluster::Finding>& findings);

}  // namespace muster::client
