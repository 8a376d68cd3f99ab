#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace muster::cluster::yarn {

/// The SHA-256 of bytes that come in pieces.
class ContentHash {
 public:
  ContentHash();
  ContentHash(ContentHash&&) = delete;
  ~ContentHash();

  void add(std::string_view bytes);
  /// Returns 64 hex digits. Called once, last.
  [[nodiscard]] std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::cluster::yarn
