#pragma once

#include "base/result.h"
#include "base/time.h"
#include "rt/async.h"

#include <string>

namespace muster::page {

/// Whom a token of the HTTP scheme "Negotiate" identifies (RFC 4559).
struct Negotiated {
  std::string user;
  std::string answer;  ///< For the client; bytes.
  Duration valid{};    ///< How long that counts.
};

/// Identifies people by tokens made from their Kerberos tickets.
class Negotiator {
 public:
  virtual ~Negotiator() = default;
  /// The error says why the token identifies nobody. May take some seconds.
  [[nodiscard]] virtual rt::Async<Result<Negotiated>> negotiate(std::string token) = 0;
};

}  // namespace muster::page
