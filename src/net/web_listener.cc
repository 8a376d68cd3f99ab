#include "net/web_listener.h"

#include "net/address.h"
#include "net/client_hello.h"
#include "net/ready.h"
#include "net/tcp_dialer.h"
#include "rt/wait.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <map>
#include <string_view>
#include <sys/resource.h>
#include <sys/socket.h>
#include <utility>

namespace muster::net {
namespace {

/// For a client's first message; those of browsers have about 2000 bytes.
constexpr size_t kHelloMax = size_t{16} << 10;
constexpr Duration kPause = std::chrono::milliseconds(20);

/// A quarter of this process's descriptors: the rest is for the server and for files.
size_t clients_for_descriptors() {
  rlimit files{};
  return ::getrlimit(RLIMIT_NOFILE, &files) == 0 ? static_cast<size_t>(files.rlim_cur) / 4
                                                 : std::numeric_limits<size_t>::max();
}

/// Waits for a client's hello or, without TLS, for its first byte. Returns whether it came.
rt::Async<Result<bool>> await_first_words(rt::IoLoop* loop, int fd, bool tls) {
  if (tls) {
    co_return co_await await_client_hello(loop, fd, kHelloMax) == Hello::Whole;
  }
  while (true) {
    char first = 0;
    const ssize_t got = ::recv(fd, &first, 1, MSG_PEEK | MSG_DONTWAIT);
    if (got >= 0 || (errno != EAGAIN && errno != EINTR)) {
      co_return got > 0;
    }
    co_await Ready(*loop, fd, rt::Interest::Read);
  }
}

}  // namespace

WebListener::WebListener(Deps deps, Listening listening)
    : deps_(deps),
      listening_(std::move(listening)),
      coming_(deps_.loop, listening_.fd.get(), [this] { on_readable(); }) {
  deps_.limits.clients_max = std::min(deps_.limits.clients_max, clients_for_descriptors());
}

/// Accepts one client; the loop calls again while others wait.
void WebListener::on_readable() {
  if (clients_.size() >= deps_.limits.clients_max && !evict_one(false)) {
    coming_.rest(kPause);
    return;
  }
  SocketAddress from;
  from.size = sizeof(from.storage);
  rt::Fd socket(
      ::accept4(listening_.fd.get(), from.get(), &from.size, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (socket.valid()) {
    admit(std::move(socket), literal_of(from));
    return;
  }
  if (rt::no_descriptor_left(errno) && !evict_one(false)) {
    coming_.rest(kPause);
  }
}

/// Closes the oldest client that has had its time, from the address that holds the most places,
/// else from any. Returns false if all have only just come. `begun`: only clients that have begun.
bool WebListener::evict_one(bool begun) {
  std::map<std::string_view, size_t> sources;
  for (const Client& client : clients_) {
    ++sources[client.source];
  }
  const auto greediest =
      std::ranges::max_element(sources, {}, &decltype(sources)::value_type::second);
  const HostTime now = deps_.loop.now();
  Place victim = clients_.end();
  for (auto place = clients_.begin(); place != clients_.end(); ++place) {
    const Duration time = place->begun ? deps_.limits.begun_time : deps_.limits.idle_max;
    if (now - place->since < time || (begun && !place->begun)) {
      continue;
    }
    if (place->source == greediest->first) {
      victim = place;
      break;
    }
    victim = victim == clients_.end() ? place : victim;
  }
  if (victim == clients_.end()) {
    return false;
  }
  clients_.erase(victim);
  return true;
}

void WebListener::admit(rt::Fd socket, std::string source) {
  disable_delay(socket.get());
  const Place place = clients_.emplace(clients_.end());
  place->source = std::move(source);
  place->since = deps_.loop.now();
  place->running = rt::start(deps_.loop, receive(place, std::move(socket)),
                             [this, place](std::unique_ptr<Stream> stream) {
                               clients_.erase(place);
                               if (stream != nullptr) {
                                 deps_.server.serve(std::move(stream));
                               }
                             });
}

/// Returns whether the client may use memory now.
bool WebListener::begin(Place place) {
  const auto begun = static_cast<size_t>(std::ranges::count(clients_, true, &Client::begun));
  if (begun >= deps_.limits.begun_max && !evict_one(true)) {
    return false;
  }
  place->begun = true;
  return true;
}

rt::Async<std::unique_ptr<Stream>> WebListener::receive(Place place, rt::Fd socket) {
  const HostTime until = place->since + deps_.limits.patience;
  auto first = await_first_words(&deps_.loop, socket.get(), deps_.tls != nullptr);
  const auto came = co_await rt::with_deadline(deps_.loop, until, "a client", std::move(first));
  while (came.value_or(false) && !begin(place) && deps_.loop.now() < until) {
    co_await rt::pause_for(deps_.loop, kPause);
  }
  if (!place->begun) {
    co_return nullptr;
  }
  std::unique_ptr<Stream> stream = tcp_stream(deps_.loop, std::move(socket));
  if (deps_.tls != nullptr) {
    auto work = deps_.tls->accept(std::move(stream));
    auto shaken = co_await rt::with_deadline(deps_.loop, until, "a handshake", std::move(work));
    if (!shaken.has_value()) {
      co_return nullptr;
    }
    stream = *std::move(shaken);
  }
  while (!deps_.server.make_room()) {
    if (deps_.loop.now() >= until) {
      co_return nullptr;
    }
    co_await rt::pause_for(deps_.loop, kPause);
  }
  co_return stream;
}

}  // namespace muster::net
