// What the probe does as an application's master.
#include "hadoop/credentials.h"
#include "hadoop/token_service.h"
#include "hadoop/yarn/record_codec.h"
#include "hadoop/yarn/targets.h"
#include "hadoop/yarn_containers.pb.h"
#include "probe.h"

namespace muster::probe {

// Uses the token file of a master's container, or the token in an unmanaged application's report.
json::object Probe::become(const json::object& request) {
  std::optional<hadoop::Token> token;
  if (request.contains("token_file")) {
    const auto bytes = read_file(text_of(request, "token_file", ""));
    const auto credentials = hadoop::decode_credentials(bytes.value_or(""));
    if (!credentials.has_value()) {
      return of(credentials.error());
    }
    if (const auto* const found = hadoop::find_am_rm_token(*credentials); found != nullptr) {
      token = *found;
    }
  } else if (const auto report = read_report(request); report.has_value()) {
    token = yarn::decode(report->am_rm_token());
  }
  if (!token) {
    return {{"error", "no token yet"}, {"code", "other"}};
  }
  token_ = std::make_unique<yarn::HeldToken>(*token);
  const auto calling = yarn::master_calling(configuration_, *token_);
  if (!calling.has_value()) {
    return of(calling.error());
  }
  scheduler_ = client_.proxy(calling->target, calling->connection, calling->retry);
  master_ = std::make_unique<yarn::ApplicationMaster>(loop_, *scheduler_, *token_);
  const auto registration = run(master_->register_self(
      {.host = "localhost", .tracking_url = text_of(request, "url", "")}, by(request)));
  if (!registration.has_value()) {
    return of(registration.error());
  }
  connections_->learn(registration->node_tokens);
  for (const auto& grant : registration->kept) {
    grants_[to_string(grant.id)] = grant;
  }
  return {{"largest", of(registration->largest)},
          {"queue", registration->queue},
          {"previous", all_of(registration->kept)}};
}

json::object Probe::want(const json::object& request) {
  yarn::ContainerRequest wanted{
      .allocation = yarn::AllocationId(number_of(request, "allocation", 1)),
      .count = static_cast<int32_t>(number_of(request, "count", 1)),
      .each = {.memory_mb = number_of(request, "memory", 128), .vcores = 1},
      .node_label = text_of(request, "label", "")};
  if (request.contains("gpus")) {
    wanted.each.others[std::string(yarn::kGpu)] = {.value = number_of(request, "gpus", 0)};
  }
  if (wanted.count == 0) {
    master_->book().withdraw(wanted.allocation);
  } else {
    master_->book().ask(std::move(wanted));
  }
  return {};
}

json::object Probe::beat(const json::object& request) {
  const auto token = token_->get();
  const auto heartbeat = run(master_->heartbeat(by(request)));
  if (!heartbeat.has_value()) {
    return of(heartbeat.error());
  }
  connections_->learn(heartbeat->node_tokens);
  for (const auto& grant : heartbeat->harvest.granted) {
    grants_[to_string(grant.id)] = grant;
  }
  json::array warned;
  for (const auto& id : heartbeat->preempted) {
    warned.emplace_back(to_string(id));
  }
  return {{"granted", all_of(heartbeat->harvest.granted)},
          {"completed", all_of(heartbeat->harvest.completed)},
          {"warned", warned},
          {"rolled", token_->get() != token},
          {"resynced", heartbeat->resynced}};
}

json::object Probe::start(const json::object& request) {
  const auto& grant = grants_.at(text_of(request, "container", ""));
  yarn::LaunchContext launch{.environment = {{"GREETING", "hello"}},
                             .commands = texts_of(request, "commands")};
  return said(run(starter_->start(grant, std::move(launch), by(request))));
}

/// Returns the state of a container as its node reports it.
json::object Probe::status(const json::object& request) {
  const auto& grant = grants_.at(text_of(request, "container", ""));
  const auto lease = connections_->to(grant.node);
  if (!lease.has_value()) {
    return of(lease.error());
  }
  pb::GetContainerStatusesRequest message;
  yarn::encode(grant.id, message.add_container_id());
  const auto reply = ask<pb::GetContainerStatusesResponse>(lease->proxy(), "getContainerStatuses",
                                                           std::move(message), request);
  if (!reply.has_value()) {
    return of(reply.error());
  }
  if (reply->status().empty()) {
    return {{"state", "unknown"}};
  }
  switch (reply->status(0).state()) {
    case pb::CONTAINER_STATE_NEW:
      return {{"state", "new"}};
    case pb::CONTAINER_STATE_RUNNING:
      return {{"state", "running"}};
    case pb::CONTAINER_STATE_COMPLETE:
      return {{"state", "complete"}};
  }
  return {{"state", "unknown"}};
}

}  // namespace muster::probe
