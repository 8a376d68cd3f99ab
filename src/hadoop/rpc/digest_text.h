#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::hadoop::rpc {

/// The directives of a DIGEST-MD5 challenge or response (RFC 2831, 7.1), in their order: names in
/// lower case, values without quotes.
class Directives {
 public:
  /// Parses `realm="default",nonce="..",qop="auth"`. Corrupt, saying what is wrong, otherwise.
  [[nodiscard]] static Result<Directives> parse(std::string_view text);

  /// The first value of `name`; empty if there is none.
  [[nodiscard]] std::string_view find(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const;
  /// The words of a list such as `auth-conf,auth`, in order.
  [[nodiscard]] std::vector<std::string_view> list(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::string>> values_;
};

/// Returns `value` in quotes, with what needs it escaped.
[[nodiscard]] std::string in_quotes(std::string_view value);

}  // namespace muster::hadoop::rpc
