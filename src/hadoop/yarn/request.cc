#include "hadoop/yarn/request.h"

#include <algorithm>

namespace muster::hadoop::yarn {
namespace {

constexpr std::string_view kDefaultRack = "/default-rack";

RequestRow row(const ContainerRequest& request, std::string_view place, bool relax) {
  const bool anywhere = place == kAnywhere;
  return {.priority = request.priority,
          .place = std::string(place),
          .each = request.each,
          .count = request.count,
          .relax_locality = relax,
          // Labels are legal on the row for any host alone.
          .node_label = anywhere ? request.node_label : std::string(),
          .execution = request.execution,
          .enforce_execution = request.enforce_execution,
          .allocation = request.allocation};
}

}  // namespace

std::vector<RequestRow> rows_of(const ContainerRequest& request) {
  std::vector<RequestRow> rows;
  for (const auto& host : request.hosts) {
    rows.push_back(row(request, host, true));
  }
  // A row for a host counts only beside one for its rack.
  auto racks = request.racks;
  if (racks.empty() && !request.hosts.empty()) {
    racks.emplace_back(kDefaultRack);
  }
  const bool racks_are_wished = request.hosts.empty();
  for (const auto& rack : racks) {
    rows.push_back(row(request, rack, racks_are_wished || !request.only_there));
  }
  rows.push_back(row(request, kAnywhere, !request.only_there || racks.empty()));
  return rows;
}

}  // namespace muster::hadoop::yarn
