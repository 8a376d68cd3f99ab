#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace muster::client {

/// What has been typed into a shell, in order: what is still to be sent, and as much of what was
/// sent as may have been lost with a connection. A value.
class TypedKeys {
 public:
  void add(std::string_view bytes) { kept_ += bytes; }
  /// What is to be sent next; empty if there is nothing. Valid until the next call.
  [[nodiscard]] std::string_view unsent(size_t bytes_max) const {
    return std::string_view(kept_).substr(sent_, bytes_max);
  }
  [[nodiscard]] bool all_sent() const { return sent_ == kept_.size(); }
  /// That much of it has been sent. Whatever lies more than a stream's window further back has
  /// certainly arrived.
  void sent(size_t bytes);
  /// There is another stream to a shell that has received `taken` bytes of everything typed: what
  /// is missing is to be sent again. An impossible number is replaced by the nearest possible one.
  void resume(uint64_t taken);
  /// There is another stream, and how much of what was sent has arrived cannot be known: it is not
  /// sent again, and no longer counted.
  void restart();

 private:
  void forget(size_t bytes);

  std::string kept_;
  size_t sent_ = 0;         ///< Of what is kept.
  uint64_t forgotten_ = 0;  ///< Before what is kept.
};

}  // namespace muster::client
