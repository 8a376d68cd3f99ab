#include "inside/rendezvous.h"

#include "base/text.h"
#include "net/socket.h"
#include "net/tcp_dialer.h"

#include <fmt/format.h>

#include <cerrno>
#include <sys/socket.h>
#include <utility>
#include <vector>

namespace muster::inside {
namespace {

/// Accepted in one turn of the loop.
constexpr int kAcceptsMax = 64;
/// Where descriptors have run out, others may be free by then.
constexpr Duration kPause = std::chrono::milliseconds(50);
constexpr size_t kTurnedAwayMax = 16;

/// Each rank asks for what every other one has said, by a connection for each request.
constexpr net::HttpServerLimits kLimits{.connections_max = 4096,
                                        .request_patience = std::chrono::seconds(60),
                                        .body_max = size_t{4} << 20};

net::HttpResponse plain(int status, std::string body) {
  return {.status = status, .headers = {}, .body = std::move(body)};
}

}  // namespace

Rendezvous::Rendezvous(rt::IoLoop& loop, rt::Fd listening, Peers peers,
                       std::function<void(const std::string&)> refused)
    : loop_(loop),
      listening_(std::move(listening)),
      peers_(std::move(peers)),
      refused_(std::move(refused)),
      server_(
          loop,
          [this](net::HttpRequest request, std::string peer) {
            return answer(std::move(request), std::move(peer));
          },
          kLimits) {
  listen();
}

Rendezvous::~Rendezvous() { loop_.cancel(pause_); }

void Rendezvous::listen() {
  watch_ = loop_.watch(listening_.get(), rt::Interest::Read, [this] { accept_some(); });
}

void Rendezvous::accept_some() {
  for (int count = 0; count < kAcceptsMax; ++count) {
    rt::Fd socket(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket.valid()) {
      net::disable_delay(socket.get());
      server_.serve(net::tcp_stream(loop_, std::move(socket)));
      continue;
    }
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      pause_ = loop_.call_after(kPause, [this] { listen(); });
      watch_.reset();
    }
    return;
  }
}

rt::Async<net::HttpResponse> Rendezvous::answer(net::HttpRequest request, std::string peer) {
  co_return answer_now(request, peer);
}

net::HttpResponse Rendezvous::answer_now(net::HttpRequest& request, const std::string& peer) {
  if (!peers_.admits(peer)) {
    const std::string host = peer.substr(0, peer.rfind(':'));
    if (turned_away_.size() < kTurnedAwayMax && turned_away_.insert(host).second) {
      refused_(host);
    }
    return plain(403, "not a task of this job\n");
  }
  const std::vector<std::string_view> parts = split(request.target, '/');
  if (parts.size() != 3 || !parts[0].empty() || parts[1].empty() || parts[2].empty()) {
    return plain(400, "must be of the form /SCOPE/KEY\n");
  }
  if (request.method == "PUT") {
    const Status put = store_.put(parts[1], parts[2], std::move(request.body));
    return put.has_value() ? plain(200, "") : plain(413, put.error().message + "\n");
  }
  if (request.method == "DELETE") {
    return plain(200, "");
  }
  if (request.method != "GET") {
    return plain(405, "must be GET, PUT or DELETE\n");
  }
  const std::string* const value = store_.find(parts[1], parts[2]);
  if (value == nullptr) {
    return plain(404, "");
  }
  net::HttpResponse response = plain(200, *value);
  response.content_type = "application/octet-stream";
  return response;
}

}  // namespace muster::inside
