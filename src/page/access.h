#pragma once

#include "base/time.h"
#include "net/http.h"
#include "net/http_server.h"
#include "rt/async.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::page {

/// What a request may see.
struct Admission {
  enum class Kind : uint8_t {
    Job,        ///< Everything, reading.
    Front,      ///< Only what is the same for every job: the page's own files.
    Refused,    ///< Nothing: the person is known, but not allowed.
    Elsewhere,  ///< It must ask at `location`.
  };
  Kind kind = Kind::Refused;
  std::string target;    ///< Of the page itself, without the prefix of the access.
  std::string location;  ///< For Elsewhere.
  std::string prefix{};  ///< What a browser puts before `target`: "/v/0123abc".
  std::string user{};    ///< Who asks, if known.
  HostTime until{};      ///< For a ticket just shown: how long it counts.
  /// Headers that every answer to this request must carry.
  net::HttpHeaders headers{};
  /// The request's Authorization is what admits it; it must not be passed on.
  bool by_authorization = false;
  std::string refusal{};  ///< Why its credentials were rejected; "" if it had none.
};

/// Decides who may see the page.
class Access {
 public:
  virtual ~Access() = default;
  /// `peer`: "10.0.0.7:41234". The request outlives the coroutine.
  [[nodiscard]] virtual rt::Async<Admission> admit(const net::HttpRequest* request,
                                                   std::string peer) = 0;
  /// Returns whether a request of which only the head has come is from somebody known; anyone else
  /// may send no more than a token. Looks only at what the request brings, and asks no other
  /// service.
  [[nodiscard]] virtual bool is_known(const net::HttpRequest& head, const std::string& peer) = 0;
  /// Exchanges the token in a request's body for a session; nullopt where there are no sessions.
  [[nodiscard]] virtual std::optional<net::HttpResponse> open_session(
      const net::HttpRequest& request) = 0;
  /// Keeps a session for somebody who is known already, so that they need not bring their
  /// credentials each time; nullopt if the request is from nobody known.
  [[nodiscard]] virtual std::optional<net::HttpResponse> keep_session(const Admission& who) {
    (void)who;
    return std::nullopt;
  }
  /// Returns whether a request's body proves that it is the owner's; never true where only looking
  /// is possible.
  [[nodiscard]] virtual bool is_owner(const net::HttpRequest& request) const {
    (void)request;
    return false;
  }
};

/// Returns how long bodies may be for a server whose users `access` knows; it outlives the server.
/// Unknown clients may send little, because a hundred of them might each keep a body half sent.
[[nodiscard]] net::HttpServer::BodyMax body_max_by(Access& access);

/// Compares in constant time: how long it takes does not reveal where the difference is.
[[nodiscard]] bool same_secret(std::string_view one, std::string_view other);

/// Returns whether the request has that cookie with that value. A browser sends every cookie of a
/// name that was set for the address or for a folder above it, even by a page of a task.
[[nodiscard]] bool has_cookie(const net::HttpRequest& request, std::string_view name,
                              std::string_view secret);

/// Returns the values of all cookies of that name, in the browser's order.
[[nodiscard]] std::vector<std::string_view> cookies_of(const net::HttpRequest& request,
                                                       std::string_view name);

/// Returns the value of a cookie of the request; "" if it has none of that name.
[[nodiscard]] std::string_view cookie_of(const net::HttpRequest& request, std::string_view name);

}  // namespace muster::page
