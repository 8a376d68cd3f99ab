#include "base/text.h"
#include "client/commands.h"
#include "client/keep/findings.h"
#include "client/show/failure.h"
#include "cluster/cluster.h"

#include <algorithm>
#include <vector>

namespace muster::client {
namespace {

bool is_good(const cluster::Finding& one) { return one.verdict == cluster::Finding::Verdict::Good; }

/// The absence of a cluster is only a note for those who look around, but bad for those who asked
/// for that cluster.
void blame_absence(std::vector<cluster::Finding>& findings) {
  if (std::ranges::none_of(findings, is_good)) {
    for (cluster::Finding& each : findings) {
      each.verdict = cluster::Finding::Verdict::Bad;
    }
  }
}

Result<std::vector<cluster::Finding>> examine(Session& session, const DoctorOptions& command) {
  MUSTER_TRY(const std::vector<cluster::Cluster*> clusters,
             session.clusters->to_examine(command.on));
  std::vector<cluster::Finding> findings;
  for (cluster::Cluster* const cluster : clusters) {
    MUSTER_TRY(std::vector<cluster::Finding> some,
               cluster->examine(command.deep ? cluster::ExamineDepth::Deep
                                             : cluster::ExamineDepth::Shallow));
    if (!command.on.empty()) {
      blame_absence(some);
    }
    findings.insert(findings.end(), some.begin(), some.end());
  }
  return findings;
}

}  // namespace

int check_machine(Session& session, const DoctorOptions& command) {
  const Result<std::vector<cluster::Finding>> findings = examine(session, command);
  if (!findings) {
    return fail(session.console, findings.error());
  }
  session.console.out(command.json ? render_findings_json(*findings)
                                   : render_findings(*findings, session.console.screen().colour));
  const bool bad = std::ranges::any_of(*findings, [](const cluster::Finding& one) {
    return one.verdict == cluster::Finding::Verdict::Bad;
  });
  return bad ? kCouldNotStart : 0;
}

}  // namespace muster::client
