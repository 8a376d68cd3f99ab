// The part of FakeResourceManager that decides who gets what where.
#include "hadoop/yarn/record_codec.h"
#include "testing/hadoop/fake_records.h"
#include "testing/hadoop/fake_resource_manager.h"

#include <algorithm>
#include <utility>

namespace muster::testing {

namespace yarn = hadoop::yarn;
namespace pb = ::hadoop::yarn;

namespace {

constexpr std::string_view kAnywhere = "*";

bool has_label(const yarn::NodeReport& node, const std::string& label) {
  return label.empty() ? node.labels.empty()
                       : std::ranges::find(node.labels, label) != node.labels.end();
}

/// Returns the row of a host or a rack that goes with this row for anywhere; nullptr if it is not
/// requested.
pb::ResourceRequest* row_for(FakeApplication& application, const pb::ResourceRequest& row,
                             const std::string& place) {
  const auto found = application.rows.find(
      FakeApplication::RowKey(row.priority().priority(), place, row.allocation_request_id()));
  return found == application.rows.end() || found->second.row.num_containers() == 0
             ? nullptr
             : &found->second.row;
}

std::string rack_of(const FakeNodeManager& node) {
  const auto& rack = node.report().rack;
  return rack.empty() ? "/default-rack" : rack;
}

/// A host counts as requested only if its rack is requested, too.
bool is_wished(FakeApplication& application, const pb::ResourceRequest& row,
               const FakeNodeManager& node) {
  return row_for(application, row, node.id().host) != nullptr &&
         row_for(application, row, rack_of(node)) != nullptr;
}

void lower(pb::ResourceRequest* row) {
  if (row != nullptr) {
    row->set_num_containers(row->num_containers() - 1);
  }
}

}  // namespace

bool FakeResourceManager::fits(const FakeNodeManager& node, const Resource& each) const {
  auto used = each;
  for (const auto& [id, application] : applications_) {
    for (const auto& [container, grant] : application.held) {
      if (node_of(grant) == &node) {
        yarn::add(used, yarn::decode(grant.resource()));
      }
    }
    if (node.runs(application.master)) {
      yarn::add(used, yarn::decode(application.submission.resource()));
    }
  }
  const auto& capacity = node.report().capacity;
  const auto enough = [&](const auto& entry) {
    return entry.second.value <= yarn::amount_of(capacity, entry.first);
  };
  return used.memory_mb <= capacity.memory_mb && used.vcores <= capacity.vcores &&
         std::ranges::all_of(used.others, enough);
}

FakeNodeManager* FakeResourceManager::place_for(FakeApplication& application,
                                                const pb::ResourceRequest& row) const {
  const auto each = yarn::decode(row.capability());
  const auto can = [&](const FakeNodeManager* node) {
    return node_states_.at(node->id()) == yarn::NodeState::Running &&
           has_label(node->report(), row.node_label_expression()) &&
           !application.avoided.contains(node->id().host) && fits(*node, each);
  };
  const auto wished = std::ranges::find_if(nodes_, [&](const FakeNodeManager* node) {
    return can(node) && is_wished(application, row, *node);
  });
  const bool decided = wished != nodes_.end() || !row.relax_locality();
  const auto found = decided ? wished : std::ranges::find_if(nodes_, can);
  return found == nodes_.end() ? nullptr : *found;
}

void FakeResourceManager::schedule(FakeApplication& application) {
  if (hold_grants_) {
    return;
  }
  for (auto& [key, waiting] : application.rows) {
    auto& row = waiting.row;
    if (row.resource_name() != kAnywhere || waiting.since + options_.grant_delay > loop_->now()) {
      continue;
    }
    for (; row.num_containers() > 0; row.set_num_containers(row.num_containers() - 1)) {
      auto* const place = place_for(application, row);
      if (place == nullptr) {
        break;
      }
      grant(application, *place, row);
      if (is_wished(application, row, *place)) {
        lower(row_for(application, row, place->id().host));
        lower(row_for(application, row, rack_of(*place)));
      }
    }
  }
  schedule_placed(application);
}

void FakeResourceManager::schedule_placed(FakeApplication& application) {
  for (auto& [allocation, request] : application.placed) {
    auto* const sizing = request.mutable_resource_sizing();
    pb::ResourceRequest row;
    *row.mutable_capability() = sizing->resources();
    row.set_allocation_request_id(allocation);
    for (; sizing->num_allocations() > 0;
         sizing->set_num_allocations(sizing->num_allocations() - 1)) {
      auto* const place = place_for(application, row);
      if (place == nullptr) {
        break;
      }
      grant(application, *place, row);
    }
  }
}

pb::Container* FakeResourceManager::grant(FakeApplication& application, FakeNodeManager& node,
                                          const pb::ResourceRequest& row) {
  constexpr int kEpochShift = 40;
  const ContainerId id{.attempt = attempt_of(application),
                       .number = (int64_t{epoch_} << kEpochShift) | ++application.containers_made};
  pb::Container container;
  encode(id, container.mutable_id());
  put(node.id(), container.mutable_node_id());
  *container.mutable_resource() = row.capability();
  put_token(hadoop::token_kind::kContainer, fake_container_token(id), to_string(node.id()),
            container.mutable_container_token());
  container.set_allocation_request_id(row.allocation_request_id());
  application.held.insert_or_assign(id, container);
  put_node_token(application, container.node_id(), application.outbox.mutable_nm_tokens());
  auto* const granted = application.outbox.add_allocated_containers();
  *granted = std::move(container);
  return granted;
}

// An attempt is told a node's token only once.
void FakeResourceManager::put_node_token(FakeApplication& application, const pb::NodeId& node,
                                         google::protobuf::RepeatedPtrField<pb::NMToken>* to) {
  const auto id = yarn::decode(node);
  if (application.known_nodes.insert(id).second) {
    auto* const entry = to->Add();
    *entry->mutable_node_id() = node;
    put_token(hadoop::token_kind::kNodeManager, fake_node_token(id), to_string(id),
              entry->mutable_token());
  }
}

void FakeResourceManager::grant_unasked(const ApplicationId& id, yarn::AllocationId allocation) {
  const auto place = std::ranges::find_if(nodes_, [&](const FakeNodeManager* node) {
    return node_states_.at(node->id()) == yarn::NodeState::Running;
  });
  if (place == nodes_.end()) {
    return;
  }
  pb::ResourceRequest row;
  encode(Resource{.memory_mb = 1, .vcores = 1}, row.mutable_capability());
  row.set_allocation_request_id(allocation.value);
  grant(application(id), **place, row);
}

}  // namespace muster::testing
