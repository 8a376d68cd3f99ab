#include "hadoop/yarn/record_codec.h"
#include "hadoop/yarn_master.pb.h"
#include "testing/hadoop/fake_records.h"
#include "testing/hadoop/fake_resource_manager_sides.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <utility>

namespace muster::testing {

namespace yarn = hadoop::yarn;
namespace pb = ::hadoop::yarn;

namespace {

constexpr std::string_view kExceptions = "org.apache.hadoop.yarn.exceptions.";

Served yarn_exception(std::string_view name, std::string message) {
  return thrown(fmt::format("{}{}", kExceptions, name), std::move(message));
}

Served invalid_token(const std::string& attempt) {
  return thrown("org.apache.hadoop.security.token.SecretManager$InvalidToken",
                fmt::format("Invalid AMRMToken from {}", attempt));
}

std::string asked_too_much(const yarn::Resource& asked, const yarn::Resource& largest) {
  return fmt::format(
      "Invalid resource request! Cannot allocate containers as requested resource is greater than "
      "maximum allowed allocation. Requested resource type=[memory-mb], Requested "
      "resource=<memory:{}, vCores:{}>, maximum allowed allocation=<memory:{}, vCores:{}>",
      asked.memory_mb, asked.vcores, largest.memory_mb, largest.vcores);
}

// What a token's identifier holds, "application_1_0001/2#KEY".
struct Bearer {
  yarn::AttemptId attempt;
  std::string key;
};

std::optional<Bearer> bearer_of(const std::string& identifier) {
  const auto slash = identifier.find('/');
  const auto mark = identifier.find('#');
  const auto application = yarn::parse_application_id(identifier.substr(0, slash));
  if (slash == std::string::npos || mark == std::string::npos || !application.has_value()) {
    return std::nullopt;
  }
  Bearer bearer{.attempt = {.application = *application, .number = 0},
                .key = identifier.substr(mark + 1)};
  std::from_chars(identifier.data() + slash + 1, identifier.data() + mark, bearer.attempt.number);
  return bearer;
}

}  // namespace

Served FakeResourceManager::MasterSide::answer(std::string_view method, const std::string& request,
                                               const FakeCaller& caller) {
  const auto bearer = bearer_of(caller.token_identifier);
  if (!bearer) {
    return invalid_token(caller.token_identifier);
  }
  const auto& [attempt, key] = *bearer;
  const auto attempt_words = attempt_text(attempt);
  const auto found = manager_->applications_.find(attempt.application);
  if (found == manager_->applications_.end() || found->second.attempt != attempt.number ||
      is_over(found->second.state)) {
    return yarn_exception("ApplicationAttemptNotFoundException",
                          fmt::format("Application attempt {} doesn't exist in "
                                      "ApplicationMasterService cache.",
                                      attempt_words));
  }
  auto& application = found->second;
  const bool is_next = application.rolling && key == std::to_string(application.token_key + 1);
  if (key != std::to_string(application.token_key) && !is_next) {
    return invalid_token(attempt_words);
  }
  if (method == "registerApplicationMaster") {
    return register_master(application, request);
  }
  if (!application.registered) {
    return yarn_exception(
        "ApplicationMasterNotRegisteredException",
        fmt::format("AM is not registered for known application attempt: {} or "
                    "RM had restarted after AM registered. AM should re-register.",
                    attempt_words));
  }
  if (method == "allocate") {
    return allocate(application, request);
  }
  if (method == "finishApplicationMaster") {
    return finish(application, request);
  }
  return thrown("org.apache.hadoop.ipc.RpcNoSuchMethodException",
                fmt::format("Unknown method {}", method));
}

Served FakeResourceManager::MasterSide::register_master(FakeApplication& application,
                                                        const std::string& request) {
  if (application.registered) {
    return yarn_exception(
        "InvalidApplicationMasterRequestException",
        fmt::format("Application Master is already registered : {}", to_string(application.id)));
  }
  application.presence.ParseFromString(request);
  application.registered = true;
  application.state = yarn::ApplicationState::Running;
  application.response_id = 0;
  application.last_reply.clear();
  pb::RegisterApplicationMasterResponse response;
  encode(manager_->options_.largest, response.mutable_maximum_capability());
  response.set_queue(application.submission.queue());
  for (auto& container : std::exchange(application.kept, {})) {
    if (!application.held.contains(yarn::decode(container.id()))) {
      continue;  // It has ended in the meantime.
    }
    manager_->put_node_token(application, container.node_id(),
                             response.mutable_nm_tokens_from_previous_attempts());
    *response.add_containers_from_previous_attempts() = std::move(container);
  }
  return {.reply = response.SerializeAsString()};
}

Served FakeResourceManager::MasterSide::allocate(FakeApplication& application,
                                                 const std::string& request) {
  pb::AllocateRequest ask;
  ask.ParseFromString(request);
  if (ask.response_id() + 1 == application.response_id && !application.last_reply.empty()) {
    return {.reply = application.last_reply};
  }
  if (ask.response_id() != application.response_id) {
    return yarn_exception(
        "InvalidApplicationMasterRequestException",
        fmt::format("Invalid responseId in AllocateRequest from application attempt: {}, expect "
                    "responseId to be {}, but get {}",
                    attempt_text(manager_->attempt_of(application)), application.response_id,
                    ask.response_id()));
  }
  if (auto refused = refuse_rows(ask); !refused.exception_class.empty()) {
    return refused;
  }
  application.asks.push_back(ask);
  // What was decided since the last heartbeat is sent; what is asked for now is decided after it.
  manager_->schedule(application);
  take_in(application, ask);
  auto response = std::exchange(application.outbox, {});
  const auto& told = response.completed_container_statuses();
  application.unconfirmed.assign(told.begin(), told.end());
  if (manager_->repeat_grants_ && !response.allocated_containers().empty()) {
    *application.outbox.mutable_allocated_containers() = response.allocated_containers();
    manager_->repeat_grants_ = false;
  }
  response.set_response_id(++application.response_id);
  response.set_num_cluster_nodes(static_cast<int32_t>(manager_->nodes_.size()));
  encode(manager_->options_.largest, response.mutable_limit());
  if (application.rolling) {
    auto next = manager_->master_token(application.id);
    next.identifier = fmt::format("{}/{}#{}", to_string(application.id), application.attempt,
                                  application.token_key + 1);
    yarn::encode(next, response.mutable_am_rm_token());
  }
  application.last_reply = response.SerializeAsString();
  return {.reply = application.last_reply};
}

Served FakeResourceManager::MasterSide::refuse_rows(const pb::AllocateRequest& ask) const {
  const auto& largest = manager_->options_.largest;
  for (const auto& row : ask.ask()) {
    const auto each = yarn::decode(row.capability());
    if (each.memory_mb > largest.memory_mb || each.vcores > largest.vcores) {
      return yarn_exception("InvalidResourceRequestException", asked_too_much(each, largest));
    }
    if (row.resource_name() != "*" && !row.node_label_expression().empty()) {
      return yarn_exception("InvalidLabelResourceRequestException",
                            "Invalid resource request, node label expression with a resource name "
                            "other than ANY");
    }
    bool known = row.node_label_expression().empty();
    for (const auto* const node : manager_->nodes_) {
      for (const auto& label : node->report().labels) {
        known = known || label == row.node_label_expression();
      }
    }
    if (!known) {
      return yarn_exception("InvalidLabelResourceRequestException",
                            fmt::format("Invalid resource request, queue=default doesn't have "
                                        "permission to access all labels in resource request. "
                                        "labelExpression of resource request={}",
                                        row.node_label_expression()));
    }
  }
  if (!ask.scheduling_requests().empty() && !manager_->options_.placement) {
    return yarn_exception("YarnException",
                          "Found non empty SchedulingRequest in AllocateRequest for application, "
                          "but the configured yarn.resourcemanager.placement-constraints.handler "
                          "cannot handle placement constraints. Rejecting this allocate operation");
  }
  return {};
}

void FakeResourceManager::MasterSide::take_in(FakeApplication& application,
                                              const pb::AllocateRequest& ask) {
  for (const auto& row : ask.ask()) {
    const FakeApplication::RowKey key(row.priority().priority(), row.resource_name(),
                                      row.allocation_request_id());
    application.rows.insert_or_assign(key, WaitingRow{.row = row, .since = manager_->loop_->now()});
  }
  // The Capacity Scheduler accepts either one kind or the other.
  for (const auto& request : ask.scheduling_requests()) {
    if (ask.ask().empty()) {
      application.placed.insert_or_assign(request.allocation_request_id(), request);
    }
  }
  const auto& avoided = ask.blacklist_request();
  application.avoided.insert(avoided.blacklist_additions().begin(),
                             avoided.blacklist_additions().end());
  for (const auto& host : avoided.blacklist_removals()) {
    application.avoided.erase(host);
  }
  for (const auto& one : ask.release()) {
    const auto container = yarn::decode(one);
    application.released.insert(container);
    const auto held = application.held.find(container);
    if (held == application.held.end()) {
      continue;
    }
    // It is complete before its node hears of it.
    auto* const place = manager_->node_of(held->second);
    constexpr auto kAborted = static_cast<int32_t>(yarn::ExitStatus::Aborted);
    manager_->end_container({.id = container,
                             .exit_status = kAborted,
                             .diagnostics = "Container released by application"});
    if (place != nullptr && place->runs(container)) {
      place->stop(container, kAborted, "Container released by application");
    }
  }
}

Served FakeResourceManager::MasterSide::finish(FakeApplication& application,
                                               const std::string& request) {
  pb::FinishApplicationMasterResponse response;
  // The first call is recorded; a later one is told that it was.
  application.farewell.ParseFromString(request);
  response.set_is_unregistered(std::exchange(application.farewell_said, true) ||
                               manager_->options_.masters_outside);
  if (response.is_unregistered()) {
    application.final_status =
        static_cast<yarn::FinalStatus>(application.farewell.final_application_status());
    application.diagnostics = application.farewell.diagnostics();
    manager_->end_application(application, yarn::ApplicationState::Finished);
  }
  return {.reply = response.SerializeAsString()};
}

}  // namespace muster::testing
