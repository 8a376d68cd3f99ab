#include "control/connection.h"

#include "base/check.h"
#include "net/address.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <span>
#include <sys/socket.h>
#include <utility>

namespace muster::control {
namespace {

/// The largest TLS record: what is read or written at once.
constexpr size_t kRecordMax = 16U << 10;
/// A smaller part of a frame is not worth a call of its own.
constexpr size_t kInPlaceMin = 4U << 10;
/// After this much in one turn, the loop's other connections get theirs.
constexpr size_t kTurnBytesMax = 1U << 20;
constexpr auto kCloseWait = std::chrono::seconds(1);

size_t frame_max_of(const Peer& peer) {
  switch (peer.kind) {
    case Peer::Kind::Owner:
    case Peer::Kind::Viewer:
    case Peer::Kind::Stream:
      return Connection::kClientFrameMax;
    case Peer::Kind::Agent:
    case Peer::Kind::Master:
      return kFrameMax;
  }
  return 0;
}

/// Returns the peer's name for people.
std::string spoken_name(const Peer& peer) {
  return peer.kind == Peer::Kind::Master ? "the master" : peer.identity();
}

}  // namespace

Connection::Connection(rt::IoLoop& loop, net::TlsStream stream, Peer peer, Duration frame_patience)
    : loop_(loop),
      stream_(std::move(stream)),
      peer_(std::move(peer)),
      reader_(frame_max_of(peer_)),
      frame_patience_(frame_patience) {}

Connection::~Connection() {
  loop_.cancel(close_timer_);
  loop_.cancel(frame_timer_);
}

void Connection::start(Channel::Handlers handlers) {
  MUSTER_CHECK(!handlers_.has_value(), "a channel is started only once");
  handlers_ = std::move(handlers);
  if (has_ended()) {
    return;
  }
  read_watch_ = loop_.watch(stream_.fd(), rt::Interest::Read, [this] {
    const std::shared_ptr<Connection> alive = shared_from_this();
    on_readable();
  });
  // The first frames may have come together with the end of the handshake.
  loop_.post([weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->on_readable();
    }
  });
}

void Connection::on_readable() {
  size_t taken = 0;
  while (!has_ended() && taken < kTurnBytesMax) {
    std::array<char, kRecordMax> buffer;  // NOLINT: filled by read.
    // The missing part of a large frame is read directly to where it belongs.
    const std::span<char> room = state_ == State::Open ? reader_.room() : std::span<char>();
    const bool in_place = room.size() >= kInPlaceMin;
    const std::span<char> place = in_place ? room : std::span<char>(buffer);
    size_t got = 0;
    switch (stream_.read(place, got)) {
      case net::TlsProgress::Done:
        taken += got;
        if (!on_bytes(place.first(got), in_place)) {
          return;
        }
        break;
      case net::TlsProgress::WantsRead:
        return;
      case net::TlsProgress::WantsWrite:
        schedule_flush();
        return;
      case net::TlsProgress::Ended:
        end(cluster_error(fmt::format("{} closed the connection", spoken_name(peer_))));
        return;
      case net::TlsProgress::Failed:
        end(cluster_error(fmt::format("the connection to {} was lost", spoken_name(peer_))));
        return;
    }
  }
  if (has_ended()) {
    return;
  }
  // The stream's own buffer may hold more, where no watch sees it.
  loop_.post([weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->on_readable();
    }
  });
}

/// Delivers frames; returns false when the connection has ended. `in_place`: the bytes are in the
/// reader's own buffer.
bool Connection::on_bytes(std::span<char> bytes, bool in_place) {
  if (state_ != State::Open) {
    return true;  // Read only to see the other side's end.
  }
  const uint64_t before = frames_received_;
  const auto on_frame = [this](std::string_view frame) {
    ++frames_received_;
    handlers_->frame(frame);
    return state_ == State::Open;
  };
  Status fed;
  if (in_place) {
    reader_.filled(bytes.size(), on_frame);
  } else {
    fed = reader_.feed(std::string_view(bytes.data(), bytes.size()), on_frame);
  }
  if (!fed.has_value()) {
    end(fed.error().within(spoken_name(peer_)));
  }
  if (!has_ended()) {
    watch_half_frame(frames_received_ != before);
  }
  return !has_ended();
}

/// Gives a partly received frame a time limit, set once per frame.
void Connection::watch_half_frame(bool delivered) {
  const bool half = reader_.pending_bytes() > 0;
  if (delivered || !half) {
    loop_.cancel(std::exchange(frame_timer_, {}));
  }
  if (half && frame_timer_ == rt::TimerId()) {
    frame_timer_ = loop_.call_after(frame_patience_, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) {
        self->on_frame_late();
      }
    });
  }
}

