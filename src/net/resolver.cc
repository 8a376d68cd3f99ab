#include "net/resolver.h"

#include <ares.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <netdb.h>
#include <sys/time.h>
#include <utility>

namespace muster::net {
namespace {

/// The watches of one of the library's sockets.
struct Watches {
  std::unique_ptr<rt::FdWatch> read;
  std::unique_ptr<rt::FdWatch> write;
};

Result<std::vector<SocketAddress>> to_addresses(const std::string& host, uint16_t port, int status,
                                                ares_addrinfo* found) {
  if (status == ARES_ENOTFOUND || status == ARES_ENODATA) {
    return cluster_error(fmt::format("unknown host {}", host), Errc::NotFound);
  }
  if (status != ARES_SUCCESS) {
    return cluster_error(
        fmt::format("cannot look up the host {}: {}", host, ares_strerror(status)));
  }
  std::vector<SocketAddress> addresses;
  for (const ares_addrinfo_node* node = found->nodes; node != nullptr; node = node->ai_next) {
    SocketAddress address;
    address.size = std::min<socklen_t>(node->ai_addrlen, sizeof(address.storage));
    std::memcpy(&address.storage, node->ai_addr, address.size);
    address.set_port(port);
    addresses.push_back(address);
  }
  ares_freeaddrinfo(found);
  if (addresses.empty()) {
    return cluster_error(fmt::format("the host {} has no address", host), Errc::NotFound);
  }
  return addresses;
}

}  // namespace

struct Resolver::Impl {
  explicit Impl(rt::IoLoop& io) : loop(io) {}
  ~Impl() {
    closing = true;
    if (channel != nullptr) {
      ares_destroy(channel);  // Calls back for every open question.
    }
    loop.cancel(timer);
    *alive = false;
  }

  Status open();
  void set_timer();
  void process(int read_fd, int write_fd) {
    const std::weak_ptr<bool> watched = alive;
    ares_process_fd(channel, read_fd, write_fd);
    if (!watched.expired()) {
      set_timer();
    }
  }
  static void on_socket(void* self, ares_socket_t fd, int readable, int writable);

  rt::IoLoop& loop;
  ares_channel channel = nullptr;
  bool closing = false;
  std::map<int, Watches> sockets;
  rt::TimerId timer;
  std::shared_ptr<bool> alive = std::make_shared<bool>(true);
};

Status Resolver::Impl::open() {
  if (channel != nullptr) {
    return {};
  }
  ares_options options{};
  options.sock_state_cb = on_socket;
  options.sock_state_cb_data = this;
  const int status = ares_init_options(&channel, &options, ARES_OPT_SOCK_STATE_CB);
  if (status != ARES_SUCCESS) {
    channel = nullptr;
    return cluster_error(fmt::format("cannot look up names: {}", ares_strerror(status)));
  }
  return {};
}

void Resolver::Impl::on_socket(void* self, ares_socket_t fd, int readable, int writable) {
  auto& impl = *static_cast<Impl*>(self);
  if (readable == 0 && writable == 0) {
    impl.sockets.erase(fd);
    return;
  }
  Watches& watches = impl.sockets[fd];
  const auto update = [&](std::unique_ptr<rt::FdWatch>& watch, int wanted, rt::Interest interest) {
    if (wanted == 0) {
      watch.reset();
    } else if (watch == nullptr) {
      watch = impl.loop.watch(fd, interest, [&impl, fd, interest] {
        impl.process(interest == rt::Interest::Read ? fd : ARES_SOCKET_BAD,
                     interest == rt::Interest::Write ? fd : ARES_SOCKET_BAD);
      });
    }
  };
  update(watches.read, readable, rt::Interest::Read);
  update(watches.write, writable, rt::Interest::Write);
}

void Resolver::Impl::set_timer() {
  loop.cancel(timer);
  timer = {};
  timeval next{};
  if (ares_timeout(channel, nullptr, &next) != nullptr) {
    const auto delay = std::chrono::seconds(next.tv_sec) + std::chrono::microseconds(next.tv_usec);
    timer = loop.call_after(delay, [this] { process(ARES_SOCKET_BAD, ARES_SOCKET_BAD); });
  }
}

Resolver::Resolver(rt::IoLoop& loop) : impl_(std::make_unique<Impl>(loop)) {}

Resolver::~Resolver() = default;

void Resolver::resolve(const std::string& host, uint16_t port, Done done) {
  // Answers come in a later turn of the loop, even if the library answers at once (/etc/hosts).
  const auto tell = [this](Result<std::vector<SocketAddress>> result, const Done& told) {
    impl_->loop.post([weak = std::weak_ptr(impl_->alive), result = std::move(result), told] {
      if (!weak.expired()) {
        told(result);
      }
    });
  };
  if (const auto literal = parse_literal(host, port)) {
    tell(std::vector{*literal}, done);
    return;
  }
  if (const Status opened = impl_->open(); !opened.has_value()) {
    tell(opened.error(), done);
    return;
  }
  struct Question {
    Impl* impl;
    std::string host;
    uint16_t port;
    std::function<void(Result<std::vector<SocketAddress>>)> answer;
  };
  auto question = std::make_unique<Question>(Question{
      .impl = impl_.get(), .host = host, .port = port, .answer = [tell, done](auto result) {
        tell(std::move(result), done);
      }});
  const auto on_answer = [](void* argument, int status, int /*timeouts*/, ares_addrinfo* found) {
    const std::unique_ptr<Question> asked(static_cast<Question*>(argument));
    auto result = to_addresses(asked->host, asked->port, status, found);
    if (!asked->impl->closing) {
      asked->answer(std::move(result));
    }
  };
  ares_addrinfo_hints hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  ares_getaddrinfo(impl_->channel, host.c_str(), nullptr, &hints, on_answer, question.release());
  impl_->set_timer();
}

}  // namespace muster::net
