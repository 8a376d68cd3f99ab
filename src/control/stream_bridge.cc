#include "control/stream_bridge.h"

#include "base/overloaded.h"
#include "net/abort.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <variant>

namespace muster::control {
namespace {

/// How much is read at once: with everything around it, less than the 64 KiB allowed for a client's
/// frames, and in four TLS records exactly one segment of the loopback (65,483 bytes), not one and
/// a bit.
constexpr size_t kPieceBytes = (64U << 10) - 192;
/// The other end grants credit in quarters of the window: what remains before the next grant is not
/// worth a frame.
constexpr size_t kPieceMin = 16U << 10;
/// How many reads one turn of the loop does; what they returned is sent together.
constexpr int kReadsInTurn = 4;

rt::Async<> at_once() { co_return; }

}  // namespace

StreamBridge::StreamBridge(rt::Loop& loop, std::unique_ptr<net::Stream> connection,
                           Handlers handlers, wire::StreamWindows windows, std::string preface)
    : loop_(loop),
      connection_(std::move(connection)),
      handlers_(std::move(handlers)),
      preface_(std::move(preface)),
      ledger_(windows),
      credit_(loop),
      arrived_(loop),
      scope_(loop) {
  scope_.spawn(read());
  scope_.spawn(write());
}

StreamBridge::~StreamBridge() {
  scope_.cancel();
  if (!written_all_) {
    net::abort_connection(*connection_);
  }
}

Status StreamBridge::take(wire::StreamFrame::Kind kind) {
  return std::visit(
      Overloaded{
          [&](wire::StreamData& data) -> Status {
            MUSTER_TRY_STATUS(ledger_.received(data));
            unwritten_.push_back(std::move(data.bytes));
            arrived_.pulse();
            return {};
          },
          [&](const wire::StreamCredit& credit) -> Status {
            MUSTER_TRY_STATUS(ledger_.received(credit));
            credit_.pulse();
            return {};
          },
          [&](const wire::StreamClosed& closed) -> Status {
            MUSTER_TRY_STATUS(ledger_.received(closed));
            input_closed_ = true;
            arrived_.pulse();
            return {};
          },
          [](const OneOf<wire::StreamOpen, wire::StreamWaits, wire::StreamOpened, wire::StreamReset,
                         wire::StreamOffer, wire::StreamDeclined, wire::StreamTaken> auto&)
              -> Status {
            return Error{Errc::Corrupt, Blame::Muster, "a frame that an open stream does not take"};
          },
      },
      kind);
}

void StreamBridge::reset() {
  silent_ = true;
  if (input_closed_ && !written_all_) {
    read_all_ = true;  // Nobody reads more; what has arrived is complete and is written.
    return;
  }
  if (!input_closed_) {
    net::abort_connection(*connection_);
  }
  end();
}

rt::Async<> StreamBridge::read() {
  const auto buffer = std::make_unique_for_overwrite<uint8_t[]>(kPieceBytes);
  for (int reads = 1;; ++reads) {
    while (ledger_.sendable() < kPieceMin) {
      co_await credit_.wait();
    }
    const std::span room(buffer.get(), std::min(ledger_.sendable(), kPieceBytes));
    const auto size = co_await connection_->read_some(room);
    if (silent_) {
      co_return;
    }
    if (!size.has_value()) {
      break_off(size.error());
      co_return;
    }
    if (*size == 0) {
      break;
    }
    ledger_.sent(*size);
    const auto* const bytes = reinterpret_cast<const char*>(buffer.get());
    handlers_.send(wire::StreamData{std::string(bytes, *size)});
    if (reads % kReadsInTurn == 0) {
      co_await rt::next_turn(loop_);
    }
  }
  ledger_.close();
  read_all_ = true;
  handlers_.send(wire::StreamClosed{});
  if (written_all_) {
    end();
  }
}

rt::Async<bool> StreamBridge::write_one(std::string bytes) {
  const std::span sent(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  const Status written = co_await connection_->write(sent);
  if (!written.has_value()) {
    break_off(written.error());
    co_return false;
  }
  co_return true;
}

void StreamBridge::consumed(size_t bytes) {
  const uint64_t credit = ledger_.consumed(bytes);
  if (credit > 0 && !silent_) {
    handlers_.send(wire::StreamCredit{credit});
  }
}

rt::Async<> StreamBridge::write() {
  if (!preface_.empty()) {
    const bool written = co_await write_one(std::move(preface_));
    if (!written) {
      co_return;
    }
  }
  while (true) {
    while (unwritten_.empty() && !input_closed_) {
      co_await arrived_.wait();
    }
    if (unwritten_.empty()) {
      break;
    }
    std::string bytes = std::move(unwritten_.front());
    unwritten_.pop_front();
    const size_t size = bytes.size();
    const bool written = co_await write_one(std::move(bytes));
    if (!written) {
      co_return;
    }
    consumed(size);
  }
  connection_->close_write();
  written_all_ = true;
  if (read_all_) {
    end();
  }
}

void StreamBridge::break_off(const Error& error) {
  if (!std::exchange(silent_, true)) {
    // A program that has written everything may well close before it has read everything.
    handlers_.send(wire::StreamReset{
        read_all_ ? wire::StreamFault::Cancelled : wire::StreamFault::Lost, error.message});
  }
  end();
}

void StreamBridge::end() {
  if (!ending_.active() && handlers_.ended) {
    ending_ = rt::start(loop_, at_once(), [this] {
      if (const auto ended = std::exchange(handlers_.ended, nullptr)) {
        ended();
      }
    });
  }
}

}  // namespace muster::control
