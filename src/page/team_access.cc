#include "page/team_access.h"

#include "base/ascii.h"
#include "base/base64.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::page {
namespace {

constexpr std::string_view kTeamCookie = "muster-portal";
constexpr std::string_view kBearerWord = "Bearer ";
constexpr std::string_view kNegotiate = "Negotiate";
constexpr size_t kTeamUserMax = 256;

/// Returns "10.0.0.7" for "10.0.0.7:41234", and "::1" for "[::1]:80".
std::string_view address_in(std::string_view peer) {
  std::string_view host = peer.substr(0, peer.rfind(':'));
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  }
  constexpr std::string_view kMapped = "::ffff:";
  return host.starts_with(kMapped) ? host.substr(kMapped.size()) : host;
}

/// Returns a user's name as a proxy or a realm gives it; "" if it is not one.
std::string user_named(std::string_view name) {
  const std::string_view user = trim(name);
  const bool plain =
      std::ranges::all_of(user, [](char c) { return c > ' ' && c != ',' && c != '\x7f'; });
  return plain && user.size() <= kTeamUserMax ? std::string(user) : std::string();
}

/// Returns what follows the scheme "Negotiate"; "" for any other header.
std::string_view ticket_in(std::string_view authorization) {
  const std::string_view scheme = authorization.substr(0, kNegotiate.size());
  const bool negotiates = std::ranges::equal(scheme, kNegotiate, [](char one, char other) {
    return ascii_lower(one) == ascii_lower(other);
  });
  return negotiates ? trim(authorization.substr(kNegotiate.size())) : std::string_view();
}

}  // namespace

bool TeamAccess::is_proxy(std::string_view peer) const {
  return std::ranges::find(options_.proxies, address_in(peer)) != options_.proxies.end();
}

rt::Async<Admission> TeamAccess::admit(const net::HttpRequest* request, std::string peer) {
  Admission admission{.kind = Admission::Kind::Front, .target = request->target, .location = {}};
  admission.user = user_of(*request, peer);
  if (admission.user.empty() && negotiator_ != nullptr && !is_proxy(peer)) {
    co_await negotiate(std::string(ticket_in(request->header("authorization"))),
                       std::string(address_in(peer)), &admission);
  }
  if (!admission.user.empty()) {
    admission.kind = Admission::Kind::Job;
  }
  co_return admission;
}

bool TeamAccess::is_known(const net::HttpRequest& head, const std::string& peer) {
  return !user_of(head, peer).empty();
}

/// A ticket from an address, which is being judged or waits for that.
class TeamAccess::Judging {
 public:
  Judging(TeamAccess& access, const std::string& address)
      : access_(access), place_(access.judging_.try_emplace(address).first) {
    ++place_->second;
  }
  Judging(const Judging&) = delete;
  Judging& operator=(const Judging&) = delete;
  ~Judging() {
    if (--place_->second == 0) {
      access_.judging_.erase(place_);
    }
  }

 private:
  TeamAccess& access_;
  std::map<std::string, size_t>::iterator place_;
};

bool TeamAccess::has_room_for_ticket(const std::string& address) const {
  size_t all = 0;
  for (const auto& [one, count] : judging_) {
    all += count;
  }
  const auto own = judging_.find(address);
  return all < kTicketsMax && (own == judging_.end() || own->second < kTicketsOfAddressMax);
}

rt::Async<> TeamAccess::negotiate(std::string header, std::string address, Admission* admission) {
  const std::optional<std::string> token = base64_decode(header);
  if (token && !token->empty() && !has_room_for_ticket(address)) {
    admission->refusal = "too many tickets are being judged; ask again";
  } else if (token && !token->empty()) {
    const Judging judging(*this, address);
    const Result<Negotiated> known = co_await negotiator_->negotiate(*token);
    const std::string user = known ? user_named(known->user) : std::string();
    if (!user.empty()) {
      admission->user = user;
      admission->until = loop_.now() + std::min(known->valid, kSessionMax);
      admission->headers = {
          {"WWW-Authenticate", fmt::format("{} {}", kNegotiate, base64_encode(known->answer))}};
      co_return;
    }
    admission->refusal = known ? "the ticket names nobody" : printable(known.error().message);
  }
  admission->headers = {{"WWW-Authenticate", std::string(kNegotiate)}};
}

