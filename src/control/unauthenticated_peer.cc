#include "control/unauthenticated_peer.h"

#include "control/handshake.h"
#include "net/client_hello.h"
#include "net/http_codec.h"
#include "net/ready.h"
#include "rt/wait.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <utility>

namespace muster::control {
namespace {

/// For the answer to a request, on a slow line.
constexpr auto kAnswerPatience = std::chrono::seconds(30);
/// For a client's first message: ours have about 300 bytes.
constexpr size_t kHelloMax = 4096;
/// For a request if there is no page.
constexpr size_t kHeadMax = 4096;

/// Reads what has arrived; "" at the end or if the connection broke, nullopt while nothing arrives.
std::optional<std::string> read_now(int fd, size_t size_max, int flags) {
  std::string buffer(size_max, '\0');
  const ssize_t got = ::recv(fd, buffer.data(), buffer.size(), flags);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
    return std::nullopt;
  }
  buffer.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return buffer;
}

/// Waits for bytes, as read_now() reads them. Holds no buffer while it waits.
rt::Async<std::string> read_some(rt::IoLoop* loop, int fd, size_t size_max, int flags) {
  while (true) {
    if (auto read = read_now(fd, size_max, flags)) {
      co_return *std::move(read);
    }
    co_await net::Ready(*loop, fd, rt::Interest::Read);
  }
}

/// Reads the head of one request; what follows is ignored. Returns why there was none; nullopt if
/// there was one.
rt::Async<std::optional<Refusal>> read_head(rt::IoLoop* loop, int fd) {
  bool has_body = false;
  net::HttpRequestReader request([&has_body](const net::HttpRequest&) {
    has_body = true;
    return size_t{1};
  });
  for (size_t room = kHeadMax; room > 0;) {
    const std::string more = co_await read_some(loop, fd, room, 0);
    if (more.empty()) {
      co_return Refusal::Broken;
    }
    room -= more.size();
    request.feed(more);
    const auto parsed = request.next();
    if (has_body || (parsed.has_value() && parsed->has_value())) {
      co_return std::nullopt;
    }
    if (!parsed.has_value()) {
      co_return Refusal::Garbage;
    }
  }
  co_return Refusal::Garbage;
}

/// Answers a request if there is no page.
rt::Async<Status> answer_unauthorized(rt::IoLoop* loop, int fd) {
  std::string answer =
      net::format_http_response({.status = 401, .headers = {}, .body = "401 Unauthorized\n"});
  while (!answer.empty()) {
    const ssize_t put = ::send(fd, answer.data(), answer.size(), MSG_NOSIGNAL);
    if (put < 0 && errno != EAGAIN && errno != EINTR) {
      co_return Status();
    }
    answer.erase(0, put > 0 ? static_cast<size_t>(put) : 0);
    if (!answer.empty()) {
      co_await net::Ready(*loop, fd, rt::Interest::Write);
    }
  }
  ::shutdown(fd, SHUT_WR);
  co_return Status();
}

Refusal refusal_of(net::TlsFailure failure) {
  switch (failure) {
    case net::TlsFailure::UnknownIdentity:
      return Refusal::UnknownIdentity;
    case net::TlsFailure::WrongKey:
      return Refusal::WrongKey;
    case net::TlsFailure::Protocol:
      return Refusal::Garbage;
    case net::TlsFailure::Connection:
    case net::TlsFailure::None:
      break;
  }
  return Refusal::Broken;
}

}  // namespace

std::string_view to_string(Refusal refusal) {
  switch (refusal) {
    case Refusal::Silent:
      return "silent";
    case Refusal::Crowded:
      return "crowded";
    case Refusal::Slow:
      return "slow";
    case Refusal::Broken:
      return "broken";
    case Refusal::UnknownIdentity:
      return "unknown_identity";
    case Refusal::WrongKey:
      return "wrong_key";
    case Refusal::Garbage:
      return "garbage";
    case Refusal::Answered:
      return "answered";
  }
  return "?";
}

UnauthenticatedPeer::UnauthenticatedPeer(const Deps& deps, rt::Fd socket,
                                         std::function<void(Verdict)> judged)
    : deps_(deps), since_(deps.loop.now()) {
  running_ = rt::start(deps_.loop, judge(std::move(socket)), std::move(judged));
}

rt::Async<UnauthenticatedPeer::Verdict> UnauthenticatedPeer::judge(rt::Fd socket) {
  auto heard = co_await rt::with_deadline(deps_.loop, since_ + deps_.patience, "a proof",
                                          listen(std::move(socket)));
  if (!heard.has_value()) {
    co_return silent_ ? Refusal::Silent : Refusal::Slow;
  }
  if (const auto* request = std::get_if<PageRequest>(&*heard); request && !deps_.has_page) {
    (void)co_await rt::with_deadline(deps_.loop, deps_.loop.now() + kAnswerPatience, "a reader",
                                     answer_unauthorized(&deps_.loop, request->socket.get()));
    co_return Refusal::Answered;
  }
  co_return *std::move(heard);
}

rt::Async<Result<UnauthenticatedPeer::Verdict>> UnauthenticatedPeer::listen(rt::Fd socket) {
  const std::string first = co_await read_some(&deps_.loop, socket.get(), 1, MSG_PEEK);
  if (first.empty()) {
    co_return Refusal::Silent;
  }
  silent_ = false;
  if (first[0] == net::kTlsHandshake) {
    const auto hello = co_await net::await_client_hello(&deps_.loop, socket.get(), kHelloMax);
    if (hello != net::Hello::Whole) {
      co_return hello == net::Hello::Broken ? Refusal::Broken : Refusal::Garbage;
    }
    idle_ = false;
    if (auto address = destination(socket.get())) {
      co_return PassedOn{.socket = std::move(socket), .address = *std::move(address)};
    }
    co_return co_await authenticate(std::move(socket));
  }
  if (!deps_.has_page) {
    const auto refusal = co_await read_head(&deps_.loop, socket.get());
    if (refusal.has_value()) {
      co_return *refusal;
    }
  }
  co_return PageRequest{.socket = std::move(socket)};
}

std::optional<std::string> UnauthenticatedPeer::destination(int fd) const {
  if (!deps_.pass_on) {
    return std::nullopt;
  }
  const std::optional<std::string> identity = net::peek_psk_identity(fd, kHelloMax);
  if (!identity) {
    return std::nullopt;
  }
  const Result<Peer> peer = Peer::parse(*identity);
  const bool is_stream = peer.has_value() && peer->kind == Peer::Kind::Stream;
  return is_stream ? deps_.pass_on(*peer) : std::nullopt;
}

rt::Async<UnauthenticatedPeer::Verdict> UnauthenticatedPeer::authenticate(rt::Fd socket) {
  Peer claimed;
  const net::TlsContext::Lookup lookup =
      [this, &claimed](std::string_view identity) -> std::optional<net::Psk> {
    const auto peer = Peer::parse(identity);
    const auto key = peer.has_value() ? deps_.keys(*peer) : Result<Key>(peer.error());
    if (!key.has_value()) {
      return std::nullopt;
    }
    claimed = *peer;
    return *key;
  };
  auto stream = net::TlsStream::server(deps_.tls, std::move(socket), lookup);
  const net::TlsFailure failure = co_await shake_hands(&deps_.loop, &stream);
  if (failure != net::TlsFailure::None) {
    co_return refusal_of(failure);
  }
  co_return Proved{.stream = std::move(stream), .peer = std::move(claimed)};
}

}  // namespace muster::control
