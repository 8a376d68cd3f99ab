#pragma once

#include "base/result.h"
#include "base/time.h"
#include "rt/async.h"

#include <string>

namespace muster::page {

/// Whom a token of HTTP's scheme "Negotiate" names (RFC 4559).
struct Negotiated {
  std::string user;
  std::string answer;  ///< For the client; bytes.
  Duration valid{};    ///< For how long that may count.
};

/// Knows people by tokens that their tickets make.
class Negotiator {
 public:
  virtual ~Negotiator() = default;
  /// The error says why the token names nobody. May take some seconds.
  [[nodiscard]] virtual rt::Async<Result<Negotiated>> negotiate(std::string token) = 0;
};

}  // namespace muster::page
