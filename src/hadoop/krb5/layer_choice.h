#pragma once

#include "base/result.h"
#include "hadoop/rpc/options.h"

#include <span>
#include <string>
#include <string_view>

namespace muster::hadoop::krb5 {

/// The last step of SASL's GSSAPI dialogue (RFC 4752): the server offers protections for the
/// connection, and the client chooses one.
struct LayerChoice {
  rpc::Protection protection = rpc::Protection::Authentication;
  std::string answer;  ///< Four bytes, to be wrapped.
};

/// Reads the server's four unwrapped bytes and chooses: the first of `wanted` that is offered; the
/// strongest offered if `wanted` is empty. Unauthenticated, naming both sides, when they have
/// nothing in common.
[[nodiscard]] Result<LayerChoice> choose_layer(std::string_view offer,
                                               std::span<const rpc::Protection> wanted);

}  // namespace muster::hadoop::krb5
