// What the probe reads on the resource manager's pages, and what it does with tokens.
#include "hadoop/resource_manager.h"
#include "probe.h"

#include <fstream>

namespace muster::probe {

Result<yarn::RestClient> Probe::pages() {
  MUSTER_TRY(const auto managers, hadoop::resource_managers(configuration_));
  yarn::RestClient::Options options{.user = user_};
  for (const auto& manager : managers.all) {
    options.servers.push_back(manager.web);
  }
  return yarn::RestClient(loop_, dialer_, std::move(options));
}

json::object Probe::about_pages(const std::string& what, const json::object& request) {
  auto pages = this->pages();
  if (!pages.has_value()) {
    return of(pages.error());
  }
  if (what == "rest_queues") {
    return said("queues", run(pages->queues(by(request))));
  }
  if (what == "rest_attempts") {
    return said("attempts", run(pages->attempts(id(request), by(request))));
  }
  if (what == "rest_labels") {
    return labels(run(pages->node_labels(by(request))));
  }
  const auto activities = run(pages->activities(id(request), by(request)));
  return activities.has_value()
             ? json::object{{"remark", activities->remark}, {"all", all_of(activities->all)}}
             : of(activities.error());
}

json::object Probe::labels(const Result<std::vector<yarn::NodeLabel>>& labels) {
  if (!labels.has_value()) {
    return of(labels.error());
  }
  json::object exclusive;
  for (const auto& one : *labels) {
    exclusive[one.name] = one.exclusive;
  }
  return {{"labels", exclusive}};
}

/// Writes the token that was got last as a token file.
json::object Probe::save_token(const json::object& request) {
  const auto managers = hadoop::resource_managers(configuration_);
  if (!managers.has_value()) {
    return of(managers.error());
  }
  delegation_.service = net::to_string(managers->all.front().client);
  hadoop::Credentials credentials;
  credentials.add(delegation_.service, delegation_);
  std::ofstream(text_of(request, "to", ""), std::ios::binary)
      << hadoop::encode_credentials(credentials);
  return {};
}

/// The tokens of a file speak for us from now on; with "only_hold" the first is held, no more.
json::object Probe::take_token(const json::object& request) {
  const auto bytes = read_file(text_of(request, "from", ""));
  auto credentials = hadoop::decode_credentials(bytes.value_or(""));
  if (!credentials.has_value()) {
    return of(credentials.error());
  }
  delegation_ = credentials->tokens().front().token;
  if (!flag_of(request, "only_hold")) {
    call_manager(std::make_shared<const hadoop::Credentials>(*std::move(credentials)));
  }
  return {};
}

json::object Probe::about_token(const std::string& what, const json::object& request) {
  if (what == "take_token") {
    return take_token(request);
  }
  if (what == "cancel_token") {
    return said(run(applications_->cancel(delegation_, by(request))));
  }
  if (what == "save_token") {
    return save_token(request);
  }
  if (what == "renew_token") {
    const auto expires = run(applications_->renew(delegation_, by(request)));
    if (!expires.has_value()) {
      return of(expires.error());
    }
    return {{"expires_ms",
             std::chrono::duration_cast<std::chrono::milliseconds>(expires->time_since_epoch())
                 .count()}};
  }
  auto token =
      run(applications_->delegation_token(text_of(request, "renewer", user_), by(request)));
  if (!token.has_value()) {
    return of(token.error());
  }
  delegation_ = *std::move(token);
  return {{"kind", delegation_.kind}};
}

}  // namespace muster::probe
