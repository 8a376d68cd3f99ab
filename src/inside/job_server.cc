#include "inside/job_server.h"

#include "net/http_codec.h"
#include "net/socket.h"
#include "net/tcp_dialer.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <span>
#include <sys/socket.h>
#include <sys/uio.h>
#include <utility>

namespace muster::inside {
namespace {

/// Accepted in one turn of the loop.
constexpr size_t kAcceptsMax = 64;
constexpr size_t kServedMax = 4096;
constexpr size_t kBodyMax = size_t{4} << 20;
/// How long a client may take to read an answer.
constexpr Duration kSendPatience = std::chrono::seconds(60);
/// The longest request that is answered at once: the addresses of some hundred ranks.
constexpr size_t kAtOnceMax = size_t{64} << 10;

net::HttpServerLimits limits(Duration answer_patience) {
  return {.connections_max = kServedMax,
          .upgraded_max = kServedMax,
          .request_patience = std::chrono::seconds(60),
          .answer_patience = answer_patience,
          .reader_patience = answer_patience,
          .body_max = kBodyMax};
}

/// A host outside the job may connect, and is told that it is not part of the job.
constexpr net::HttpServerLimits kStrangers = {
    .connections_max = 16, .requests_max = 1, .request_patience = std::chrono::seconds(2)};

rt::Async<net::HttpResponse> refusal() {
  co_return net::HttpResponse{.status = 403, .headers = {}, .body = "not a task of this job\n"};
}

/// Has the kernel hand over connections once data has arrived on them; those without data, a second
/// or two later.
void accept_with_requests(int listening) {
  const int seconds = 1;
  ::setsockopt(listening, IPPROTO_TCP, TCP_DEFER_ACCEPT, &seconds, sizeof(seconds));
}

/// A stream from which something has been read already.
class BegunStream final : public net::Stream {
 public:
  BegunStream(std::unique_ptr<net::Stream> stream, std::string early)
      : stream_(std::move(stream)), early_(std::move(early)) {}

  rt::Async<Result<size_t>> read_some(std::span<uint8_t> buffer) override {
    if (at_ == early_.size()) {
      return stream_->read_some(buffer);
    }
    const size_t size = std::min(buffer.size(), early_.size() - at_);
    std::copy_n(early_.begin() + static_cast<ptrdiff_t>(at_), size, buffer.begin());
    at_ += size;
    return ready(size);
  }
  rt::Async<Status> write_parts(std::span<const std::span<const uint8_t>> parts) override {
    return stream_->write_parts(parts);
  }
  void close_write() override { stream_->close_write(); }
  [[nodiscard]] const std::string& peer() const override { return stream_->peer(); }

 private:
  static rt::Async<Result<size_t>> ready(size_t size) { co_return size; }

