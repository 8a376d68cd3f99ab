#include "os/process/start_request.h"

#include "base/text.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <sys/socket.h>
#include <sys/uio.h>

namespace muster::os {
namespace {

/// The first byte of a message says whether its last descriptor is the program's output.
constexpr std::string_view kQuiet = "q";
constexpr std::string_view kWithOutput = "o";

using Control = std::array<char, CMSG_SPACE(kStartFdsMax * sizeof(int))>;

}  // namespace

Result<std::pair<rt::Fd, rt::Fd>> make_start_socket() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return system_error(errno, "cannot create a socket pair");
  }
  return std::pair{rt::Fd(ends[0]), rt::Fd(ends[1])};
}

Status send_start_request(int socket, const StartRequest& request) {
  std::string text(request.output_fd < 0 ? kQuiet : kWithOutput);
  std::vector<int> fds = request.fds;
  if (request.output_fd >= 0) {
    fds.push_back(request.output_fd);
  }
  for (const std::string& argument : request.argv) {
    text.append(argument).push_back('\0');
  }
  if (text.size() > kStartBytesMax || fds.size() > kStartFdsMax || request.argv.empty()) {
    return user_error("a program to be started has too many arguments or descriptors");
  }
  iovec bytes{text.data(), text.size()};
  alignas(cmsghdr) Control control{};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  if (!fds.empty()) {
    const size_t length = fds.size() * sizeof(int);
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(length);
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(length);
    std::memcpy(CMSG_DATA(header), fds.data(), length);
  }
  if (::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
    Error error = system_error(errno, "cannot reach the process that starts programs");
    error.code = Errc::Unavailable;
    return error;
  }
  return {};
}

Result<ReceivedStart> receive_start_request(int socket) {
  std::string text(kStartBytesMax, '\0');
  iovec bytes{text.data(), text.size()};
  alignas(cmsghdr) Control control{};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  ReceivedStart received;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); got > 0 && header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) {
      continue;
    }
    const size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof fd);
      received.fds.emplace_back(fd);
    }
  }
  if (got <= 0) {
    return Error{Errc::Unavailable, Blame::Cluster, "the sender of start requests is gone"};
  }
  text.resize(static_cast<size_t>(got));
  const bool with_output = text.starts_with(kWithOutput);
  if (text.size() < 2 || text.back() != '\0' || (with_output && received.fds.empty())) {
    return user_error("malformed request to start a program");
  }
  if (with_output) {
    received.output = std::move(received.fds.back());
    received.fds.pop_back();
  }
  text.erase(0, 1);
  text.pop_back();
  for (const std::string_view argument : split(text, '\0')) {
    received.argv.emplace_back(argument);
  }
  return received;
}

}  // namespace muster::os
