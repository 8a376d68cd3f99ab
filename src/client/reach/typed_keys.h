#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace muster::client {

/// What has been typed into a shell, in order: what is still to be sent, and of what was sent as
/// much as may have been lost with a connection. A value.
class TypedKeys {
 public:
  void add(std::string_view bytes) { kept_ += bytes; }
  /// What is to be sent next; empty if there is nothing. Valid until the next call.
  [[nodiscard]] std::string_view unsent(size_t bytes_max) const {
    return std::string_view(kept_).substr(sent_, bytes_max);
  }
  [[nodiscard]] bool all_sent() const { return sent_ == kept_.size(); }
  /// So much of it has been sent. More than a stream's window before that has come for sure.
  void sent(size_t bytes);
  /// There is another stream to a shell that has got so much of all that was typed: what is missing
  /// is to be sent again. A number that cannot be is taken for the nearest that can.
  void resume(uint64_t taken);
  /// There is another stream, and what came of what was sent cannot be known: it is not sent again,
  /// and counted no more.
  void restart();

 private:
  void forget(size_t bytes);

  std::string kept_;
  size_t sent_ = 0;         ///< Of what is kept.
  uint64_t forgotten_ = 0;  ///< Before what is kept.
};

}  // namespace muster::client
