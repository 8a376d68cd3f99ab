#include "os/host/peer_user.h"

#include "os/host/proc_text.h"
#include "rt/fd.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <vector>

namespace muster::os {
namespace {

constexpr uint8_t kListening = 10;  // TCP_LISTEN of the kernel's net/tcp_states.h.

Error nobody() { return {Errc::NotFound, Blame::User, "nobody holds the other end"}; }

/// Returns the user of the program that holds the socket with these ends; NotFound if there is
/// none, Unsupported if the kernel does not say. Takes the same short time however many connections
/// others have made.
Result<uint32_t> ask_kernel(const sockaddr_in& local, const sockaddr_in& remote) {
  struct {
    nlmsghdr head;
    inet_diag_req_v2 asked;
  } question{};
  question.head.nlmsg_len = sizeof(question);
  question.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.head.nlmsg_flags = NLM_F_REQUEST;
  question.asked.sdiag_family = AF_INET;
  question.asked.sdiag_protocol = IPPROTO_TCP;
  question.asked.idiag_states = UINT32_MAX;
  inet_diag_sockid& ends = question.asked.id;
  ends.idiag_sport = local.sin_port;
  ends.idiag_dport = remote.sin_port;
  ends.idiag_src[0] = local.sin_addr.s_addr;
  ends.idiag_dst[0] = remote.sin_addr.s_addr;
  ends.idiag_cookie[0] = ends.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  struct {
    nlmsghdr head;
    inet_diag_msg found;
    std::array<char, 1024> attributes;
  } answer{};
  const rt::Fd kernel(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  constexpr ssize_t kAnswerMin = sizeof(answer.head) + sizeof(answer.found);
  if (!kernel.valid() || ::send(kernel.get(), &question, sizeof(question), 0) < 0 ||
      ::recv(kernel.get(), &answer, sizeof(answer), MSG_DONTWAIT) < kAnswerMin ||
      answer.head.nlmsg_type != SOCK_DIAG_BY_FAMILY || answer.found.idiag_state == kListening) {
    return Error{Errc::Unsupported, Blame::Cluster, "the kernel tells of no such connection"};
  }
  if (answer.found.idiag_inode == 0) {
    return nobody();
  }
  return answer.found.idiag_uid;
}

struct Table {
  const char* path;
  const char* prefix;  ///< Before an IPv4 address.
};
/// A program may also connect to such an address with an IPv6 socket.
constexpr std::array kTables = {
    Table{.path = "/proc/net/tcp", .prefix = ""},
    Table{.path = "/proc/net/tcp6", .prefix = "0000000000000000FFFF0000"}};

/// Formats the address as the table does.
std::string text_of(const Table& table, const sockaddr_in& address) {
  return fmt::format("{}{:08X}:{:04X}", table.prefix, address.sin_addr.s_addr,
                     ntohs(address.sin_port));
}

/// Returns the user who holds the socket with these ends. A socket that remains only until its last
/// bytes have been sent has no owner, and the table shows it as root's.
std::optional<uint32_t> holder_in(std::istream& table, std::string_view local,
                                  std::string_view remote) {
  constexpr size_t kUser = 7;
  constexpr size_t kInode = 9;
  std::string line;
  while (std::getline(table, line)) {
    if (line.find(local) == std::string::npos) {
      continue;
    }
    const std::vector<std::string_view> fields = columns_of(line);
    uint32_t user = 0;
    if (fields.size() > kInode && fields[1] == local && fields[2] == remote &&
        fields[kInode] != "0" &&
        std::from_chars(fields[kUser].data(), fields[kUser].data() + fields[kUser].size(), user)
                .ec == std::errc()) {
      return user;
    }
  }
  return std::nullopt;
}

}  // namespace

Result<uint32_t> peer_user(int connection) {
  sockaddr_in here{};
  sockaddr_in there{};
  socklen_t size = sizeof(here);
  if (::getsockname(connection, reinterpret_cast<sockaddr*>(&here), &size) != 0) {
    return system_error(errno, "a connection");
  }
  size = sizeof(there);
  if (::getpeername(connection, reinterpret_cast<sockaddr*>(&there), &size) != 0) {
    return Error{Errc::NotFound, Blame::User, "a connection has ended"};
  }
  Result<uint32_t> holder = ask_kernel(there, here);
  if (holder || holder.error().code == Errc::NotFound) {
    return holder;
  }
  if (ask_kernel(here, there)) {
    return nobody();  // The kernel knows our end, so it would know the other.
  }
  bool told = false;
  for (const Table& table : kTables) {
    std::ifstream lines(table.path);
    told = told || lines.good();
    if (const auto user = holder_in(lines, text_of(table, there), text_of(table, here))) {
      return *user;
    }
  }
  return told ? nobody() : Error{Errc::Unsupported, Blame::Cluster, "/proc/net/tcp cannot be read"};
}

}  // namespace muster::os
