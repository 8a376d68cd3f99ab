#include "control/stranger.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <sys/socket.h>
#include <utility>

namespace muster::control {
namespace {

/// For a page on a slow line.
constexpr auto kAnswerPatience = std::chrono::seconds(30);
constexpr char kTlsHandshake = 0x16;

}  // namespace

std::string_view to_string(Refusal refusal) {
  switch (refusal) {
    case Refusal::Silent:
      return "silent";
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

Stranger::Stranger(Deps deps, rt::Fd socket, Handlers handlers)
    : deps_(deps),
      handlers_(std::move(handlers)),
      since_(deps.loop.now()),
      lookup_([this](std::string_view identity) { return find_key(identity); }),
      socket_(std::move(socket)) {
  set_deadline(deps_.patience);
  watch(rt::Interest::Read);
}

Stranger::~Stranger() { deps_.loop.cancel(deadline_); }

void Stranger::set_deadline(Duration delay) {
  deps_.loop.cancel(deadline_);
  deadline_ =
      deps_.loop.call_after(delay, [this] { refuse(silent() ? Refusal::Silent : Refusal::Slow); });
}

void Stranger::watch(rt::Interest interest) {
  if (watch_ != nullptr && interest_ == interest) {
    return;
  }
  interest_ = interest;
  watch_.reset();
  const int fd = stream_.has_value() ? stream_->fd() : socket_.get();
  watch_ = deps_.loop.watch(fd, interest, [this] { on_ready(); });
}

void Stranger::on_ready() {
  switch (speech_) {
    case Speech::None:
      listen_to_first_byte();
      return;
    case Speech::Tls:
      shake_hands();
      return;
    case Speech::Http:
      if (answer_.empty()) {
        read_request();
      } else {
        write_answer();
      }
      return;
  }
}

void Stranger::listen_to_first_byte() {
  char first = 0;
  const ssize_t got = ::recv(socket_.get(), &first, 1, MSG_PEEK);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
    return;
  }
  if (got <= 0) {
    refuse(Refusal::Silent);
    return;
  }
  if (first != kTlsHandshake && deps_.has_page) {
    watch_.reset();
    const auto asked = std::move(handlers_.asked);
    asked(std::move(socket_));
    return;
  }
  if (first != kTlsHandshake) {
    speech_ = Speech::Http;
    read_request();
    return;
  }
  speech_ = Speech::Tls;
  stream_ = net::TlsStream::server(deps_.tls, std::move(socket_), lookup_);
  shake_hands();
}

std::optional<net::Psk> Stranger::find_key(std::string_view identity) {
  const auto peer = Peer::parse(identity);
  if (!peer.has_value()) {
    return std::nullopt;
  }
  const auto key = deps_.keys(*peer);
  if (!key.has_value()) {
    return std::nullopt;
  }
  claimed_ = *peer;
  return *key;
}

void Stranger::shake_hands() {
  switch (stream_->handshake()) {
    case net::TlsProgress::Done: {
      watch_.reset();
      const auto proved = std::move(handlers_.proved);
      proved(std::move(*stream_), std::move(claimed_));
      return;
    }
    case net::TlsProgress::WantsRead:
      watch(rt::Interest::Read);
      return;
    case net::TlsProgress::WantsWrite:
      watch(rt::Interest::Write);
      return;
    case net::TlsProgress::Ended:
    case net::TlsProgress::Failed:
      break;
  }
  switch (stream_->failure()) {
    case net::TlsFailure::UnknownIdentity:
      refuse(Refusal::UnknownIdentity);
      return;
    case net::TlsFailure::WrongKey:
      refuse(Refusal::WrongKey);
      return;
    case net::TlsFailure::Protocol:
      refuse(Refusal::Garbage);
      return;
    case net::TlsFailure::Connection:
    case net::TlsFailure::None:
      refuse(Refusal::Broken);
      return;
  }
}

void Stranger::read_request() {
  std::array<char, 4096> buffer{};
  const ssize_t got = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
    return;
  }
  if (got <= 0) {
    refuse(Refusal::Broken);
    return;
  }
  request_.append(buffer.data(), static_cast<size_t>(got));
  const auto request = net::parse_http_request(request_);
  if (!request.has_value()) {
    refuse(Refusal::Garbage);
    return;
  }
  if (!request->has_value()) {
    return;
  }
  answer_ = net::format_http_response({.status = 401, .headers = {}, .body = "401 Unauthorized\n"});
  set_deadline(kAnswerPatience);
  write_answer();
}

void Stranger::write_answer() {
  const ssize_t put = ::send(socket_.get(), answer_.data(), answer_.size(), MSG_NOSIGNAL);
  if (put < 0 && errno != EAGAIN && errno != EINTR) {
    refuse(Refusal::Answered);
    return;
  }
  answer_.erase(0, put > 0 ? static_cast<size_t>(put) : 0);
  if (answer_.empty()) {
    ::shutdown(socket_.get(), SHUT_WR);
    refuse(Refusal::Answered);
    return;
  }
  watch(rt::Interest::Write);
}

void Stranger::refuse(Refusal refusal) {
  watch_.reset();
  const auto refused = std::move(handlers_.refused);
  refused(refusal);
}

}  // namespace muster::control
