#pragma once

#include "hadoop/rpc/options.h"
#include "hadoop/token.h"

#include <optional>
#include <utility>

namespace muster::hadoop::yarn {

/// A token that is replaced while connections use it: an application master's own. New connections
/// use the newest; open ones stay valid.
class HeldToken {
 public:
  explicit HeldToken(Token token) : token_(std::move(token)) {}

  [[nodiscard]] const Token& get() const { return token_; }
  void replace(Token token) { token_ = std::move(token); }
  /// For a connection's Target; must not outlive this object.
  [[nodiscard]] rpc::TokenFinder finder() const {
    return [this](const rpc::TokenQuery&) {
      return std::optional(
          rpc::TokenSecret{.identifier = token_.identifier, .password = token_.password.reveal()});
    };
  }

 private:
  Token token_;
};

}  // namespace muster::hadoop::yarn
