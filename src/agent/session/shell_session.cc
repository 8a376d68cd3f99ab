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

/// From SIGHUP to SIGKILL.
constexpr Duration kKillGrace = std::chrono::seconds(5);
/// What a new client is shown before what has been missed: a screen or two.
constexpr uint64_t kContextBytes = 8U << 10;
/// Typed, and not read by the shell yet, by all who have had it.
constexpr size_t kUnwrittenMax = 4 * wire::kStreamWindow;
/// In which a program notices that its terminal has another size.
constexpr Duration kOtherSizeTime = std::chrono::milliseconds(100);

rt::Async<> next_turn() { co_return; }

}  // namespace

ShellSession::ShellSession(rt::Loop& loop, os::Processes& processes, uint32_t number,
                           Handlers handlers)
    : loop_(loop), processes_(processes), number_(number), handlers_(std::move(handlers)) {}

ShellSession::~ShellSession() {
  loop_.cancel(timer_);
  loop_.cancel(drawing_);
}

bool ShellSession::start(const wire::ExecRequest& request, const TaskRun& run, Send send) {
  began_ = loop_.now();
  attempt_ = run.names().attempt.number;
  auto child = spawn_guest(
      processes_, request, run,
      {.output = [this](os::Stream, std::string_view bytes) { return on_output(bytes); },
       .written = [this](size_t bytes) { on_written(bytes); },
       .exited = [this](const os::Exit& exit) { on_exited(exit); }});
  if (!child.has_value()) {
    send(wire::StreamOpened{});
    send(wire::StreamData{wire::encode(wire::ExecOutput(exit_of(child.error())))});
    send(wire::StreamClosed{});
    return false;
  }
  child_ = std::move(*child);
  open({.shell = number_, .attempt = attempt_}, std::move(send));
  return true;
}

void ShellSession::join(const wire::JoinRequest& request, Send send) {
  loop_.cancel(std::exchange(timer_, {}));
  const uint64_t wanted = request.position ? std::min(*request.position, scrollback_.end()) : seen_;
  uint64_t position = request.position ? wanted : wanted - std::min(wanted, kContextBytes);
  uint64_t lost = 0;
  if (position < scrollback_.begin() || !request.position) {
    position = std::max(position, scrollback_.begin());
    // Neither half a line nor half a sequence of the terminal.
    position = position == 0 ? 0 : scrollback_.line_from(position);
    lost = position - std::min(position, wanted);
  }
  const bool knows_modes = request.position && lost == 0;
  open({.shell = number_,
        .attempt = attempt_,
        .position = position,
        .lost = lost,
        .modes = knows_modes ? "" : modes_.sequences()},
       std::move(send));
  if (!exited_) {
    draw_anew(request.size);
  }
}

/// Has the program draw its screen, which the terminal may not show. Many hear of the same size and
/// find nothing to do: those get another one for a moment.
void ShellSession::draw_anew(wire::TerminalSize size) {
  loop_.cancel(std::exchange(drawing_, {}));
  os::WindowSize window{.rows = size.rows, .columns = size.columns};
  if (modes_.has_screen()) {
    drawing_ = loop_.call_after(kOtherSizeTime, [this, window] {
      drawing_ = {};
      if (!exited_) {
        child_->resize(window);
      }
    });
    window.rows = static_cast<uint16_t>(window.rows > 1 ? window.rows - 1 : window.rows + 1);
  }
  child_->resize(window);
}

void ShellSession::open(wire::StreamOpened opened, Send send) {
  line_.emplace(Line{.send = std::move(send), .ledger = {}, .position = opened.position});
  line_->send(std::move(opened));
  pump();
  child_->allow_output(readable());
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

Status ShellSession::take(const wire::StreamFrame::Kind& kind) {
  if (!line_ || over_) {
    return {};
  }
  return std::visit(
      Overloaded{
          [&](const wire::StreamData& data) -> Status {
            MUSTER_TRY_STATUS(line_->ledger.received(data));
            MUSTER_TRY(const wire::ExecInput input, wire::decode_exec_input(data.bytes));
            if (unwritten_ > kUnwrittenMax) {
              return Error{Errc::Other, Blame::User, "the shell reads no input"};
            }
            if (const auto* typed = std::get_if<wire::ExecBytes>(&input)) {
              unwritten_ += typed->bytes.size();
            } else if (std::holds_alternative<wire::TerminalSize>(input)) {
              loop_.cancel(std::exchange(drawing_, {}));
            }
            consumed(give_input(processes_, *child_, input, data.bytes.size()));
            return {};
          },
          [&](const wire::StreamCredit& credit) -> Status {
            MUSTER_TRY_STATUS(line_->ledger.received(credit));
            pump();
            child_->allow_output(readable());
            return {};
          },
          [&](const wire::StreamClosed& closed) -> Status {
            return line_->ledger.received(closed);
          },
          [](const OneOf<wire::StreamOpen, wire::StreamWaits, wire::StreamOpened,
                         wire::StreamReset> auto&) -> Status {
            return Error{Errc::Corrupt, Blame::Muster, "a frame that an agent does not take"};
          },
      },
      kind);
}

void ShellSession::on_written(size_t bytes) {
  unwritten_ -= bytes;
  // Only who sent it gets the credit: others may have typed it before.
  const size_t of_others = std::min(bytes, of_others_);
  of_others_ -= of_others;
  consumed(bytes - of_others);
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
  scrollback_.append(bytes);
  modes_.take(bytes);
  pump();
  return readable();
}

void ShellSession::pump() {
  if (!line_ || over_) {
    return;
  }
  while (line_->position < scrollback_.end()) {
    const size_t room = output_room(line_->ledger);
    if (room == 0) {
      return;
    }
    const std::string_view part = scrollback_.read(line_->position, room);
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
  // What is kept goes first: else a slow reader would lose it.
  return line_->position < scrollback_.end() ? 0 : output_room(line_->ledger);
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
  // What is under way may not have arrived.
  const uint64_t under_way = wire::kStreamWindow - line_->ledger.sendable();
  seen_ = line_->position - std::min(line_->position, under_way);
  line_.reset();
  of_others_ = unwritten_;
  alone_since_ = loop_.now();
  if (unwanted_) {
    end();
    return false;
  }
  timer_ = loop_.call_after(kAloneMax, [this] { end(); });
  child_->allow_output(readable());
  return false;
}

void ShellSession::end() {
  loop_.cancel(std::exchange(timer_, {}));
  unwanted_ = true;
  if (exited_) {
    finish();
    return;
  }
  (void)processes_.signal_group(pid(), SIGHUP);
  (void)processes_.signal_group(pid(), SIGCONT);
  timer_ = loop_.call_after(kKillGrace, [this] { kill(); });
}

void ShellSession::kill() {
  if (!exited_) {
    processes_.signal_family(pid(), SIGKILL);
  }
}

void ShellSession::attempt_over() {
  unwanted_ = true;  // The attempt takes its guests along.
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
