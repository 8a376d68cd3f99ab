#include "agent/session/shell_session.h"

#include "agent/session/guest.h"
#include "base/overloaded.h"

#include <algorithm>
#include <csignal>
#include <string>
#include <utility>
#include <variant>

namespace muster::agent {
namespace {

/// Input that all clients together have typed and the shell has not yet read.
constexpr size_t kUnreadMax = 4 * wire::kStreamWindow;

rt::Async<> next_turn() { co_return; }

}  // namespace

ShellSession::ShellSession(rt::Loop& loop, Guests& guests, uint32_t number, Handlers handlers)
    : loop_(loop), number_(number), handlers_(std::move(handlers)), guest_(loop, guests) {}

bool ShellSession::start(const wire::ExecRequest& request, const TaskRun& run, Send send) {
  began_ = loop_.now();
  attempt_ = run.names().attempt.number;
  const Status started = guest_.start(
      request, run,
      {.output = [this](os::Stream, std::string_view bytes) { return on_output(bytes); },
       .written = [this](size_t bytes) { consumed(input_.was_read(bytes)); },
       .exited = [this](const os::Exit& exit) { on_exited(exit); }});
  if (!started) {
    send(wire::StreamOpened{});
    send(wire::StreamData{wire::encode(wire::ExecOutput(exit_of(started.error())))});
    send(wire::StreamClosed{});
    return false;
  }
  input_.begin(0);
  open({.shell = number_, .attempt = attempt_}, std::move(send));
  return true;
}

void ShellSession::join(const wire::JoinRequest& request, Send send) {
  loop_.cancel(std::exchange(timer_, {}));
  guest_.spare();
  input_.begin(request.typist);
  TerminalHistory::Resumption resumption = history_.resume(request.position);
  open({.shell = number_,
        .attempt = attempt_,
        .position = resumption.position,
        .lost = resumption.lost,
        .modes = std::move(resumption.modes)},
       std::move(send));
  guest_.draw_anew(request.size, history_.has_screen());
}

void ShellSession::open(wire::StreamOpened opened, Send send) {
  line_.emplace(Line{.send = std::move(send), .ledger = {}, .position = opened.position});
  opened.typist = input_.typist();
  opened.typed = input_.taken_bytes();
  line_->send(std::move(opened));
  pump();
  guest_.allow_output(readable());
}

wire::Shell ShellSession::describe() const {
  wire::Shell shell{.number = number_,
                    .pid = pid().value,
                    .age = loop_.now() - began_,
                    .alone = std::nullopt,
                    .ended = exited_.has_value()};
  if (!line_) {
    shell.alone = loop_.now() - alone_since_;
  }
  return shell;
}

Status ShellSession::take(wire::StreamFrame::Kind kind) {
  if (!line_ || over_) {
    return {};
  }
  return std::visit(
      Overloaded{
          [&](const wire::StreamData& data) -> Status {
            MUSTER_TRY_STATUS(line_->ledger.received(data));
            MUSTER_TRY(const wire::ExecInput input, wire::decode_exec_input(data.bytes));
            if (input_.unread_bytes() > kUnreadMax) {
              return Error{Errc::Other, Blame::User, "the shell reads no input"};
            }
            if (const auto* typed = std::get_if<wire::ExecBytes>(&input)) {
              input_.typed(typed->bytes.size());
            }
            consumed(guest_.give(input, data.bytes.size()));
            return {};
          },
          [&](const wire::StreamCredit& credit) -> Status {
            MUSTER_TRY_STATUS(line_->ledger.received(credit));
            pump();
            guest_.allow_output(readable());
            return {};
          },
          [&](const wire::StreamClosed& closed) -> Status {
            return line_->ledger.received(closed);
          },
          [](const OneOf<wire::StreamOpen, wire::StreamWaits, wire::StreamOpened, wire::StreamReset,
                         wire::StreamOffer, wire::StreamDeclined, wire::StreamTaken> auto&)
              -> Status {
            return Error{Errc::Corrupt, Blame::Muster, "a frame that an agent does not take"};
          },
      },
      kind);
}

void ShellSession::consumed(size_t bytes) {
  if (!line_) {
    return;
  }
  const uint64_t credit = line_->ledger.consumed(bytes);
  if (credit > 0 && !over_) {
    line_->send(wire::StreamCredit{credit});
  }
}

size_t ShellSession::on_output(std::string_view bytes) {
  history_.take(bytes);
  pump();
  return readable();
}

void ShellSession::pump() {
  if (!line_ || over_) {
    return;
  }
  while (line_->position < history_.end()) {
    const size_t room = output_room(line_->ledger);
    if (room == 0) {
      return;
    }
    const std::string_view part = history_.read(line_->position, room);
    std::string message =
        wire::encode(wire::ExecOutput(wire::ExecOutputBytes{false, std::string(part)}));
    line_->position += part.size();
    line_->ledger.sent(message.size());
    line_->send(wire::StreamData{std::move(message)});
  }
  if (exited_) {
    line_->send(wire::StreamData{wire::encode(wire::ExecOutput(*exited_))});
    line_->send(wire::StreamClosed{});
    finish();
  }
}

size_t ShellSession::readable() const {
  if (!line_) {
    return kGuestPieceBytes;
  }
  // The history is sent first; otherwise a slow reader would lose it.
  return line_->position < history_.end() ? 0 : output_room(line_->ledger);
}

void ShellSession::on_exited(const os::Exit& exit) {
  exited_ = exit_of(exit);
  std::string why = handlers_.exited();
  if (exit.signal == SIGKILL) {
    exited_->reason = std::move(why);
  }
  pump();
  if (!line_ && unwanted_) {
    finish();
  }
}

bool ShellSession::hang_up() {
  if (!line_ || over_) {
    return false;
  }
  // Data under way may not have arrived.
  const uint64_t under_way = wire::kStreamWindow - line_->ledger.sendable();
  history_.left_at(line_->position - std::min(line_->position, under_way));
  line_.reset();
  input_.change_hands();
  alone_since_ = loop_.now();
  if (unwanted_) {
    end();
    return false;
  }
  timer_ = loop_.call_after(kAloneMax, [this] { end(); });
  guest_.allow_output(readable());
  return false;
}

void ShellSession::end() {
  loop_.cancel(std::exchange(timer_, {}));
  unwanted_ = true;
  if (exited_) {
    finish();
    return;
  }
  guest_.hang_up();
}

void ShellSession::attempt_over() {
  unwanted_ = true;  // The attempt ends its guests with it.
  if (ended_unseen()) {
    finish();
  }
}

void ShellSession::finish() {
  if (!std::exchange(over_, true)) {
    ending_ = rt::start(loop_, next_turn(), [this] {
      const auto ended = std::move(handlers_.ended);
      ended();
    });
  }
}

}  // namespace muster::agent
