#include "agent/session/exec_session.h"

#include "base/overloaded.h"

#include <algorithm>
#include <csignal>
#include <optional>
#include <utility>
#include <variant>

namespace muster::agent {
namespace {

constexpr size_t kPieceBytes = 32U << 10;
/// Kept for the message of the command's end, whatever the command has written.
constexpr size_t kReserveBytes = 8U << 10;
/// Below this much the next credit is waited for: many small pieces would cost more than they say.
constexpr size_t kLowBytes = 4U << 10;

// As shells have them.
constexpr int32_t kNotFound = 127;
constexpr int32_t kCannotRun = 126;
constexpr int32_t kBySignal = 128;

}  // namespace

bool ExecSession::start(const wire::ExecRequest& request, const TaskRun& run) {
  os::SpawnOptions options;
  options.argv = request.arguments;
  options.env = run.environment();
  options.folder = run.folder();
  options.parent_death_signal = SIGKILL;
  std::optional<os::WindowSize> terminal;
  if (request.terminal) {
    terminal = {.rows = request.terminal->size.rows, .columns = request.terminal->size.columns};
    options.env["TERM"] = request.terminal->name;
  }
  auto child = processes_.spawn_interactive(
      std::move(options), terminal,
      {.output = [this](os::Stream stream,
                        std::string_view bytes) { return on_output(stream, bytes); },
       .written = [this](size_t bytes) { consumed(bytes); },
       .exited = [this](const os::Exit& exit) { on_exited(exit); }});
  handlers_.send(wire::StreamOpened{});
  if (!child.has_value()) {
    tell_exit(
        {child.error().code == Errc::NotFound ? kNotFound : kCannotRun, child.error().message});
    return false;
  }
  child_ = std::move(*child);
  child_->allow_output(readable());
  return true;
}

Status ExecSession::take(const wire::StreamFrame::Kind& kind) {
  if (hung_up_) {
    return {};
  }
  return std::visit(Overloaded{
                        [&](const wire::StreamData& data) -> Status {
                          MUSTER_TRY_STATUS(ledger_.received(data));
                          return take_input(data);
                        },
                        [&](const wire::StreamCredit& credit) -> Status {
                          MUSTER_TRY_STATUS(ledger_.received(credit));
                          child_->allow_output(readable());
                          return {};
                        },
                        [&](const wire::StreamClosed& closed) -> Status {
                          MUSTER_TRY_STATUS(ledger_.received(closed));
                          child_->end_input();
                          return {};
                        },
                        [](const OneOf<wire::StreamOpen, wire::StreamWaits, wire::StreamOpened,
                                       wire::StreamReset> auto&) -> Status {
                          return Error{Errc::Corrupt, Blame::Muster,
                                       "a frame that an agent does not take"};
                        },
                    },
                    kind);
}

Status ExecSession::take_input(const wire::StreamData& data) {
  MUSTER_TRY(const wire::ExecInput input, wire::decode_exec_input(data.bytes));
  size_t done = data.bytes.size();
  std::visit(Overloaded{
                 [&](const wire::ExecBytes& bytes) {
                   done -= bytes.bytes.size();  // The rest when the command has taken it.
                   child_->write(bytes.bytes);
                 },
                 [&](const wire::ExecInputEnded&) { child_->end_input(); },
                 [&](const wire::TerminalSize& size) {
                   child_->resize({.rows = size.rows, .columns = size.columns});
                 },
                 [&](const wire::ExecSignal& signal) {
                   if (signal.signal > 0 && signal.signal < NSIG) {
                     (void)processes_.signal_group(child_->pid(), signal.signal);
                   }
                 },
             },
             input);
  consumed(done);
  return {};
}

void ExecSession::consumed(size_t bytes) {
  const uint64_t credit = ledger_.consumed(bytes);
  if (credit > 0 && !hung_up_) {
    handlers_.send(wire::StreamCredit{credit});
  }
}

void ExecSession::send(const wire::ExecOutput& message) {
  std::string bytes = wire::encode(message);
  ledger_.sent(bytes.size());
  handlers_.send(wire::StreamData{std::move(bytes)});
}

size_t ExecSession::on_output(os::Stream stream, std::string_view bytes) {
  if (!hung_up_) {
    send(wire::ExecOutputBytes{stream == os::Stream::Stderr, std::string(bytes)});
  }
  return readable();
}

size_t ExecSession::readable() const {
  if (hung_up_) {
    return kPieceBytes;
  }
  const size_t left = ledger_.sendable();
  return left < kReserveBytes + kLowBytes
             ? 0
             : std::min(kPieceBytes, left - kReserveBytes - wire::kExecOverheadMax);
}

void ExecSession::on_exited(const os::Exit& exit) {
  if (!hung_up_) {
    tell_exit({exit.signal ? kBySignal + *exit.signal : exit.code.value_or(kCannotRun), ""});
  }
  const auto ended = std::move(handlers_.ended);
  ended();
}

void ExecSession::tell_exit(const wire::ExecExited& exited) {
  send(exited);
  ledger_.close();
  handlers_.send(wire::StreamClosed{});
}

void ExecSession::hang_up() {
  if (std::exchange(hung_up_, true)) {
    return;
  }
  (void)processes_.signal_group(child_->pid(), SIGHUP);
  (void)processes_.signal_group(child_->pid(), SIGCONT);
  child_->allow_output(readable());
}

void ExecSession::kill() { processes_.signal_family(child_->pid(), SIGKILL); }

}  // namespace muster::agent
