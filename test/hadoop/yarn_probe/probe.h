#pragma once

#include "hadoop/configuration.h"
#include "hadoop/credentials.h"
#include "hadoop/yarn/application_client.h"
#include "hadoop/yarn/application_master.h"
#include "hadoop/yarn/calling.h"
#include "hadoop/yarn/container_starter.h"
#include "hadoop/yarn/rest_client.h"
#include "json_text.h"
#include "manager_proxy.h"
#include "speaker.h"

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace muster::probe {

[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path);

/// One process' worth of YARN: a client and, once it has become one, an application master.
/// Whatever Muster itself never asks for is sent as Hadoop's own messages, by ask().
class Probe final : public Speaker {
 public:
  Probe(hadoop::Configuration configuration, std::string user);

 private:
  json::object answer(const json::object& request) override;
  HostTime by(const json::object& request) const {
    return loop_.now() + std::chrono::milliseconds(number_of(request, "within_ms", 60000));
  }
  yarn::ApplicationId id(const json::object& request) const {
    return yarn::parse_application_id(text_of(request, "id", to_string(application_)))
        .value_or(yarn::ApplicationId{});
  }
  static json::object said(const Status& status) {
    return status.has_value() ? json::object{} : of(status.error());
  }
  template <class T>
  static json::object said(std::string_view key, const Result<T>& result) {
    if (!result.has_value()) {
      return of(result.error());
    }
    if constexpr (requires { all_of(*result); }) {
      return {{key, all_of(*result)}};
    } else {
      return of(*result);
    }
  }
  template <class Reply, class Message>
  Result<Reply> ask(rpc::Proxy* proxy, std::string_view method, Message message,
                    const json::object& request) {
    return run(yarn::call_explained<Reply>(
        proxy, {.name = method, .repetition = rpc::Repetition::Idempotent}, std::move(message),
        std::string(method), by(request)));
  }

  /// Calls the resource manager with one of these tokens or, if there are none, with a ticket.
  void call_manager(const std::shared_ptr<const hadoop::Credentials>& credentials);
  json::object save_token(const json::object& request);
  json::object take_token(const json::object& request);
  json::object submit(const json::object& request);
  json::object become(const json::object& request);
  json::object want(const json::object& request);
  json::object beat(const json::object& request);
  json::object start(const json::object& request);
  json::object status(const json::object& request);
  json::object report(const json::object& request);
  Result<pb::ApplicationReport> read_report(const json::object& request);
  json::object about_application(const std::string& what, const json::object& request);
  json::object about_cluster(const std::string& what, const json::object& request);
  json::object about_pages(const std::string& what, const json::object& request);
  json::object about_token(const std::string& what, const json::object& request);
  Result<yarn::RestClient> pages();

  hadoop::Configuration configuration_;
  std::string user_;
  std::unique_ptr<ManagerProxy> manager_;
  std::optional<yarn::ApplicationClient> applications_;
  yarn::ApplicationId application_;
  hadoop::Token delegation_;
  std::unique_ptr<yarn::HeldToken> token_;
  std::unique_ptr<rpc::Proxy> scheduler_;
  std::unique_ptr<yarn::ApplicationMaster> master_;
  std::optional<yarn::NodeConnections> connections_;
  std::optional<yarn::ContainerStarter> starter_;
  std::map<std::string, yarn::Grant> grants_;
};

}  // namespace muster::probe
