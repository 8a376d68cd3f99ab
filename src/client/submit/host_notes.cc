#include "client/submit/host_notes.h"

#include "account/host_book.h"
#include "base/text.h"
#include "job/describe.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::client {

HostNotes take_host_notes(cluster::Cluster& cluster, spec::Spec& spec, WallTime now) {
  HostNotes notes;
  if (!spec.hosts.remembered) {
    return notes;
  }
  const Result<std::string> lines = cluster.host_lines();
  if (!lines) {
    notes.troubles.push_back("the record of hosts from earlier jobs cannot be read: " +
                             lines.error().message);
    return notes;
  }
  const account::HostBook book(*lines, now);
  if (book.damaged() > 0) {
    notes.troubles.push_back(
        fmt::format("the record of hosts from earlier jobs is damaged: {} skipped",
                    job::count_of(book.damaged(), "line")));
  }
  for (const account::HostToAvoid& each : book.to_avoid()) {
    if (std::ranges::find(spec.hosts.avoid, each.host.value) == spec.hosts.avoid.end()) {
      spec.hosts.avoid.push_back(each.host.value);
      notes.avoided.push_back(
          fmt::format("hosts: avoiding {}, which caused trouble for earlier jobs: {}",
                      printable(each.host.value), each.reason));
    }
  }
  return notes;
}

}  // namespace muster::client
