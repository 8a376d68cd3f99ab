#include "net/client_hello.h"

#include "net/ready.h"

#include <poll.h>
#include <string>
#include <sys/socket.h>

namespace muster::net {
namespace {

constexpr size_t kRecordHeader = 5;
constexpr uint8_t kClientHello = 1;
constexpr size_t kPreSharedKey = 41;

/// Takes parts off the front of a message. Once a part is missing, everything after it is empty.
class Parts {
 public:
  explicit Parts(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] bool whole() const { return whole_; }
  [[nodiscard]] bool empty() const { return rest_.empty(); }

  std::string_view take(size_t size) {
    if (size > rest_.size()) {
      whole_ = false;
      rest_ = {};
      return {};
    }
    const std::string_view part = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return part;
  }
  /// Returns a number of this many bytes, highest first.
  size_t number(size_t size) {
    size_t value = 0;
    for (const char byte : take(size)) {
      value = (value << 8U) + static_cast<uint8_t>(byte);
    }
    return value;
  }
  /// Returns the part after its length, which is a number of this many bytes.
  std::string_view counted(size_t size) { return take(number(size)); }

 private:
  std::string_view rest_;
  bool whole_ = true;
};

/// Waits until `size` bytes can be read; returns them without taking them, or fewer at the end.
rt::Async<std::string> peek_whole(rt::IoLoop* loop, int fd, size_t size) {
  std::string buffer(size, '\0');
  const int low_water = static_cast<int>(size);
  ::setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &low_water, sizeof(low_water));
  while (true) {
    const ssize_t got = ::recv(fd, buffer.data(), buffer.size(), MSG_PEEK | MSG_DONTWAIT);
    const size_t there = got > 0 ? static_cast<size_t>(got) : 0;
    pollfd end{.fd = fd, .events = POLLRDHUP, .revents = 0};
    if (there == size || ::poll(&end, 1, 0) > 0) {
      const int one = 1;
      ::setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &one, sizeof(one));
      buffer.resize(there);
      co_return buffer;
    }
    co_await Ready(*loop, fd, rt::Interest::Read);
  }
}

}  // namespace

rt::Async<Hello> await_client_hello(rt::IoLoop* loop, int fd, size_t size_max) {
  const std::string header = co_await peek_whole(loop, fd, kRecordHeader);
  if (header.size() < kRecordHeader) {
    co_return Hello::Broken;
  }
  const size_t size = (size_t{static_cast<uint8_t>(header[3])} << 8U) +
                      static_cast<uint8_t>(header[4]) + kRecordHeader;
  if (size > size_max) {
    co_return Hello::TooLong;
  }
  const std::string hello = co_await peek_whole(loop, fd, size);
  co_return hello.size() < size ? Hello::Broken : Hello::Whole;
}

std::optional<std::string_view> psk_identity_of(std::string_view record) {
  Parts outer(record);
  const bool is_handshake = outer.take(1) == std::string_view(&kTlsHandshake, 1);
  outer.take(2);  // The record version no longer means anything.
  Parts message(outer.counted(2));
  const bool is_hello = is_handshake && message.number(1) == kClientHello;
  Parts hello(message.counted(3));
  hello.take(2 + 32);  // The version, equally meaningless, and the random bytes.
  hello.counted(1);    // The session.
  hello.counted(2);    // Ciphers.
  hello.counted(1);    // Compression.
  Parts extensions(hello.counted(2));
  while (is_hello && extensions.whole() && !extensions.empty()) {
    const size_t type = extensions.number(2);
    Parts offer(extensions.counted(2));
    if (type == kPreSharedKey && extensions.whole()) {
      Parts identities(offer.counted(2));
      const std::string_view first = identities.counted(2);
      return identities.whole() && !first.empty() ? std::optional(first) : std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<std::string> peek_psk_identity(int fd, size_t size_max) {
  std::string record(size_max, '\0');
  const ssize_t got = ::recv(fd, record.data(), record.size(), MSG_PEEK | MSG_DONTWAIT);
  record.resize(got > 0 ? static_cast<size_t>(got) : 0);
  const auto identity = psk_identity_of(record);
  return identity ? std::optional<std::string>(*identity) : std::nullopt;
}

}  // namespace muster::net
