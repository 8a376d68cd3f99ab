#pragma once

#include "base/result.h"
#include "base/time.h"
#include "page/access.h"
#include "rt/loop.h"
#include "rt/scope.h"
#include "rt/wait.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster::page {

/// Through which proxies of a cluster people come, and which of them may look.
struct ProxyRule {
  struct Proxy {
    std::string host;  ///< A name or an IP address.
    std::string site;  ///< "http://rm.example.org:8088"
  };
  std::vector<Proxy> proxies;       ///< At least one; one of several is active.
  std::string application_id;       ///< What the proxies call the job.
  bool everybody = true;            ///< Everybody may look: the cluster does not identify users.
  std::vector<std::string> users;   ///< Otherwise: those who may look.
  std::vector<std::string> groups;  ///< Members of these may look, too.
};

/// Lets in those who come through the cluster's proxy, which names the user in a cookie; all others
/// are sent to the proxy. The proxies' addresses are looked up again every five minutes. Groups are
/// asked for only if the rule has some and the user is not listed by name; if they cannot be had,
/// the user is refused, and the groups are asked for again next time. A process on a proxy's host
/// can pose as the proxy: such hosts are trusted by the cluster as a whole.
class ProxyAccess final : public Access {
 public:
  /// Returns a host's addresses in numeric form.
  using Resolve = std::function<rt::Async<Result<std::vector<std::string>>>(std::string host)>;

  /// Returns the groups of a user, as the cluster knows them.
  using Groups = std::function<rt::Async<Result<std::vector<std::string>>>(std::string user)>;

  /// `groups` may be empty: then users are let in by name only.
  ProxyAccess(rt::Loop& loop, ProxyRule rule, Resolve resolve, Groups groups);

  [[nodiscard]] rt::Async<Admission> admit(const net::HttpRequest* request,
                                           std::string peer) override;
  /// True for whoever comes from a proxy, which accepts what people send it.
  [[nodiscard]] bool is_known(const net::HttpRequest& head, const std::string& peer) override;
  [[nodiscard]] std::optional<net::HttpResponse> open_session(const net::HttpRequest&) override {
    return std::nullopt;
  }

  static constexpr Duration kLookUpEvery = std::chrono::minutes(5);
  /// How long group membership is believed, as in Hadoop's own servers.
  static constexpr Duration kGroupsKept = std::chrono::minutes(5);

 private:
  [[nodiscard]] rt::Async<> look_up();
  [[nodiscard]] const ProxyRule::Proxy* find_proxy(const std::string& address) const;
  [[nodiscard]] rt::Async<bool> may_look(std::string user);

  rt::Loop& loop_;
  ProxyRule rule_;
  Resolve resolve_;
  std::vector<std::vector<std::string>> addresses_;  ///< Of each proxy, as last known.
  HostTime look_up_at_{};
  /// Whether a user who is not listed is in a group that may look, and until when that is known.
  struct Known {
    bool member = false;
    HostTime until{};
  };
  Groups groups_;
  std::map<std::string, Known> known_;  ///< By user.
  size_t active_ = 0;                   ///< The proxy that asked last.
  rt::Event looked_up_;                 ///< Set after the first lookup.
  rt::Scope scope_;                     ///< Last: its coroutines use the rest.
};

}  // namespace muster::page
