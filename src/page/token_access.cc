#include "page/token_access.h"

#include "base/text.h"

#include <fmt/format.h>

#include <utility>

namespace muster::page {
namespace {

constexpr std::string_view kCookie = "muster-page";
constexpr std::string_view kBearer = "Bearer ";

}  // namespace

TokenAccess::TokenAccess(TokenKeys keys)
    : keys_(std::move(keys)), base_(fmt::format("v/{}/", keys_.path)) {}

/// Programs that have no cookies send the token itself.
bool TokenAccess::bears_token(const net::HttpRequest& request) const {
  const std::string_view authorization = request.header("authorization");
  return authorization.starts_with(kBearer) &&
         same_secret(trim(authorization.substr(kBearer.size())), keys_.token);
}

bool TokenAccess::is_known(const net::HttpRequest& head, const std::string& peer) {
  (void)peer;
  return bears_token(head) || has_cookie(head, kCookie, keys_.cookie);
}

rt::Async<Admission> TokenAccess::admit(const net::HttpRequest* request, std::string) {
  const std::string_view target = request->target;
  if (bears_token(*request)) {
    co_return Admission{.kind = Admission::Kind::Job,
                        .target = request->target,
                        .location = {},
                        .by_authorization = true};
  }
  if (!target.substr(1).starts_with(base_)) {
    co_return Admission{.kind = Admission::Kind::Front, .target = request->target, .location = {}};
  }
  const bool known = has_cookie(*request, kCookie, keys_.cookie);
  co_return Admission{.kind = known ? Admission::Kind::Job : Admission::Kind::Front,
                      .target = std::string(target.substr(base_.size())),
                      .location = {},
                      .prefix = "/" + base_.substr(0, base_.size() - 1)};
}

std::optional<net::HttpResponse> TokenAccess::open_session(const net::HttpRequest& request) {
  if (!same_secret(trim(request.body), keys_.token)) {
    return net::HttpResponse{.status = 401, .headers = {}, .body = "401 Unauthorized\n"};
  }
  return net::HttpResponse{
      .content_type = "application/json",
      .headers = {{"Set-Cookie", fmt::format("{}={}; Path=/{}; HttpOnly; SameSite=Strict", kCookie,
                                             keys_.cookie, base_)}},
      .body = fmt::format("{{\"base\":\"{}\"}}\n", base_)};
}

bool TokenAccess::is_owner(const net::HttpRequest& request) const {
  return !keys_.owner.empty() && same_secret(trim(request.body), keys_.owner);
}

}  // namespace muster::page