std::string TeamAccess::user_of(const Session& session) const {
  return session.token.empty() ? session.ticket : options_.user_of(session.token).value_or("");
}

std::string TeamAccess::user_of(const net::HttpRequest& request, std::string_view peer) {
  if (is_proxy(peer)) {
    // With two such headers, one of them may be the browser's own.
    const auto named = std::ranges::count(request.headers, options_.user_header,
                                          &std::pair<std::string, std::string>::first);
    return named == 1 ? user_named(request.header(options_.user_header)) : std::string();
  }
  const std::string_view authorization = request.header("authorization");
  if (authorization.starts_with(kBearerWord)) {
    return options_.user_of(trim(authorization.substr(kBearerWord.size()))).value_or("");
  }
  // Pages of other servers on this host can set cookies of that name, but must not hide ours.
  for (const std::string_view cookie : cookies_of(request, kTeamCookie)) {
    const auto session = sessions_.find(cookie);
    if (session == sessions_.end()) {
      continue;
    }
    std::string user = user_of(session->second);
    if (!user.empty() && session->second.until > loop_.now()) {
      return user;
    }
    sessions_.erase(session);
  }
  return "";
}

std::optional<net::HttpResponse> TeamAccess::open_session(const net::HttpRequest& request) {
  const std::string token(trim(request.body));
  if (token.empty() || !options_.user_of(token)) {
    return net::HttpResponse{.status = 401, .headers = {}, .body = "401 Unauthorized\n"};
  }
  return make_session({.token = token, .ticket = {}, .until = loop_.now() + kSessionMax});
}

std::optional<net::HttpResponse> TeamAccess::keep_session(const Admission& who) {
  if (who.user.empty()) {
    return std::nullopt;
  }
  if (who.until == HostTime{}) {
    // Known by an existing session, or by a proxy, which names the user each time.
    return net::HttpResponse{
        .content_type = "application/json", .headers = {}, .body = "{\"base\":\"\"}\n"};
  }
  return make_session({.token = {}, .ticket = who.user, .until = who.until});
}

net::HttpResponse TeamAccess::make_session(Session session) {
  const HostTime now = loop_.now();
  std::erase_if(sessions_, [now](const auto& each) { return each.second.until <= now; });
  const auto is_same = [&session](const auto& each) {
    return each.second.token == session.token && each.second.ticket == session.ticket;
  };
  const bool own =
      static_cast<size_t>(std::ranges::count_if(sessions_, is_same)) >= kSessionsOfOneMax;
  if (own || sessions_.size() >= kSessionsMax) {
    auto first = sessions_.end();
    for (auto each = sessions_.begin(); each != sessions_.end(); ++each) {
      const bool may = !own || is_same(*each);
      if (may && (first == sessions_.end() || each->second.until < first->second.until)) {
        first = each;
      }
    }
    sessions_.erase(first);
  }
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(session.until - now);
  const std::string cookie = options_.make_cookie();
  sessions_[cookie] = std::move(session);
  // Lax: a link in a mail opens the page of a job. Such a request only ever reads.
  return net::HttpResponse{
      .content_type = "application/json",
      .headers = {{"Set-Cookie",
                   fmt::format("{}={}; Path=/; Max-Age={}; HttpOnly; SameSite=Lax{}", kTeamCookie,
                               cookie, seconds.count(), options_.secure ? "; Secure" : "")}},
      .body = "{\"base\":\"\"}\n"};
}

}  // namespace muster::page
