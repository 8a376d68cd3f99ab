#pragma once

#include "control/frame_queue.h"
#include "control/frame_reader.h"
#include "control/transport.h"
#include "net/tls.h"
#include "rt/io_loop.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace muster::control {

/// The life of an authenticated TLS connection behind a Channel. Its owner may go before it: what
/// was queued is still sent then, for at most a second. Frames that were queued in one turn of the
/// loop share TLS records and system calls. Of a client, which has little to say, frames of at most
/// 64 KiB are taken; a frame that has begun comes whole within a minute, or the connection ends.
class Connection final : public std::enable_shared_from_this<Connection> {
 public:
  static constexpr size_t kClientFrameMax = 64U << 10;
  static constexpr Duration kFramePatience = std::chrono::minutes(1);

  Connection(rt::IoLoop& loop, net::TlsStream stream, Peer peer,
             Duration frame_patience = kFramePatience);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start(Channel::Handlers handlers);
  void send(std::shared_ptr<const std::string> frame);
  void send(std::string_view head, std::string body);
  void close();
  /// The owner is gone: makes no more callbacks; otherwise like close().
  void abandon();
  [[nodiscard]] size_t queued_bytes() const { return queue_.bytes(); }
  [[nodiscard]] const Peer& peer() const { return peer_; }
  /// The other end's address; empty once it is gone.
  [[nodiscard]] std::string address() const;

 private:
  ///     open ─1─► closing ─2─► end said ─3─► ended
  ///
  /// 1 its owner closes it: no frame is delivered any more · 2 what was queued is sent
  /// 3 the other end has ended it, too, or not in time · from any: the connection is lost
  enum class State : uint8_t { Open, Closing, EndSaid, Ended };

  [[nodiscard]] bool has_ended() const { return state_ == State::Ended; }
  void on_readable();
  bool on_bytes(std::span<char> bytes, bool in_place);
  void watch_half_frame(bool delivered);
  void on_frame_late();
  [[nodiscard]] bool takes_frame(size_t frame_bytes) const;
  void schedule_flush();
  void flush();
  void on_flushed();
  void end(Error reason);

  rt::IoLoop& loop_;
  net::TlsStream stream_;
  Peer peer_;
  std::optional<Channel::Handlers> handlers_;
  FrameReader reader_;
  Duration frame_patience_;
  rt::TimerId frame_timer_;  ///< Set while a frame has arrived in part.
  uint64_t frames_received_ = 0;
  FrameQueue queue_;
  bool flush_scheduled_ = false;
  State state_ = State::Open;
  rt::TimerId close_timer_;
  std::unique_ptr<rt::FdWatch> read_watch_;  // The watches last: they end before the stream closes.
  std::unique_ptr<rt::FdWatch> write_watch_;
};

/// The handle that the owner of a connection holds.
class TlsChannel final : public Channel {
 public:
  explicit TlsChannel(std::shared_ptr<Connection> connection)
      : connection_(std::move(connection)) {}
  ~TlsChannel() override { connection_->abandon(); }
  TlsChannel(const TlsChannel&) = delete;
  TlsChannel& operator=(const TlsChannel&) = delete;

  void start(Handlers handlers) override { connection_->start(std::move(handlers)); }
  void send(std::string frame) override { connection_->send("", std::move(frame)); }
  void send_parts(wire::FrameParts frame) override {
    connection_->send(frame.head, std::move(frame.body));
  }
  void send_shared(std::shared_ptr<const std::string> frame) override {
    connection_->send(std::move(frame));
  }
  [[nodiscard]] size_t queued_bytes() const override { return connection_->queued_bytes(); }
  void close() override { connection_->close(); }
  [[nodiscard]] const Peer& peer() const override { return connection_->peer(); }
  [[nodiscard]] std::string address() const override { return connection_->address(); }

 private:
  std::shared_ptr<Connection> connection_;
};

}  // namespace muster::control
