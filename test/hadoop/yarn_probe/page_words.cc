// What the probe reads on the resource manager's pages, and what it does with tokens.
#include "hadoop/resource_manager.h"
#include "hadoop/security.pb.h"
#include "hadoop/yarn/record_codec.h"
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
  return said("all", run(pages->activities(id(request), by(request))));
}

/// Writes the most recent token as a token file.
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

/// From now on the tokens of a file speak for us.
json::object Probe::take_token(const json::object& request) {
  const auto bytes = read_file(text_of(request, "from", ""));
  auto credentials = hadoop::decode_credentials(bytes.value_or(""));
  if (!credentials.has_value()) {
    return of(credentials.error());
  }
  delegation_ = credentials->tokens().front().token;
  call_manager(std::make_shared<const hadoop::Credentials>(*std::move(credentials)));
  return {};
}

json::object Probe::about_token(const std::string& what, const json::object& request) {
  if (what == "take_token") {
    return take_token(request);
  }
  if (what == "cancel_token") {
    ::hadoop::common::CancelDelegationTokenRequestProto message;
    yarn::encode(delegation_, message.mutable_token());
    return said(yarn::status_of(ask<::hadoop::common::CancelDelegationTokenResponseProto>(
        manager_.get(), "cancelDelegationToken", std::move(message), request)));
  }
  if (what == "save_token") {
    return save_token(request);
  }
  ::hadoop::common::GetDelegationTokenRequestProto message;
  message.set_renewer(user_);
  const auto reply = ask<::hadoop::common::GetDelegationTokenResponseProto>(
      manager_.get(), "getDelegationToken", std::move(message), request);
  if (!reply.has_value()) {
    return of(reply.error());
  }
  delegation_ = yarn::decode(reply->token());
  return {{"kind", delegation_.kind}};
}

}  // namespace muster::probe