void Connection::on_frame_late() {
  // If this process was held up, the rest may be there already.
  const uint64_t before = frames_received_;
  on_readable();
  if (state_ == State::Open && frames_received_ == before && reader_.pending_bytes() > 0) {
    end(cluster_error(fmt::format("{} left a message unfinished", spoken_name(peer_))));
  }
}

std::string Connection::address() const {
  net::SocketAddress address;
  address.size = sizeof(address.storage);
  const bool known = ::getpeername(stream_.fd(), address.get(), &address.size) == 0;
  return known ? net::literal_of(address) : "";
}

void Connection::send(std::shared_ptr<const std::string> frame) {
  if (takes_frame(frame->size())) {
    queue_.push(std::move(frame));
    schedule_flush();
  }
}

void Connection::send(std::string_view head, std::string body) {
  if (takes_frame(head.size() + body.size())) {
    queue_.push(head, std::move(body));
    schedule_flush();
  }
}

bool Connection::takes_frame(size_t frame_bytes) const {
  MUSTER_CHECK(frame_bytes <= kFrameMax, "a frame is within bounds");
  return state_ == State::Open;
}

void Connection::schedule_flush() {
  if (flush_scheduled_ || write_watch_ != nullptr || has_ended()) {
    return;
  }
  flush_scheduled_ = true;
  loop_.post([weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->flush_scheduled_ = false;
      self->flush();
    }
  });
}

void Connection::flush() {
  size_t taken = 0;
  while (!has_ended() && !queue_.empty()) {
    if (taken >= kTurnBytesMax) {
      write_watch_.reset();
      schedule_flush();
      return;
    }
    std::array<char, kRecordMax> staging;  // NOLINT: filled by gather.
    size_t put = 0;
    // After WantsWrite the same bytes are gathered again, as the stream demands: nothing was
    // consumed.
    const std::string_view next = queue_.gather(staging);
    const bool more = queue_.bytes() > next.size() && taken + next.size() < kTurnBytesMax;
    switch (stream_.write(next, put, more)) {
      case net::TlsProgress::Done:
        taken += put;
        queue_.consume(put);
        break;
      case net::TlsProgress::WantsRead:
      case net::TlsProgress::WantsWrite:
        if (write_watch_ == nullptr) {
          write_watch_ = loop_.watch(stream_.fd(), rt::Interest::Write, [this] {
            const std::shared_ptr<Connection> alive = shared_from_this();
            flush();
          });
        }
        return;
      case net::TlsProgress::Ended:
      case net::TlsProgress::Failed:
        end(cluster_error(fmt::format("the connection to {} was lost", spoken_name(peer_))));
        return;
    }
  }
  write_watch_.reset();
  on_flushed();
}

/// Everything is sent. When closing, signals that and waits for the other side to do the same:
/// closing a socket with unread bytes would discard what the other side has not read yet.
void Connection::on_flushed() {
  if (state_ == State::Closing) {
    state_ = State::EndSaid;
    stream_.say_end();
    ::shutdown(stream_.fd(), SHUT_WR);
  }
}

void Connection::close() {
  if (state_ != State::Open) {
    return;
  }
  state_ = State::Closing;
  if (read_watch_ == nullptr) {
    read_watch_ = loop_.watch(stream_.fd(), rt::Interest::Read, [this] {
      const std::shared_ptr<Connection> alive = shared_from_this();
      on_readable();
    });
  }
  // Keeps this connection alive until it has ended, whether or not its owner still exists.
  close_timer_ = loop_.call_after(kCloseWait, [self = shared_from_this()] {
    self->end(Error{Errc::Cancelled, Blame::Cluster, "the connection was closed"});
  });
  schedule_flush();
}

void Connection::abandon() {
  if (handlers_.has_value()) {
    // One of them may be running: they are only made unreachable.
    handlers_->closed = nullptr;
  }
  close();
}

void Connection::end(Error reason) {
  if (has_ended()) {
    return;
  }
  const std::shared_ptr<Connection> alive = shared_from_this();
  const State before = std::exchange(state_, State::Ended);
  queue_.clear();
  read_watch_.reset();
  write_watch_.reset();
  loop_.cancel(close_timer_);
  loop_.cancel(frame_timer_);
  if (before != State::EndSaid) {
    ::shutdown(stream_.fd(), SHUT_RDWR);
  }
  if (before != State::Open) {
    reason = Error{Errc::Cancelled, Blame::Cluster, "the connection was closed"};
  }
  if (handlers_.has_value() && handlers_->closed) {
    const auto closed = std::move(handlers_->closed);
    closed(reason);
  }
}

}  // namespace muster::control