  std::unique_ptr<net::Stream> stream_;
  std::string early_;
  size_t at_ = 0;
};

rt::Async<Status> write_text(net::Stream* stream, std::string text) {
  co_return co_await stream->write({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

// NOLINTNEXTLINE(cppcoreguidelines-avoid-reference-coroutine-parameters): a loop outlives them.
rt::Async<> send_rest(rt::IoLoop& loop, std::unique_ptr<net::Stream> stream, std::string rest) {
  auto work = write_text(stream.get(), std::move(rest));
  (void)co_await rt::with_deadline(loop, loop.now() + kSendPatience, "a reader", std::move(work));
}

}  // namespace

JobServer::JobServer(rt::IoLoop& loop, rt::Fd listening, Peers peers, Refused refused,
                     Answers answers)
    : loop_(loop),
      listening_(std::move(listening)),
      door_(std::move(peers), std::move(refused)),
      at_once_(std::move(answers.at_once)),
      buffer_(at_once_ ? kAtOnceMax : 0),
      server_(loop, std::move(answers.handler), limits(answers.patience)),
      strangers_(
          loop, [](const net::HttpRequest&, const std::string&) { return refusal(); }, kStrangers),
      sending_(loop),
      watch_(loop, listening_.get(), [this] { accept_some(); }) {
  net::disable_delay(listening_.get());  // Accepted sockets inherit it.
  if (at_once_) {
    accept_with_requests(listening_.get());
  }
  accepted_.reserve(kAcceptsMax);
}

/// Accepts first and reads then, so that requests have had time to arrive.
void JobServer::accept_some() {
  while (accepted_.size() < kAcceptsMax && accept_one()) {
  }
  for (Accepted& one : accepted_) {
    take(std::move(one));
  }
  accepted_.clear();
}

bool JobServer::accept_one() {
  net::SocketAddress peer;
  peer.size = sizeof(peer.storage);
  rt::Fd socket(::accept4(listening_.get(), peer.get(), &peer.size, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (socket.valid()) {
    accepted_.push_back({.socket = std::move(socket), .peer = peer});
    return true;
  }
  if (rt::no_descriptor_left(errno)) {
    watch_.rest();
  }
  return false;
}

void JobServer::take(Accepted one) {
  const bool admitted = door_.admits(one.peer);
  std::string early;
  if (admitted && at_once_ && answer_at_once(one, early)) {
    return;
  }
  auto stream = net::tcp_stream(loop_, std::move(one.socket), one.peer);
  if (!early.empty()) {
    stream = std::make_unique<BegunStream>(std::move(stream), std::move(early));
  }
  net::HttpServer& server = admitted ? server_ : strangers_;
  server.serve(std::move(stream));
}

bool JobServer::answer_at_once(Accepted& one, std::string& early) {
  const ssize_t size = ::recv(one.socket.get(), buffer_.data(), buffer_.size(), 0);
  if (size <= 0) {
    return false;  // Not there yet; or it will never come, which the server finds out, too.
  }
  const std::string_view bytes(buffer_.data(), static_cast<size_t>(size));
  net::HttpRequestReader reader(kBodyMax);
  reader.feed(bytes);
  auto request = reader.next();
  const bool whole = request.has_value() && request->has_value() && !reader.has_rest();
  const auto body = whole ? at_once_(**request) : std::nullopt;
  if (!body.has_value()) {
    early = bytes;
    return false;
  }
  send(std::move(one), *body);
  return true;
}

/// Does not use net::format_http_response, which costs the whole server 8 % more
/// (rendezvous_bench).
void JobServer::send(Accepted one, std::string_view body) {
  std::array<char, 256> head{};
  const auto end = fmt::format_to_n(head.data(), head.size(),
                                    "HTTP/1.1 200 OK\r\n"
                                    "Content-Type: application/octet-stream\r\n"
                                    "Content-Length: {}\r\n"
                                    "Connection: close\r\n"
                                    "Cache-Control: no-store\r\n\r\n",
                                    body.size());
  std::array<iovec, 2> parts{
      iovec{.iov_base = head.data(), .iov_len = end.size},
      iovec{.iov_base = const_cast<char*>(body.data()), .iov_len = body.size()}};
  const msghdr message{.msg_iov = parts.data(), .msg_iovlen = parts.size()};
  // The last segment is sent together with the end of the connection, which follows: one packet
  // less.
  const ssize_t sent = ::sendmsg(one.socket.get(), &message, MSG_NOSIGNAL | MSG_MORE);
  const bool full = sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  const size_t done = sent < 0 ? 0 : static_cast<size_t>(sent);
  if ((sent < 0 && !full) || done == end.size + body.size() || sending_.size() >= kServedMax) {
    return;  // Closed: either it is sent, or nobody reads it.
  }
  std::string rest(head.data(), end.size);
  rest += body;
  rest.erase(0, done);
  sending_.spawn(
      send_rest(loop_, net::tcp_stream(loop_, std::move(one.socket), one.peer), std::move(rest)));
}

}  // namespace muster::inside
