#include "os/process/sockets.h"

#include "base/text.h"
#include "os/file/local_files.h"
#include "os/host/proc_text.h"
#include "rt/fd.h"

#include <fmt/format.h>

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <linux/tcp.h>
#include <map>
#include <memory>
#include <netinet/in.h>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/select.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace muster::os {
namespace {

/// TCP_ESTABLISHED of <netinet/tcp.h>, which cannot be included beside the kernel's header.
constexpr uint8_t kTcpEstablished = 1;

constexpr uint64_t kTableBytesMax = 8U << 20;
constexpr size_t kAwaitedMax = 4096;

/// One of the kernel's tables: where its columns are, and how a row shows that a socket accepts
/// from anybody, or is connected to elsewhere.
struct Table {
  std::string_view name;
  size_t inode_column;
  bool (*takes)(const std::vector<std::string_view>& row);
  bool (*connected)(const std::vector<std::string_view>& row);
  bool has_addresses = true;  ///< Whether rows show both ends.
};

constexpr std::string_view kEstablished = "01";
constexpr std::string_view kUnconnected = "07";
constexpr std::string_view kListening = "0A";
constexpr size_t kRemoteColumn = 2;  ///< For internet sockets, like the next.
constexpr size_t kStateColumn = 3;

bool listens(const std::vector<std::string_view>& row) { return row[kStateColumn] == kListening; }
bool takes_datagrams(const std::vector<std::string_view>& row) {
  return row[kStateColumn] == kUnconnected;
}
bool is_established(const std::vector<std::string_view>& row) {
  return row[kStateColumn] == kEstablished;
}
/// Returns whether its flags say that it accepts, or it is a datagram socket with a name.
bool takes_local(const std::vector<std::string_view>& row) {
  return row[3] == "00010000" || (row[4] == "0002" && row.size() > 7);
}
/// Both ends may belong to the same process.
bool never(const std::vector<std::string_view>&) { return false; }

constexpr std::array<Table, 5> kTables = {{{"tcp", 9, listens, is_established},
                                           {"tcp6", 9, listens, is_established},
                                           {"udp", 9, takes_datagrams, is_established},
                                           {"udp6", 9, takes_datagrams, is_established},
                                           {"unix", 6, takes_local, never, false}}};

template <class Number>
std::optional<Number> parse_hexadecimal(std::string_view text) {
  Number value{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return failed == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                   : std::nullopt;
}

/// Parses "0500000A:1538" as 10.0.0.5:5432: each 32 bits of an address are a number in this
/// machine's byte order. "" if the column names no peer.
std::string address_of(std::string_view column) {
  constexpr size_t kDigits = 8;
  const size_t colon = std::min(column.find(':'), column.size());
  const auto port = parse_hexadecimal<uint16_t>(column.substr(std::min(colon + 1, column.size())));
  std::array<uint32_t, 4> words{};
  const size_t count = colon / kDigits;
  if (!port || *port == 0 || colon % kDigits != 0 || (count != 1 && count != words.size())) {
    return "";
  }
  for (size_t i = 0; i < count; ++i) {
    const auto word = parse_hexadecimal<uint32_t>(column.substr(i * kDigits, kDigits));
    if (!word) {
      return "";
    }
    words[i] = *word;
  }
  std::array<char, INET6_ADDRSTRLEN> text{};
  // Servers for both versions see IPv4 addresses mapped into IPv6.
  const bool mapped =
      count == words.size() && words[0] == 0 && words[1] == 0 && words[2] == htonl(0xFFFF);
  if (count == 1 || mapped) {
    ::inet_ntop(AF_INET, mapped ? &words[3] : words.data(), text.data(), text.size());
    return fmt::format("{}:{}", text.data(), *port);
  }
  ::inet_ntop(AF_INET6, words.data(), text.data(), text.size());
  return fmt::format("[{}]:{}", text.data(), *port);
}

/// Returns 4711 for "socket:[4711]", the target of a descriptor; nullopt if it is no socket.
std::optional<uint64_t> inode_of_socket(std::string_view target) {
  constexpr std::string_view kSocket = "socket:[";
  return target.starts_with(kSocket) && target.ends_with(']')
             ? parse_decimal(target.substr(kSocket.size(), target.size() - kSocket.size() - 1))
             : std::nullopt;
}

/// Returns the descriptors of a process's sockets, by their inodes.
std::optional<std::map<uint64_t, std::vector<int32_t>>> sockets_by_inode(Pid pid) {
  std::map<uint64_t, std::vector<int32_t>> found;
  std::error_code failed;
  std::filesystem::directory_iterator entries(fmt::format("/proc/{}/fd", pid.value), failed);
  for (; !failed && entries != std::filesystem::directory_iterator(); entries.increment(failed)) {
    std::error_code closed;
    const std::string target = std::filesystem::read_symlink(entries->path(), closed).string();
    const auto descriptor = parse_decimal(entries->path().filename().string());
    const auto inode = closed ? std::nullopt : inode_of_socket(target);
    if (inode && descriptor && *descriptor <= INT32_MAX) {
      found[*inode].push_back(static_cast<int32_t>(*descriptor));
    }
  }
  return failed ? std::nullopt : std::optional(std::move(found));
}

/// Returns the descriptors that an epoll instance watches; none if /proc does not show them.
std::vector<int32_t> watched_by_epoll(Pid pid, uint64_t epoll) {
  std::vector<int32_t> found;
  const std::string text = read_proc(fmt::format("/proc/{}/fdinfo/{}", pid.value, epoll));
  for (const std::string_view line : split(text, '\n')) {
    const std::vector<std::string_view> words = columns_of(line);
    const auto number =
        words.size() > 1 && words[0] == "tfd:" ? parse_decimal(words[1]) : std::nullopt;
    if (number && *number <= INT32_MAX && found.size() < kAwaitedMax) {
      found.push_back(static_cast<int32_t>(*number));
    }
  }
  return found;
}

std::vector<int32_t> watched_by_poll(Pid pid, uint64_t address, uint64_t count) {
  std::vector<pollfd> polled(std::min<uint64_t>(count, kAwaitedMax));
  if (!read_memory(pid, address, polled.data(), polled.size() * sizeof(pollfd))) {
    return {};
  }
  std::vector<int32_t> found;
  for (const pollfd& each : polled) {
    if (each.fd >= 0 && (each.events & (POLLIN | POLLOUT)) != 0) {
      found.push_back(each.fd);
    }
  }
  return found;
}

std::vector<int32_t> watched_by_select(Pid pid, uint64_t count, uint64_t address) {
  constexpr size_t kBits = sizeof(unsigned long) * CHAR_BIT;
  const size_t descriptors = std::min<uint64_t>(count, FD_SETSIZE);
  std::vector<unsigned long> read((descriptors + kBits - 1) / kBits);
  if (address == 0 ||
      !read_memory(pid, address, read.data(), read.size() * sizeof(unsigned long))) {
    return {};
  }
  std::vector<int32_t> found;
  for (size_t descriptor = 0; descriptor < descriptors; ++descriptor) {
    if ((read[descriptor / kBits] >> (descriptor % kBits) & 1U) != 0) {
      found.push_back(static_cast<int32_t>(descriptor));
    }
  }
  return found;
}

}  // namespace

std::optional<ProcessSockets> list_sockets(Pid pid) {
  const auto own = sockets_by_inode(pid);
  if (!own) {
    return std::nullopt;
  }
  ProcessSockets sockets;
  const std::unique_ptr<Files> files = make_local_files(nullptr);
  for (const Table& table : kTables) {
    if (own->empty()) {
      break;
    }
    const Result<std::string> text =
        files->read(fmt::format("/proc/{}/net/{}", pid.value, table.name), kTableBytesMax);
    if (!text && text.error().code == Errc::NotFound) {
      continue;  // A kernel without IPv6.
    }
    if (!text) {
      return std::nullopt;
    }
    for (const std::string_view line : split(*text, '\n')) {
      const std::vector<std::string_view> row = columns_of(line);
      const auto inode =
          row.size() > table.inode_column ? parse_decimal(row[table.inode_column]) : std::nullopt;
      const auto found = inode ? own->find(*inode) : own->end();
      if (found == own->end()) {
        continue;
      }
      const bool takes = table.takes(row);
      sockets.reachable = sockets.reachable || takes || table.connected(row);
      const std::string peer = table.has_addresses ? address_of(row[kRemoteColumn]) : "";
      for (size_t i = 0; i < found->second.size() && !peer.empty(); ++i) {
        sockets.peers[found->second[i]] = peer;
      }
      if (takes) {
        sockets.taking.insert(sockets.taking.end(), found->second.begin(), found->second.end());
      }
    }
  }
  std::ranges::sort(sockets.taking);
  return sockets;
}

std::string datagram_peer(Pid pid, int32_t descriptor) {
  std::error_code failed;
  const std::string target =
      std::filesystem::read_symlink(fmt::format("/proc/{}/fd/{}", pid.value, descriptor), failed)
          .string();
  const auto inode = failed ? std::nullopt : inode_of_socket(target);
  if (!inode) {
    return "";
  }
  const std::string number = std::to_string(*inode);
  constexpr size_t kInodeColumn = 9;
  for (const std::string_view table : {"udp", "udp6"}) {
    const std::string text = read_proc(fmt::format("/proc/{}/net/{}", pid.value, table));
    for (const std::string_view line : split(text, '\n')) {
      if (line.find(number) == std::string_view::npos) {
        continue;
      }
      const std::vector<std::string_view> row = columns_of(line);
      if (row.size() > kInodeColumn && row[kInodeColumn] == number) {
        return address_of(row[kRemoteColumn]);
      }
    }
  }
  return "";
}

std::optional<BytesOver> bytes_over(Pid pid, int32_t descriptor) {
  const rt::Fd copy = copy_descriptor(pid, descriptor);
  tcp_info info{};
  socklen_t size = sizeof info;
  // Fields that the kernel does not fill stay 0.
  if (!copy.valid() || ::getsockopt(copy.get(), IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
      info.tcpi_state != kTcpEstablished) {
    return std::nullopt;
  }
  return BytesOver{.received = info.tcpi_bytes_received, .sent = info.tcpi_bytes_acked};
}

std::vector<int32_t> awaited_descriptors(Pid pid, const ThreadState& thread) {
  const uint64_t first = thread.arguments[0];
  const uint64_t second = thread.arguments[1];
  if (thread.descriptor >= 0) {
    return {thread.descriptor};
  }
  if (thread.system_call == "epoll_wait" || thread.system_call == "epoll_pwait") {
    return watched_by_epoll(pid, first);
  }
  if (thread.system_call == "poll" || thread.system_call == "ppoll") {
    return watched_by_poll(pid, first, second);
  }
  if (thread.system_call == "select" || thread.system_call == "pselect6") {
    return watched_by_select(pid, first, second);
  }
  return {};
}

}  // namespace muster::os
