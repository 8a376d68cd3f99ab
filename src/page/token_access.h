#pragma once

#include "page/access.h"

#include <string>

namespace muster::page {

/// What the link's token and the session consist of; all of it in hex.
struct TokenKeys {
  std::string token;
  std::string cookie;
  std::string path;
  std::string owner;  ///< "" if nobody can stop anything.
};

/// Lets in those who bring the token of the job's link. The token comes in a POST and is exchanged
/// for a cookie (HttpOnly, SameSite=Strict) that the browser sends only below `/v/PATH/`: cookies
/// are not tied to ports, so without that path another user's site on the same host would be sent
/// it, too. Programs such as Prometheus bring the token with each request: `Authorization: Bearer
/// TOKEN`.
class TokenAccess final : public Access {
 public:
  explicit TokenAccess(TokenKeys keys);

  [[nodiscard]] rt::Async<Admission> admit(const net::HttpRequest* request,
                                           std::string peer) override;
  [[nodiscard]] bool is_known(const net::HttpRequest& head, const std::string& peer) override;
  [[nodiscard]] std::optional<net::HttpResponse> open_session(
      const net::HttpRequest& request) override;
  [[nodiscard]] bool is_owner(const net::HttpRequest& request) const override;

 private:
  [[nodiscard]] bool bears_token(const net::HttpRequest& request) const;

  TokenKeys keys_;
  std::string base_;  ///< "v/PATH/"
};

}  // namespace muster::page
