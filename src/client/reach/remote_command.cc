#include "client/reach/remote_command.h"

#include "base/overloaded.h"
#include "client/show/failure.h"

#include <utility>
#include <variant>

namespace muster::client {
namespace {

// From the table in docs/failures.md.
constexpr int kDeadlinePassed = 5;

/// Reserved for signals and sizes when input has taken the rest.
constexpr size_t kReserveBytes = 4U << 10;
constexpr size_t kSentPieceBytes = 32U << 10;

int status_of(wire::StreamFault fault) {
  switch (fault) {
    case wire::StreamFault::Cancelled:
    case wire::StreamFault::Refused:
    case wire::StreamFault::NotRunning:
      return kCouldNotStart;
    case wire::StreamFault::Deadline:
      return kDeadlinePassed;
    case wire::StreamFault::Lost:
      return kClusterFailed;
    case wire::StreamFault::Protocol:
      return kBug;
  }
  return kBug;
}

}  // namespace

void RemoteCommand::take(const wire::StreamFrame& frame) {
  if (end_) {
    return;
  }
  const Status taken = take_kind(frame.kind);
  if (!taken.has_value()) {
    handlers_.send(wire::StreamReset{wire::StreamFault::Protocol, taken.error().message});
    finish({kBug, taken.error().message});
  }
}

Status RemoteCommand::take_kind(const wire::StreamFrame::Kind& kind) {
  return std::visit(
      Overloaded{
          [&](const wire::StreamWaits& waits) -> Status {
            handlers_.waits(waits.reason);
            return {};
          },
          [&](const wire::StreamOpened& opened) -> Status {
            opened_ = true;
            ledger_.widen(opened.window);
            if (handlers_.opened) {
              handlers_.opened(opened);
            }
            handlers_.room();
            return {};
          },
          [&](const wire::StreamData& data) -> Status {
            MUSTER_TRY_STATUS(ledger_.received(data));
            return take_output(data);
          },
          [&](const wire::StreamCredit& credit) -> Status {
            MUSTER_TRY_STATUS(ledger_.received(credit));
            handlers_.room();
            return {};
          },
          [&](const wire::StreamClosed& closed) -> Status {
            MUSTER_TRY_STATUS(ledger_.received(closed));
            finish({kClusterFailed, "its agent ended the session without a status"});
            return {};
          },
          [&](const wire::StreamReset& reset) -> Status {
            finish({status_of(reset.fault), reset.reason, reset.fault == wire::StreamFault::Lost});
            return {};
          },
          [](const OneOf<wire::StreamOpen, wire::StreamOffer, wire::StreamDeclined,
                         wire::StreamTaken> auto&) -> Status {
            return bug("a frame that a client's stream does not take");
          },
      },
      kind);
}

Status RemoteCommand::take_output(const wire::StreamData& data) {
  MUSTER_TRY(const wire::ExecOutput output, wire::decode_exec_output(data.bytes));
  if (const auto* exited = std::get_if<wire::ExecExited>(&output)) {
    ledger_.close();
    handlers_.send(wire::StreamClosed{});
    finish({exited->status, exited->reason});
    return {};
  }
  const auto& bytes = std::get<wire::ExecOutputBytes>(output);
  handlers_.output(bytes.is_err, bytes.bytes);
  const uint64_t credit = ledger_.consumed(data.bytes.size());
  if (credit > 0 && !end_) {
    handlers_.send(wire::StreamCredit{credit});
  }
  return {};
}

void RemoteCommand::lose(const std::string& why) {
  if (!end_) {
    finish({opened_ ? kClusterFailed : kCouldNotStart, why, true});
  }
}

void RemoteCommand::cancel(const std::string& why, int status) {
  if (!end_) {
    handlers_.send(wire::StreamReset{wire::StreamFault::Cancelled, why});
    finish({status, why});
  }
}

void RemoteCommand::finish(RemoteEnd end) {
  end_ = std::move(end);
  handlers_.ended();
}

size_t RemoteCommand::room() const {
  constexpr size_t kKept = kReserveBytes + wire::kExecOverheadMax;
  const size_t left = running() ? ledger_.sendable() : 0;
  return left > kKept + kReserveBytes ? std::min(left - kKept, kSentPieceBytes) : 0;
}

void RemoteCommand::send_input(std::string_view bytes) {
  send(wire::ExecBytes{std::string(bytes)});
}

void RemoteCommand::end_input() { send(wire::ExecInputEnded{}); }

void RemoteCommand::signal(int number) { send(wire::ExecSignal{number}); }

bool RemoteCommand::resize(wire::TerminalSize size) { return send(size); }

bool RemoteCommand::send(const wire::ExecInput& message) {
  std::string bytes = wire::encode(message);
  if (!running() || bytes.size() > ledger_.sendable()) {
    return false;
  }
  ledger_.sent(bytes.size());
  handlers_.send(wire::StreamData{std::move(bytes)});
  return true;
}

}  // namespace muster::client
