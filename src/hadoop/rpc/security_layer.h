#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace muster::hadoop::rpc {

/// What guards the messages of one connection after the SASL dialogue: MACs (integrity) or
/// encryption with MACs (privacy). Each direction counts its messages: one layer belongs to one
/// connection, and messages are wrapped and unwrapped in the order of the wire.
class SecurityLayer {
 public:
  virtual ~SecurityLayer() = default;
  /// Appends the token that carries `plain` to `out`.
  virtual void wrap(std::string_view plain, std::string& out) = 0;
  /// Appends what `token` carries to `out`. Corrupt if it was changed, repeated or lost; the
  /// connection is then unusable.
  [[nodiscard]] virtual Status unwrap(std::string_view token, std::string& out) = 0;
};

}  // namespace muster::hadoop::rpc
