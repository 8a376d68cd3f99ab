#include "inside/job_server.h"

#include "net/socket.h"
#include "net/tcp_dialer.h"

#include <cerrno>
#include <sys/socket.h>
#include <utility>

namespace muster::inside {
namespace {

/// Accepted in one turn of the loop.
constexpr int kAcceptsMax = 64;
/// Where descriptors have run out, others may be free by then.
constexpr Duration kPause = std::chrono::milliseconds(50);
constexpr size_t kTurnedAwayMax = 16;

/// Each rank asks for what every other one has said, by a connection for each request.
net::HttpServerLimits limits(Duration answer_patience) {
  return {.connections_max = 4096,
          .request_patience = std::chrono::seconds(60),
          .answer_patience = answer_patience,
          .body_max = size_t{4} << 20};
}

/// A host that is not of the job may ask, and is told that it is not.
constexpr net::HttpServerLimits kStrangers = {
    .connections_max = 16, .requests_max = 1, .request_patience = std::chrono::seconds(2)};

rt::Async<net::HttpResponse> refusal() {
  co_return net::HttpResponse{.status = 403, .headers = {}, .body = "not a task of this job\n"};
}

}  // namespace

JobServer::JobServer(rt::IoLoop& loop, rt::Fd listening, Peers peers, Refused refused,
                     Handler handler, Duration answer_patience)
    : loop_(loop),
      listening_(std::move(listening)),
      peers_(std::move(peers)),
      refused_(std::move(refused)),
      server_(loop, std::move(handler), limits(answer_patience)),
      strangers_(
          loop, [](const net::HttpRequest&, const std::string&) { return refusal(); }, kStrangers) {
  net::disable_delay(listening_.get());  // What is accepted has it from there.
  listen();
}

JobServer::~JobServer() { loop_.cancel(pause_); }

void JobServer::listen() {
  watch_ = loop_.watch(listening_.get(), rt::Interest::Read, [this] { accept_some(); });
}

void JobServer::accept_some() {
  for (int count = 0; count < kAcceptsMax; ++count) {
    net::SocketAddress peer;
    peer.size = sizeof(peer.storage);
    rt::Fd socket(
        ::accept4(listening_.get(), peer.get(), &peer.size, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket.valid()) {
      auto stream = net::tcp_stream(loop_, std::move(socket), peer);
      net::HttpServer& server = admits(stream->peer()) ? server_ : strangers_;
      server.serve(std::move(stream));
      continue;
    }
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      pause_ = loop_.call_after(kPause, [this] { listen(); });
      watch_.reset();
    }
    return;
  }
}

bool JobServer::admits(const std::string& peer) {
  if (peers_.admits(peer)) {
    return true;
  }
  const std::string host = peer.substr(0, peer.rfind(':'));
  if (turned_away_.size() < kTurnedAwayMax && turned_away_.insert(host).second) {
    refused_(host);
  }
  return false;
}

}  // namespace muster::inside
