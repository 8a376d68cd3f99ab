#pragma once

#include "cluster/finding.h"

#include <string>
#include <vector>

namespace muster::client {

/// For people: one line a finding, advice indented below.
[[nodiscard]] std::string render_findings(const std::vector<cluster::Finding>& findings,
                                          bool colour);
/// {"schema":"muster.doctor/1","findings":[...]}
[[nodiscard]] std::string render_findings_json(const std::vector<cluster::Finding>& findings);

}  // namespace muster::client
