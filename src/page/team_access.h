#pragma once

#include "base/time.h"
#include "page/access.h"
#include "page/negotiator.h"
#include "rt/loop.h"

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::page {

/// Identifies who asks a portal that serves several people: by a token of their own, which they
/// exchange for a session cookie or bring with each request (`Authorization: Bearer`); by a
/// Kerberos ticket (`Authorization: Negotiate`), for which a session can be kept, too; or by a
/// header set by a proxy that has identified them. The header counts only if the connection comes
/// from one of the proxies' addresses, and there nothing else counts. Anyone unidentified gets only
/// the front files.
class TeamAccess final : public Access {
 public:
  struct Options {
    /// Returns whose token that is at this moment; nullopt if it is nobody's.
    std::function<std::optional<std::string>(std::string_view token)> user_of;
    std::function<std::string()> make_cookie;  ///< Unguessable, [0-9a-f].
    std::vector<std::string> proxies;          ///< IP addresses.
    std::string user_header;                   ///< Lower case.
    bool secure = false;                       ///< Browsers connect by TLS.
  };

  TeamAccess(rt::Loop& loop, Options options) : loop_(loop), options_(std::move(options)) {}

  /// From now on tickets are judged by `negotiator`, which must outlive this.
  void judge_tickets(Negotiator& negotiator) { negotiator_ = &negotiator; }

  [[nodiscard]] rt::Async<Admission> admit(const net::HttpRequest* request,
                                           std::string peer) override;
  /// Tickets do not count here, since judging one takes time.
  [[nodiscard]] bool is_known(const net::HttpRequest& head, const std::string& peer) override;
  /// The body is the token.
  [[nodiscard]] std::optional<net::HttpResponse> open_session(
      const net::HttpRequest& request) override;

  /// For those who came with a ticket or are in a session; 401 for anyone else.
  [[nodiscard]] std::optional<net::HttpResponse> keep_session(const Admission& who) override;

  /// A session ends this long after it began, or with its token or ticket, or with the process.
  static constexpr Duration kSessionMax = std::chrono::hours(12);
  static constexpr size_t kSessionsMax = 10'000;
  /// Sessions of one token, or of one user's tickets: opening more closes the same user's oldest.
  static constexpr size_t kSessionsOfOneMax = 100;
  /// Tickets that are being judged, or waiting for it; any more are refused at once. Each occupies
  /// one of the server's places, of which there are more, and anybody can send something that looks
  /// like a ticket.
  static constexpr size_t kTicketsMax = 64;
  static constexpr size_t kTicketsOfAddressMax = 16;

 private:
  struct Session {
    std::string token;   ///< "" for a session by ticket.
    std::string ticket;  ///< The user of that ticket.
    HostTime until{};
  };

  class Judging;

  [[nodiscard]] bool is_proxy(std::string_view peer) const;
  [[nodiscard]] std::string user_of(const net::HttpRequest& request, std::string_view peer);
  [[nodiscard]] std::string user_of(const Session& session) const;
  [[nodiscard]] rt::Async<> negotiate(std::string header, std::string address,
                                      Admission* admission);
  [[nodiscard]] bool has_room_for_ticket(const std::string& address) const;
  [[nodiscard]] net::HttpResponse make_session(Session session);

  rt::Loop& loop_;
  Options options_;
  Negotiator* negotiator_ = nullptr;                      ///< None: tickets do not count.
  std::map<std::string, size_t> judging_;                 ///< Tickets being judged, by address.
  std::map<std::string, Session, std::less<>> sessions_;  ///< By cookie.
};

}  // namespace muster::page
