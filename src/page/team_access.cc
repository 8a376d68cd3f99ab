#include "page/team_access.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::page {
namespace {

constexpr std::string_view kTeamCookie = "muster-portal";
constexpr std::string_view kBearerWord = "Bearer ";
constexpr size_t kTeamUserMax = 256;

/// "10.0.0.7" of "10.0.0.7:41234", "::1" of "[::1]:80".
std::string_view address_in(std::string_view peer) {
  std::string_view host = peer.substr(0, peer.rfind(':'));
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  }
  constexpr std::string_view kMapped = "::ffff:";
  return host.starts_with(kMapped) ? host.substr(kMapped.size()) : host;
}

/// A name as a proxy gives it; "" for what is none.
std::string user_named(std::string_view header) {
  const std::string_view user = trim(header);
  const bool plain =
      std::ranges::all_of(user, [](char c) { return c > ' ' && c != ',' && c != '\x7f'; });
  return plain && user.size() <= kTeamUserMax ? std::string(user) : std::string();
}

}  // namespace

rt::Async<Admission> TeamAccess::admit(const net::HttpRequest* request, std::string peer) {
  Admission admission{.kind = Admission::Kind::Front, .target = request->target, .location = {}};
  admission.user = user_of(*request, peer);
  if (!admission.user.empty()) {
    admission.kind = Admission::Kind::Job;
  }
  co_return admission;
}

std::string TeamAccess::user_of(const net::HttpRequest& request, std::string_view peer) {
  if (std::ranges::find(options_.proxies, address_in(peer)) != options_.proxies.end()) {
    // Two such headers: one of them may be the browser's own.
    const auto named = std::ranges::count(request.headers, options_.user_header,
                                          &std::pair<std::string, std::string>::first);
    return named == 1 ? user_named(request.header(options_.user_header)) : std::string();
  }
  const std::string_view authorization = request.header("authorization");
  if (authorization.starts_with(kBearerWord)) {
    return options_.user_of(trim(authorization.substr(kBearerWord.size()))).value_or("");
  }
  const auto session = sessions_.find(cookie_of(request, kTeamCookie));
  if (session == sessions_.end()) {
    return "";
  }
  std::string user = options_.user_of(session->second.token).value_or("");
  if (user.empty() || session->second.until <= loop_.now()) {
    sessions_.erase(session);
    return "";
  }
  return user;
}

std::optional<net::HttpResponse> TeamAccess::open_session(const net::HttpRequest& request) {
  const std::string token(trim(request.body));
  if (!options_.user_of(token)) {
    return net::HttpResponse{.status = 401, .headers = {}, .body = "401 Unauthorized\n"};
  }
  const HostTime now = loop_.now();
  std::erase_if(sessions_, [now](const auto& session) { return session.second.until <= now; });
  if (sessions_.size() >= kSessionsMax) {
    sessions_.erase(std::ranges::min_element(
        sessions_, {}, [](const auto& session) { return session.second.until; }));
  }
  const std::string cookie = options_.make_cookie();
  sessions_[cookie] = {.token = token, .until = now + kSessionMax};
  // Lax: a link in a mail opens the page of a job. What it asks for is only ever read.
  return net::HttpResponse{
      .content_type = "application/json",
      .headers = {{"Set-Cookie",
                   fmt::format("{}={}; Path=/; Max-Age={}; HttpOnly; SameSite=Lax{}", kTeamCookie,
                               cookie, std::chrono::seconds(std::chrono::hours(12)).count(),
                               options_.secure ? "; Secure" : "")}},
      .body = "{\"base\":\"\"}\n"};
}

}  // namespace muster::page
