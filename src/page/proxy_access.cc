#include "page/proxy_access.h"

#include "net/address.h"

#include <algorithm>
#include <utility>

namespace muster::page {
namespace {

/// Set by the proxy for the user that it has authenticated.
constexpr std::string_view kUserCookie = "proxy-user";
constexpr Duration kLookUpMax = std::chrono::seconds(5);
constexpr size_t kUserMax = 256;
constexpr size_t kKnownMax = 1024;

/// Returns "10.0.0.7" for "10.0.0.7:41234"; an IPv4 address mapped into IPv6 counts as itself.
std::string address_of(const std::string& peer) {
  constexpr std::string_view kMapped = "::ffff:";
  const auto parts = net::parse_host_port(peer);
  const auto literal = parts.has_value() ? net::parse_literal(parts->host, 1) : std::nullopt;
  std::string text = literal.has_value() ? net::literal_of(*literal) : peer;
  if (text.starts_with(kMapped) && text.find('.') != std::string::npos) {
    text.erase(0, kMapped.size());
  }
  return text;
}

}  // namespace

ProxyAccess::ProxyAccess(rt::Loop& loop, ProxyRule rule, Resolve resolve, Groups groups)
    : loop_(loop),
      rule_(std::move(rule)),
      resolve_(std::move(resolve)),
      addresses_(rule_.proxies.size()),
      look_up_at_(loop.now()),
      groups_(std::move(groups)),
      looked_up_(loop),
      scope_(loop) {}

rt::Async<> ProxyAccess::look_up() {
  for (size_t which = 0; which < rule_.proxies.size(); ++which) {
    const auto found = co_await rt::with_deadline(loop_, loop_.now() + kLookUpMax, "a proxy's name",
                                                  resolve_(rule_.proxies[which].host));
    // A proxy that cannot be looked up now keeps its addresses.
    if (found.has_value()) {
      addresses_[which] = *found;
    }
  }
  looked_up_.set();
}

const ProxyRule::Proxy* ProxyAccess::find_proxy(const std::string& address) const {
  for (size_t which = 0; which < addresses_.size(); ++which) {
    if (std::ranges::find(addresses_[which], address) != addresses_[which].end()) {
      return &rule_.proxies[which];
    }
  }
  return nullptr;
}

rt::Async<bool> ProxyAccess::may_look(std::string user) {
  if (rule_.everybody) {
    co_return true;
  }
  if (user.empty() || user.size() > kUserMax) {
    co_return false;
  }
  if (std::ranges::find(rule_.users, user) != rule_.users.end()) {
    co_return true;
  }
  if (rule_.groups.empty() || !groups_) {
    co_return false;
  }
  std::erase_if(known_, [now = loop_.now()](const auto& one) { return one.second.until <= now; });
  if (const auto known = known_.find(user); known != known_.end()) {
    co_return known->second.member;
  }
  const auto groups =
      co_await rt::with_deadline(loop_, loop_.now() + kLookUpMax, "a user's groups", groups_(user));
  if (!groups.has_value()) {
    co_return false;
  }
  const bool member = std::ranges::any_of(*groups, [this](const std::string& group) {
    return std::ranges::find(rule_.groups, group) != rule_.groups.end();
  });
  if (known_.size() < kKnownMax) {
    known_[user] = {.member = member, .until = loop_.now() + kGroupsKept};
  }
  co_return member;
}

bool ProxyAccess::is_known(const net::HttpRequest& head, const std::string& peer) {
  (void)head;
  return find_proxy(address_of(peer)) != nullptr;
}

rt::Async<Admission> ProxyAccess::admit(const net::HttpRequest* request, std::string peer) {
  if (loop_.now() >= look_up_at_) {
    look_up_at_ = loop_.now() + kLookUpEvery;
    looked_up_.reset();
    scope_.spawn(look_up());
  }
  co_await looked_up_.wait();
  const ProxyRule::Proxy* const proxy = find_proxy(address_of(peer));
  if (proxy == nullptr) {
    co_return Admission{.kind = Admission::Kind::Elsewhere,
                        .target = {},
                        .location = rule_.proxies[active_].site + "/proxy/redirect/" +
                                    rule_.application_id + request->target};
  }
  active_ = static_cast<size_t>(proxy - rule_.proxies.data());
  const bool may = co_await may_look(std::string(cookie_of(*request, kUserCookie)));
  co_return Admission{.kind = may ? Admission::Kind::Job : Admission::Kind::Refused,
                      .target = request->target,
                      .location = {},
                      .prefix = "/proxy/" + rule_.application_id};
}

}  // namespace muster::page
