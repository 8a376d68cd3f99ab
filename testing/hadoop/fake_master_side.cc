#include "hadoop/yarn/master_codec.h"
#include "hadoop/yarn_master.pb.h"
#include "testing/hadoop/fake_resource_manager_sides.h"

#include <fmt/format.h>

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

}  // namespace

Served FakeResourceManager::MasterSide::answer(std::string_view method, const std::string& request,
                                               const FakeCaller& caller) {
  const auto mark = caller.token_identifier.find('#');
  const auto attempt_text = caller.token_identifier.substr(0, mark);
  const auto attempt = yarn::parse_attempt_id(attempt_text);
  if (mark == std::string::npos || !attempt.has_value()) {
    return invalid_token(attempt_text);
  }
  const auto found = manager_->applications_.find(attempt->application);
  if (found == manager_->applications_.end() || found->second.attempt != attempt->number ||
      is_over(found->second.state)) {
    return yarn_exception("ApplicationAttemptNotFoundException",
                          fmt::format("Application attempt {} doesn't exist in "
                                      "ApplicationMasterService cache.",
                                      attempt_text));
  }
  auto& application = found->second;
  const auto key = caller.token_identifier.substr(mark + 1);
  const bool is_next = application.rolling && key == std::to_string(application.token_key + 1);
  if (key != std::to_string(application.token_key) && !is_next) {
    return invalid_token(attempt_text);
  }
  if (method == "registerApplicationMaster") {
    return register_master(application, request);
  }
  if (!application.registered) {
    return yarn_exception(
        "ApplicationMasterNotRegisteredException",
        fmt::format("AM is not registered for known application attempt: {} or "
                    "RM had restarted after AM registered. AM should re-register.",
                    attempt_text));
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
    return yarn_exception("InvalidApplicationMasterRequestException",
                          fmt::format("Application Master is already registered : {}",
                                      to_string(application.submission.id)));
  }
  pb::RegisterApplicationMasterRequest message;
  message.ParseFromString(request);
  application.presence = yarn::decode(message);
  application.registered = true;
  application.state = yarn::ApplicationState::Running;
  application.response_id = 0;
  application.last_reply.clear();
  yarn::Registration registration{.largest = manager_->options_.largest,
                                  .queue = application.submission.queue,
                                  .from_previous_attempts = std::exchange(application.kept, {}),
                                  .resource_types = manager_->options_.types};
  for (const auto& grant : registration.from_previous_attempts) {
    if (application.known_nodes.insert(grant.node).second) {
      registration.node_tokens.push_back(
          {.node = grant.node,
           .token = {.identifier = fake_node_token(grant.node),
                     .password = hadoop::Secret("password"),
                     .kind = std::string(hadoop::token_kind::kNodeManager),
                     .service = to_string(grant.node)}});
    }
  }
  pb::RegisterApplicationMasterResponse response;
  encode(registration, &response);
  return {.reply = response.SerializeAsString()};
}

Served FakeResourceManager::MasterSide::allocate(FakeApplication& application,
                                                 const std::string& request) {
  pb::AllocateRequest message;
  message.ParseFromString(request);
  const auto ask = yarn::decode(message);
  if (ask.response_id + 1 == application.response_id && !application.last_reply.empty()) {
    return {.reply = application.last_reply};
  }
  if (ask.response_id != application.response_id) {
    return yarn_exception(
        "InvalidApplicationMasterRequestException",
        fmt::format("Invalid responseId in AllocateRequest from application attempt: {}, expect "
                    "responseId to be {}, but get {}",
                    to_string(manager_->attempt_of(application)), application.response_id,
                    ask.response_id));
  }
  if (auto refused = refuse_rows(application, ask); !refused.exception_class.empty()) {
    return refused;
  }
  application.asks.push_back(ask);
  // What was decided since the last heartbeat goes out; what is asked now is decided after it.
  manager_->schedule(application);
  take_in(application, ask);
  auto answer = std::exchange(application.outbox, {});
  if (manager_->repeat_grants_ && !answer.granted.empty()) {
    application.outbox.granted = answer.granted;
    manager_->repeat_grants_ = false;
  }
  answer.response_id = ++application.response_id;
  answer.cluster_nodes = static_cast<int32_t>(manager_->nodes_.size());
  answer.headroom = manager_->options_.largest;
  if (application.rolling) {
    answer.master_token = manager_->master_token(application.submission.id);
    answer.master_token->identifier = fmt::format(
        "{}#{}", to_string(manager_->attempt_of(application)), application.token_key + 1);
  }
  pb::AllocateResponse response;
  encode(answer, &response);
  application.last_reply = response.SerializeAsString();
  return {.reply = application.last_reply};
}

