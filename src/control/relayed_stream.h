#pragma once

#include "base/result.h"
#include "net/stream.h"
#include "rt/async.h"
#include "rt/loop.h"
#include "rt/wait.h"
#include "wire/stream.h"
#include "wire/stream_ledger.h"

#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace muster::control {

/// What a byte stream of the control channel delivers to its reader and owes its writer. Shared by
/// the code that passes frames on and by the stream; lives on its loop's thread.
class RelayedBytes {
 public:
  using Send = std::function<void(wire::StreamFrame::Kind)>;

  RelayedBytes(rt::Loop& loop, Send send) : send_(std::move(send)), changed_(loop) {}

  /// Takes what the other end says. A frame that it may not send breaks the stream, which tells the
  /// other end so.
  void take(wire::StreamFrame::Kind kind);
  /// Nothing comes any more.
  void break_off(std::string why);

 private:
  friend class RelayedStream;

  Send send_;
  wire::StreamLedger ledger_;
  std::deque<std::string> unread_;  ///< At most a window.
  size_t read_ = 0;                 ///< Of the first of them.
  bool opened_ = false;
  bool ended_ = false;   ///< Everything has arrived.
  bool closed_ = false;  ///< Nothing more is written.
  std::string broken_;   ///< Why it is broken; empty: it is not.
  rt::Event changed_;
};

/// The near end of such a stream, for programs that want a connection. Destroying it ends the
/// stream.
class RelayedStream final : public net::Stream {
 public:
  RelayedStream(std::shared_ptr<RelayedBytes> bytes, std::string peer, std::function<void()> gone);
  ~RelayedStream() override;
  RelayedStream(const RelayedStream&) = delete;
  RelayedStream& operator=(const RelayedStream&) = delete;

  /// Returns when the other end has opened the stream; Unavailable, with the reason, if it will
  /// not.
  [[nodiscard]] rt::Async<Status> opened();

  [[nodiscard]] rt::Async<Result<size_t>> read_some(std::span<uint8_t> buffer) override;
  [[nodiscard]] rt::Async<Status> write_parts(
      std::span<const std::span<const uint8_t>> parts) override;
  void close_write() override;
  [[nodiscard]] const std::string& peer() const override { return peer_; }

 private:
  [[nodiscard]] rt::Async<Status> write_one(std::span<const uint8_t> part);

  std::shared_ptr<RelayedBytes> bytes_;
  std::string peer_;
  std::function<void()> gone_;
};

}  // namespace muster::control
