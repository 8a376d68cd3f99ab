#pragma once

#include <optional>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>

namespace muster::rt {

/// The address of a Unix socket, in the form that bind() and connect() take. A value.
class UnixAddress {
 public:
  /// The longest path of a socket, and the longest abstract name, in bytes.
  static constexpr size_t kBytesMax = sizeof(sockaddr_un::sun_path) - 1;

  /// Makes the address of a file; nullopt if its path is longer than a socket's may be.
  [[nodiscard]] static std::optional<UnixAddress> of_file(std::string_view path);
  /// Makes an abstract address, which only one socket of the network namespace can have; what
  /// exceeds kBytesMax is cut off.
  [[nodiscard]] static UnixAddress of_name(std::string_view name);

  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address_); }
  [[nodiscard]] socklen_t size() const { return size_; }

 private:
  UnixAddress(std::string_view text, bool is_name);

  sockaddr_un address_{};
  socklen_t size_ = 0;
};

}  // namespace muster::rt