Served FakeResourceManager::MasterSide::refuse_rows(const FakeApplication& /*application*/,
                                                    const yarn::AllocateAsk& ask) const {
  const auto& largest = manager_->options_.largest;
  for (const auto& row : ask.asks) {
    if (row.each.memory_mb > largest.memory_mb || row.each.vcores > largest.vcores) {
      return yarn_exception("InvalidResourceRequestException", asked_too_much(row.each, largest));
    }
    bool known = row.node_label.empty();
    for (const auto* const node : manager_->nodes_) {
      for (const auto& label : node->report().labels) {
        known = known || label == row.node_label;
      }
    }
    if (!known) {
      return yarn_exception("InvalidLabelResourceRequestException",
                            fmt::format("Invalid resource request, queue=default doesn't have "
                                        "permission to access all labels in resource request. "
                                        "labelExpression of resource request={}",
                                        row.node_label));
    }
  }
  if (!ask.scheduling.empty() && !manager_->options_.placement) {
    return yarn_exception("YarnException",
                          "Found non empty SchedulingRequest in AllocateRequest for application, "
                          "but the configured yarn.resourcemanager.placement-constraints.handler "
                          "cannot handle placement constraints. Rejecting this allocate operation");
  }
  return {};
}

void FakeResourceManager::MasterSide::take_in(FakeApplication& application,
                                              const yarn::AllocateAsk& ask) {
  application.progress = ask.progress;
  if (!ask.tracking_url.empty()) {
    application.presence.tracking_url = ask.tracking_url;
  }
  for (const auto& row : ask.asks) {
    const FakeApplication::RowKey key(row.priority, row.place, row.allocation.value);
    application.rows.insert_or_assign(key, WaitingRow{.row = row, .since = manager_->loop_->now()});
  }
  // The Capacity Scheduler takes one kind or the other.
  for (const auto& request : ask.scheduling) {
    if (ask.asks.empty()) {
      application.placed.insert_or_assign(request.allocation.value, request);
    }
  }
  application.avoided.insert(ask.avoid.begin(), ask.avoid.end());
  for (const auto& host : ask.readmit) {
    application.avoided.erase(host);
  }
  for (const auto& container : ask.releases) {
    application.released.insert(container);
    const auto held = application.held.find(container);
    if (held == application.held.end()) {
      continue;
    }
    auto* const place = manager_->node(held->second.node);
    constexpr auto kAborted = static_cast<int32_t>(yarn::ExitStatus::Aborted);
    if (place != nullptr && place->runs(container)) {
      if (place->on_stop) {
        place->on_stop(container);
      }
      place->finish(container, kAborted, "Container released by application");
    } else {
      manager_->end_container({.id = container,
                               .state = yarn::ContainerState::Complete,
                               .exit_status = kAborted,
                               .diagnostics = "Container released by application"});
    }
  }
}

Served FakeResourceManager::MasterSide::finish(FakeApplication& application,
                                               const std::string& request) {
  pb::FinishApplicationMasterRequest message;
  message.ParseFromString(request);
  pb::FinishApplicationMasterResponse response;
  // The first call is written down; a later one hears that it is.
  if (application.farewell == yarn::Farewell{}) {
    application.farewell = yarn::decode(message);
    response.set_is_unregistered(application.submission.unmanaged);
  } else {
    response.set_is_unregistered(true);
  }
  if (response.is_unregistered()) {
    application.final_status = application.farewell.status;
    application.diagnostics = application.farewell.diagnostics;
    manager_->end_application(application, yarn::ApplicationState::Finished);
  }
  return {.reply = response.SerializeAsString()};
}

}  // namespace muster::testing
