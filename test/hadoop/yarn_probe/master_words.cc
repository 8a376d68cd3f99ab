// What the probe does as an application's master.
#include "hadoop/credentials.h"
#include "hadoop/token_service.h"
#include "hadoop/yarn/targets.h"
#include "probe.h"

namespace muster::probe {

// With the token file of a master's container, or the token of an unmanaged application's report.
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
  } else if (const auto report = run(applications_->report(id(request), by(request)));
             report.has_value()) {
    token = report->master_token;
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
  json::array types;
  for (const auto& type : registration->resource_types) {
    types.emplace_back(type.name);
  }
  for (const auto& grant : registration->from_previous_attempts) {
    grants_[to_string(grant.id)] = grant;
  }
  return {{"largest", of(registration->largest)},
          {"queue", registration->queue},
          {"types", types},
          {"previous", all_of(registration->from_previous_attempts)}};
}

json::object Probe::ask(const json::object& request) {
  yarn::ContainerRequest wanted{
      .allocation = yarn::AllocationId(number_of(request, "allocation", 1)),
      .count = static_cast<int32_t>(number_of(request, "count", 1)),
      .each = {.memory_mb = number_of(request, "memory", 128), .vcores = 1},
      .hosts = texts_of(request, "hosts"),
      .only_there = flag_of(request, "only_there"),
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
  const auto heartbeat = run(master_->heartbeat(0.25F, by(request)));
  if (!heartbeat.has_value()) {
    return of(heartbeat.error());
  }
  const auto& [answer, harvest, resynced] = *heartbeat;
  connections_->learn(answer.node_tokens);
  for (const auto& grant : harvest.granted) {
    grants_[to_string(grant.id)] = grant;
  }
  json::array warned;
  for (const auto& id : answer.preemption.certain) {
    warned.emplace_back(to_string(id));
  }
  for (const auto& id : answer.preemption.negotiable) {
    warned.emplace_back(to_string(id));
  }
  return {{"granted", all_of(harvest.granted)},
          {"surplus", all_of(harvest.surplus)},
          {"completed", all_of(harvest.completed)},
          {"nodes", all_of(answer.updated_nodes)},
          {"cluster_nodes", answer.cluster_nodes},
          {"headroom", answer.headroom ? of(*answer.headroom) : json::object()},
          {"warned", warned},
          {"rolled", answer.master_token.has_value()},
          {"response_id", answer.response_id},
          {"resynced", resynced}};
}

json::object Probe::start(const json::object& request) {
  const auto& grant = grants_.at(text_of(request, "container", ""));
  std::vector<yarn::ContainerStart> starts = {
      {.id = grant.id,
       .token = grant.token,
       .launch = {.environment = {{"GREETING", "hello"}},
                  .commands = texts_of(request, "commands")}}};
  return said("", run(containers_->start(grant.node, std::move(starts), by(request))));
}

json::object Probe::about_container(const std::string& what, const json::object& request) {
  const auto& grant = grants_.at(text_of(request, "container", ""));
  if (what == "stop") {
    return said("", run(containers_->stop(grant.node, {grant.id}, by(request))));
  }
  if (what == "release") {
    master_->book().release(grant.id);
    return {};
  }
  if (what == "signal") {
    return said(run(applications_->signal(grant.id, yarn::ContainerSignal::Graceful, by(request))));
  }
  if (what == "reinitialize") {
    return said(run(containers_->reinitialize(grant.node, grant.id,
                                              {.commands = texts_of(request, "commands")},
                                              flag_of(request, "commit"), by(request))));
  }
  if (what == "restart") {
    return said(run(containers_->restart(grant.node, grant.id, by(request))));
  }
  if (what == "localize") {
    // "hdfs://HOST:PORT".
    const auto at = text_of(request, "at", "").substr(sizeof "hdfs://" - 1);
    const auto server = net::parse_host_port(at);
    const yarn::LocalResource file{.from = {.scheme = "hdfs",
                                            .host = server->host,
                                            .port = server->port,
                                            .path = text_of(request, "path", "")},
                                   .size = number_of(request, "size", 0),
                                   .modified_ms = number_of(request, "modified", 0)};
    return said(run(containers_->localize(grant.node, grant.id,
                                          {{text_of(request, "as", "file"), file}}, by(request))));
  }
  if (what == "localizations") {
    const auto files = run(containers_->localizations(grant.node, grant.id, by(request)));
    if (!files.has_value()) {
      return of(files.error());
    }
    json::object states;
    for (const auto& file : *files) {
      states[file.file] = static_cast<int>(file.state);
    }
    return {{"files", states}};
  }
  const auto statuses = run(containers_->statuses(grant.node, {grant.id}, by(request)));
  if (!statuses.has_value()) {
    return of(statuses.error());
  }
  return {{"known", all_of(statuses->known)}, {"unknown", statuses->unknown.size()}};
}

}  // namespace muster::probe
