#include "agent/session/exec_session.h"

#include "agent/session/guest.h"
#include "base/overloaded.h"
#include "stacks/debug_words.h"
#include "stacks/stack_report.h"

#include <algorithm>
#include <csignal>
#include <ranges>
#include <string>
#include <utility>
#include <variant>

namespace muster::agent {
namespace {

/// Returns whether it runs a probe, which stops processes to read them.
bool is_probe(const std::vector<std::string>& arguments) {
  const auto begins_with = [&](const std::vector<std::string>& command) {
    return std::ranges::equal(command, arguments | std::views::take(command.size()));
  };
  return begins_with(stacks::probe_command()) || begins_with(stacks::debug_command());
}

}  // namespace

bool ExecSession::start(const wire::ExecRequest& request, const TaskRun& run) {
  auto child =
      guests_.spawn(request, run,
                    {.output = [this](os::Stream stream,
                                      std::string_view bytes) { return on_output(stream, bytes); },
                     .written = [this](size_t bytes) { consumed(bytes); },
                     .exited = [this](const os::Exit& exit) { on_exited(exit); }});
  handlers_.send(wire::StreamOpened{.window = window_});
  if (!child.has_value()) {
    tell_exit(exit_of(child.error()));
    return false;
  }
  child_ = std::move(*child);
  child_->allow_output(readable());
  if (is_probe(request.arguments)) {
    const os::Pid process = run.family().process();
    reads_ = {.process = process, .stood = processes_.stopped(process)};
  }
  return true;
}

Status ExecSession::take(wire::StreamFrame::Kind kind) {
  if (hung_up_) {
    return {};
  }
  return std::visit(
      Overloaded{
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
          [](const OneOf<wire::StreamOpen, wire::StreamWaits, wire::StreamOpened, wire::StreamReset,
                         wire::StreamOffer, wire::StreamDeclined, wire::StreamTaken> auto&)
              -> Status {
            return Error{Errc::Corrupt, Blame::Muster, "a frame that an agent does not take"};
          },
      },
      kind);
}

Status ExecSession::take_input(const wire::StreamData& data) {
  MUSTER_TRY(const wire::ExecInput input, wire::decode_exec_input(data.bytes));
  consumed(give_input(processes_, *child_, input, data.bytes.size()));
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

size_t ExecSession::readable() const { return hung_up_ ? kGuestPieceBytes : output_room(ledger_); }

void ExecSession::on_exited(const os::Exit& exit) {
  if (reads_ && (exit.signal || hung_up_)) {
    processes_.go_on(reads_->process, reads_->stood);
  }
  wire::ExecExited exited = exit_of(exit);
  std::string why = handlers_.exited();
  if (exit.signal == SIGKILL) {
    exited.reason = std::move(why);
  }
  if (!hung_up_) {
    tell_exit(exited);
  }
  const auto ended = std::move(handlers_.ended);
  ended();
}

void ExecSession::tell_exit(const wire::ExecExited& exited) {
  send(exited);
  ledger_.close();
  handlers_.send(wire::StreamClosed{});
}

bool ExecSession::hang_up() {
  if (!std::exchange(hung_up_, true)) {
    (void)processes_.signal_group(child_->pid(), SIGHUP);
    (void)processes_.signal_group(child_->pid(), SIGCONT);
    child_->allow_output(readable());
  }
  return true;
}

void ExecSession::kill() { processes_.signal_family(child_->pid(), SIGKILL); }

}  // namespace muster::agent
