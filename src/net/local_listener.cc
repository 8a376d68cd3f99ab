#include "net/local_listener.h"

#include "net/tcp_dialer.h"
#include "rt/accept_watch.h"
#include "rt/system_random.h"
#include "rt/unix_address.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace muster::net {
namespace {

constexpr int kBacklog = 16;

std::string new_name() {
  std::array<uint8_t, 16> bytes{};
  rt::SystemRandom().fill(bytes);
  std::string name = "@muster-";
  for (const uint8_t byte : bytes) {
    name += fmt::format("{:02x}", byte);
  }
  return name;
}

bool is_of_this_user(int fd) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  return ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::geteuid();
}

class UnixListener final : public LocalListener {
 public:
  UnixListener(rt::IoLoop& loop, rt::Fd socket, std::string address,
               LocalListeners::Accepted accepted)
      : loop_(loop),
        socket_(std::move(socket)),
        address_(std::move(address)),
        accepted_(std::move(accepted)),
        coming_(loop, socket_.get(), [this] { on_readable(); }) {}

  [[nodiscard]] const std::string& address() const override { return address_; }

 private:
  void on_readable() {
    rt::Fd socket(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket.valid() && is_of_this_user(socket.get())) {
      accepted_(tcp_stream(loop_, std::move(socket)));
      return;
    }
    const bool gone = errno == EAGAIN || errno == EINTR || errno == ECONNABORTED;
    if (!socket.valid() && !gone) {
      coming_.rest();
    }
  }

  rt::IoLoop& loop_;
  rt::Fd socket_;
  std::string address_;
  LocalListeners::Accepted accepted_;
  rt::AcceptWatch coming_;  ///< Last: it ends before its descriptor closes.
};

}  // namespace

Result<std::unique_ptr<LocalListener>> UnixListeners::listen(Accepted accepted) {
  std::string name = new_name();
  // "@" stands for the zero byte at the beginning of an abstract name.
  const rt::UnixAddress address = rt::UnixAddress::of_name(std::string_view(name).substr(1));
  rt::Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid() || ::bind(socket.get(), address.get(), address.size()) != 0 ||
      ::listen(socket.get(), kBacklog) != 0) {
    return system_error(errno, "cannot listen on a local socket");
  }
  return std::make_unique<UnixListener>(loop_, std::move(socket), std::move(name),
                                        std::move(accepted));
}

}  // namespace muster::net
