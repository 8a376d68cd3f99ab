#include "client/reach/socks.h"

#include <fmt/format.h>

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cstdint>
#include <netinet/in.h>
#include <span>
#include <vector>

namespace muster::client {
namespace {

constexpr uint8_t kVersion = 5;
constexpr uint8_t kNoAuthentication = 0;
constexpr uint8_t kNoMethod = 0xff;
constexpr uint8_t kConnect = 1;
constexpr uint8_t kIpv4 = 1;
constexpr uint8_t kName = 3;
constexpr uint8_t kIpv6 = 4;

constexpr char kGranted = 0;
constexpr char kHostUnreachable = 4;
constexpr char kNoSuchCommand = 7;
constexpr char kNoSuchAddress = 8;

/// Makes an answer; the address in it means nothing.
std::string answer(char status) {
  return std::string({kVersion, status, 0, kIpv4, 0, 0, 0, 0, 0, 0});
}

Error not_socks() { return user_error("a program connected that does not speak SOCKS 5"); }

rt::Async<Status> say(net::Stream* stream, std::string text) {
  const std::span bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  co_return co_await stream->write(bytes);
}

/// Reads the authentication methods that the program offers, and accepts only none at all.
rt::Async<Status> greet(net::Stream* stream) {
  std::array<uint8_t, 2> head{};
  MUSTER_CO_TRY_STATUS(co_await stream->read_exactly(head));
  if (head[0] != kVersion) {
    co_return not_socks();
  }
  std::vector<uint8_t> offered(head[1]);
  MUSTER_CO_TRY_STATUS(co_await stream->read_exactly(offered));
  const bool open = std::ranges::find(offered, kNoAuthentication) != offered.end();
  const uint8_t method = open ? kNoAuthentication : kNoMethod;
  MUSTER_CO_TRY_STATUS(
      co_await say(stream, std::string({char{kVersion}, static_cast<char>(method)})));
  co_return open
      ? Status()
      : Status(user_error("a program wants to authenticate, which is not possible here"));
}

/// Reads `size` bytes and the port after them.
rt::Async<Result<net::HostPort>> read_place(net::Stream* stream, uint8_t kind, size_t size) {
  std::vector<uint8_t> bytes(size + 2);
  MUSTER_CO_TRY_STATUS(co_await stream->read_exactly(bytes));
  net::HostPort place;
  place.port = static_cast<uint16_t>(bytes[size] << 8U | bytes[size + 1]);
  if (kind == kName) {
    place.host.assign(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size));
  } else {
    std::array<char, INET6_ADDRSTRLEN> text{};
    ::inet_ntop(kind == kIpv4 ? AF_INET : AF_INET6, bytes.data(), text.data(), text.size());
    place.host = text.data();
  }
  co_return place;
}

}  // namespace

rt::Async<Result<net::HostPort>> read_socks_request(net::Stream* stream) {
  MUSTER_CO_TRY_STATUS(co_await greet(stream));
  std::array<uint8_t, 4> head{};
  MUSTER_CO_TRY_STATUS(co_await stream->read_exactly(head));
  if (head[0] != kVersion) {
    co_return not_socks();
  }
  if (head[1] != kConnect) {
    (void)co_await say(stream, answer(kNoSuchCommand));
    co_return user_error("a program asks for something other than a TCP connection");
  }
  size_t size = head[3] == kIpv4 ? sizeof(in_addr) : sizeof(in6_addr);
  if (head[3] == kName) {
    std::array<uint8_t, 1> length{};
    MUSTER_CO_TRY_STATUS(co_await stream->read_exactly(length));
    size = length[0];
  } else if (head[3] != kIpv4 && head[3] != kIpv6) {
    (void)co_await say(stream, answer(kNoSuchAddress));
    co_return not_socks();
  }
  MUSTER_CO_TRY(net::HostPort place, co_await read_place(stream, head[3], size));
  if (place.port == 0 || place.host.empty()) {
    (void)co_await say(stream, answer(kHostUnreachable));
    co_return user_error("a program names no host and port");
  }
  co_return place;
}

std::string socks_granted() { return answer(kGranted); }

std::string socks_refused() { return answer(kHostUnreachable); }

}  // namespace muster::client
