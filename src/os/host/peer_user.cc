#include "os/host/peer_user.h"

#include "os/host/proc_text.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <vector>

namespace muster::os {
namespace {

struct Table {
  const char* path;
  const char* prefix;  ///< Before an address of IPv4.
};
/// A program may connect to such an address by a socket of IPv6, too.
constexpr std::array kTables = {
    Table{.path = "/proc/net/tcp", .prefix = ""},
    Table{.path = "/proc/net/tcp6", .prefix = "0000000000000000FFFF0000"}};

/// As the table has it.
std::string text_of(const Table& table, const sockaddr_in& address) {
  return fmt::format("{}{:08X}:{:04X}", table.prefix, address.sin_addr.s_addr,
                     ntohs(address.sin_port));
}

/// Who holds the socket with these ends. Nobody has one that is only there until the last bytes
/// have gone, and it counts as root's.
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
  bool told = false;
  for (const Table& table : kTables) {
    std::ifstream lines(table.path);
    told = told || lines.good();
    if (const auto user = holder_in(lines, text_of(table, there), text_of(table, here))) {
      return *user;
    }
  }
  return told ? Error{Errc::NotFound, Blame::User, "nobody holds the other end"}
              : Error{Errc::Unsupported, Blame::Cluster, "/proc/net/tcp cannot be read"};
}

}  // namespace muster::os
