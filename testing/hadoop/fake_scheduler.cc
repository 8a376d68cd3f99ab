// The part of FakeResourceManager that decides who gets what where.
#include "testing/hadoop/fake_resource_manager.h"

#include <algorithm>
#include <utility>

namespace muster::testing {

namespace yarn = hadoop::yarn;

namespace {

bool has_label(const yarn::NodeReport& node, const std::string& label) {
  return label.empty() ? node.labels.empty()
                       : std::ranges::find(node.labels, label) != node.labels.end();
}

void add_to(yarn::Resource& sum, const yarn::Resource& more) {
  sum.memory_mb += more.memory_mb;
  sum.vcores += more.vcores;
  for (const auto& [name, amount] : more.others) {
    sum.others[name].value += amount.value;
  }
}

}  // namespace

bool FakeResourceManager::fits(const FakeNodeManager& node, const Resource& each) const {
  auto used = each;
  for (const auto& [id, application] : applications_) {
    for (const auto& [container, grant] : application.held) {
      if (grant.node == node.id()) {
        add_to(used, grant.each);
      }
    }
    if (node.runs(application.master)) {
      add_to(used, application.submission.master_resources);
    }
  }
  const auto& capacity = node.report().capacity;
  const auto enough = [&](const auto& entry) {
    const auto found = capacity.others.find(entry.first);
    const auto offered = found == capacity.others.end() ? 0 : found->second.value;
    return entry.second.value <= offered;
  };
  return used.memory_mb <= capacity.memory_mb && used.vcores <= capacity.vcores &&
         std::ranges::all_of(used.others, enough);
}

FakeNodeManager* FakeResourceManager::place_for(const FakeApplication& application,
                                                const yarn::RequestRow& row) const {
  // Hosts wished for in other rows of the same request come first; alone if locality is strict.
  std::vector<std::string> wished;
  for (const auto& [key, waiting] : application.rows) {
    if (waiting.row.allocation == row.allocation && waiting.row.priority == row.priority &&
        waiting.row.count > 0 && waiting.row.place != yarn::kAnywhere) {
      wished.push_back(waiting.row.place);
    }
  }
  const auto is_wished = [&](const FakeNodeManager* node) {
    return std::ranges::find(wished, node->id().host) != wished.end();
  };
  const auto is_good = [&](const FakeNodeManager* node) {
    return node_states_.at(node->id()) == yarn::NodeState::Running &&
           has_label(node->report(), row.node_label) &&
           !application.avoided.contains(node->id().host) && fits(*node, row.each);
  };
  for (auto* const node : nodes_) {
    if (is_wished(node) && is_good(node)) {
      return node;
    }
  }
  if (!row.relax_locality) {
    return nullptr;
  }
  const auto found = std::ranges::find_if(nodes_, is_good);
  return found == nodes_.end() ? nullptr : *found;
}

void FakeResourceManager::schedule(FakeApplication& application) {
  if (hold_grants_) {
    return;
  }
  for (auto& [key, waiting] : application.rows) {
    auto& row = waiting.row;
    if (row.place != yarn::kAnywhere || waiting.since + options_.grant_delay > loop_->now()) {
      continue;
    }
    while (row.count > 0) {
      auto* const place = place_for(application, row);
      if (place == nullptr) {
        break;
      }
      grant(application, *place, row);
      --row.count;
    }
  }
  schedule_placed(application);
}

void FakeResourceManager::schedule_placed(FakeApplication& application) {
  for (auto& [allocation, request] : application.placed) {
    const yarn::RequestRow row{.priority = request.priority,
                               .place = std::string(yarn::kAnywhere),
                               .each = request.each,
                               .execution = request.execution,
                               .allocation = request.allocation};
    while (request.count > 0) {
      auto* const place = place_for(application, row);
      if (place == nullptr) {
        break;
      }
      grant(application, *place, row);
      application.outbox.granted.back().tags = request.tags;
      --request.count;
    }
  }
}

void FakeResourceManager::grant(FakeApplication& application, FakeNodeManager& node,
                                const yarn::RequestRow& row) {
  constexpr int kEpochShift = 40;
  const ContainerId id{.attempt = attempt_of(application),
                       .number = (int64_t{epoch_} << kEpochShift) | ++application.containers_made};
  const yarn::Grant grant{.id = id,
                          .node = node.id(),
                          .node_http_address = node.report().http_address,
                          .each = row.each,
                          .priority = row.priority,
                          .token = {.identifier = fake_container_token(id),
                                    .password = hadoop::Secret("password"),
                                    .kind = std::string(hadoop::token_kind::kContainer),
                                    .service = to_string(node.id())},
                          .execution = row.execution,
                          .allocation = row.allocation};
  application.held.insert_or_assign(id, grant);
  application.outbox.granted.push_back(grant);
  if (application.known_nodes.insert(node.id()).second) {
    application.outbox.node_tokens.push_back(
        {.node = node.id(),
         .token = {.identifier = fake_node_token(node.id()),
                   .password = hadoop::Secret("password"),
                   .kind = std::string(hadoop::token_kind::kNodeManager),
                   .service = to_string(node.id())}});
  }
}

void FakeResourceManager::grant_unasked(const ApplicationId& id, yarn::AllocationId allocation) {
  const yarn::RequestRow row{.place = std::string(yarn::kAnywhere),
                             .each = {.memory_mb = 1, .vcores = 1},
                             .allocation = allocation};
  grant(application(id), *nodes_.front(), row);
}

}  // namespace muster::testing
