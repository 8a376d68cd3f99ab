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
    Front,      ///< Only what is the same for every job: the document, its style and program.
    Refused,    ///< Nothing: somebody is known, and may not.
    Elsewhere,  ///< It must ask at `location`.
  };
  Kind kind = Kind::Refused;
  std::string target;    ///< Of the page's own: what stands before it is the access's.
  std::string location;  ///< Of Elsewhere.
  std::string prefix{};  ///< What a browser puts before `target`: "/v/0123abc".
  std::string user{};    ///< Who asks, where that is known.
  HostTime until{};      ///< By a ticket that was just shown: as long as that may count.
  /// What every answer to this request must have with it.
  net::HttpHeaders headers{};
  /// The request's Authorization is what admits it: nobody else's business.
  bool by_authorization = false;
  std::string refusal{};  ///< Why what it brought names nobody; "" if it brought nothing.
};

/// Decides who sees the page.
class Access {
 public:
  virtual ~Access() = default;
  /// `peer`: "10.0.0.7:41234". The request outlives the coroutine.
  [[nodiscard]] virtual rt::Async<Admission> admit(const net::HttpRequest* request,
                                                   std::string peer) = 0;
  /// Whether a request is from somebody known, of which only the head has come: who is not may send
  /// no more than a token. Looks at what the request brings; asks nobody.
  [[nodiscard]] virtual bool is_known(const net::HttpRequest& head, const std::string& peer) = 0;
  /// Exchanges the token in a request's body for a session; nullopt where there are no sessions.
  [[nodiscard]] virtual std::optional<net::HttpResponse> open_session(
      const net::HttpRequest& request) = 0;
  /// A session for somebody who is known already, by something that they need not bring each time;
  /// nullopt where nobody is.
  [[nodiscard]] virtual std::optional<net::HttpResponse> keep_session(const Admission& who) {
    (void)who;
    return std::nullopt;
  }
  /// Whether a request's body proves that it is the owner's: never, where only looking is possible.
  [[nodiscard]] virtual bool is_owner(const net::HttpRequest& request) const {
    (void)request;
    return false;
  }
};

/// How long bodies may be for a server whose people `access` knows; it outlives the server. Who is
/// not known may send little: what one may keep half sent, a hundred may.
[[nodiscard]] net::HttpServer::BodyMax body_max_by(Access& access);

/// Compares without telling by its time where the difference is.
[[nodiscard]] bool same_secret(std::string_view one, std::string_view other);

/// Whether the request has that cookie with that value: a browser sends all cookies of a name that
/// it was given for the address or for a folder above it, by a page of a task too.
[[nodiscard]] bool has_cookie(const net::HttpRequest& request, std::string_view name,
                              std::string_view secret);

/// The values of all cookies of that name, in the browser's order.
[[nodiscard]] std::vector<std::string_view> cookies_of(const net::HttpRequest& request,
                                                       std::string_view name);

/// Returns the value of a cookie of the request; "" if it has none of that name.
[[nodiscard]] std::string_view cookie_of(const net::HttpRequest& request, std::string_view name);

}  // namespace muster::page
