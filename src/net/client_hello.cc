#include "net/client_hello.h"

#include "net/ready.h"

#include <poll.h>
#include <string>
#include <sys/socket.h>

namespace muster::net {
namespace {

constexpr size_t kRecordHeader = 5;

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

}  // namespace muster::net
