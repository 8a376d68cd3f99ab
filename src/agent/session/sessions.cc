#include "agent/session/sessions.h"

#include "agent/session/exec_session.h"
#include "agent/session/tcp_session.h"
#include "base/overloaded.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace muster::agent {
namespace {

/// From SIGHUP to SIGKILL.
constexpr Duration kHangUpGrace = std::chrono::seconds(5);

}  // namespace

Sessions::Sessions(Deps deps)
    : deps_(std::move(deps)),
      direct_(deps_.loop, deps_.log,
              {.to_master = deps_.send,
               .to_sessions = [this](wire::StreamFrame frame) { take_here(std::move(frame)); }}),
      guests_({.loop = deps_.loop,
               .processes = deps_.processes,
               .files = deps_.files,
               .recording = deps_.recording}),
      scope_(deps_.loop) {}

void Sessions::take(wire::StreamFrame frame) {
  if (const auto* request = std::get_if<wire::StreamOpen>(&frame.kind);
      request != nullptr && !request->ticket.empty()) {
    direct_.expect(frame.id, *request);
    return;
  }
  if (const auto awaited = direct_.withdraw(frame.id)) {
    if (std::holds_alternative<wire::StreamDeclined>(frame.kind)) {
      open(frame.id, *awaited);
    }
    return;
  }
  take_here(std::move(frame));
}

void Sessions::send(wire::StreamFrame frame) {
  if (DirectStreams::owns(frame.id)) {
    direct_.send(std::move(frame));
  } else {
    deps_.send(std::move(frame));
  }
}

void Sessions::take_here(wire::StreamFrame frame) {
  if (const auto* request = std::get_if<wire::StreamOpen>(&frame.kind)) {
    open(frame.id, *request);
    return;
  }
  const auto stream = by_stream_.find(frame.id);
  if (stream == by_stream_.end()) {
    return;  // The frame was under way when the stream ended.
  }
  if (std::holds_alternative<wire::StreamReset>(frame.kind)) {
    hang_up(frame.id);
    return;
  }
  const Status taken = sessions_.at(stream->second).session->take(std::move(frame.kind));
  if (!taken.has_value()) {
    deps_.log.warning("session.bad-frame", {{"error", taken.error().message}});
    refuse(frame.id, wire::StreamFault::Protocol, taken.error().message);
    hang_up(frame.id);
  }
}

void Sessions::open(uint64_t id, const wire::StreamOpen& request) {
  if (by_stream_.contains(id) || sessions_.size() >= 2 * wire::kStreamsMax) {
    refuse(id, wire::StreamFault::Refused, "there are too many sessions in this container");
    return;
  }
  TaskRun* const run = deps_.attempts.find(request.attempt);
  if (run == nullptr || !run->running()) {
    // Only the master knows whether the task runs again.
    refuse(id, wire::StreamFault::Lost, "the task has just ended");
    return;
  }
  std::visit(
      Overloaded{
          [&](const wire::ExecRequest& exec) {
            exec.keeps ? begin_shell(id, exec, *run)
                       : this->run(id, exec, windows_for(request.window), *run);
          },
          [&](const wire::JoinRequest& joined) { join(id, joined, *run); },
          [&](const wire::ShellsRequest&) { list(id, *run); },
          [&](const wire::TcpRequest& tcp) { connect(id, tcp, windows_for(request.window), *run); },
      },
      request.request);
}

wire::StreamWindows Sessions::windows_for(size_t there) const {
  const bool wide = there > wire::kStreamWindow && sessions_.size() < wire::kWideStreamsMax;
  return {.here = wide ? wire::kStreamWindowMax : wire::kStreamWindow, .there = there};
}

void Sessions::run(uint64_t id, const wire::ExecRequest& request, wire::StreamWindows windows,
                   TaskRun& run) {
  const uint64_t number = ++last_number_;
  auto session = std::make_unique<ExecSession>(
      guests_, windows,
      ExecSession::Handlers{
          .send = [this, id](wire::StreamFrame::Kind kind) { send({id, std::move(kind)}); },
          .exited = [this, number] { return on_exited(number); },
          .ended = [this, number] { on_ended(number); }});
  if (!session->start(request, run)) {
    direct_.end(id);
    return;
  }
  const os::Pid guest = session->pid();
  run.admit(guest);
  deps_.log.info("session.started", {{"pid", guest.value}});
  by_stream_.emplace(id, number);
  sessions_.emplace(number, Entry{run.names().attempt, std::move(session), guest});
}

// ---- shells

void Sessions::begin_shell(uint64_t id, const wire::ExecRequest& request, TaskRun& run) {
  if (!make_place()) {
    refuse(id, wire::StreamFault::Refused,
           fmt::format("the container already has {} shells, the maximum; `muster shell JOB TASK "
                       "--list` shows them, and --join N rejoins one",
                       wire::kShellsMax));
    return;
  }
  const uint64_t number = ++last_number_;
  auto session = std::make_unique<ShellSession>(
      deps_.loop, guests_, last_shell_ + 1,
      ShellSession::Handlers{.exited = [this, number] { return on_exited(number); },
                             .ended = [this, number] { on_ended(number); }});
  if (!session->start(request, run, sender(id))) {
    return;
  }
  ShellSession* const shell = session.get();
  const os::Pid guest = shell->pid();
  run.admit(guest);
  deps_.log.info("session.started", {{"pid", guest.value}, {"shell", ++last_shell_}});
  by_stream_.emplace(id, number);
  sessions_.emplace(number,
                    Entry{run.names().attempt, std::move(session), guest, shell, last_shell_});
}

bool Sessions::make_place() {
  size_t shells = 0;
  auto unseen = sessions_.end();
  for (auto entry = sessions_.begin(); entry != sessions_.end(); ++entry) {
    if (const ShellSession* const shell = entry->second.shell) {
      ++shells;
      // The oldest of those that are kept only to report how they ended.
      unseen = unseen == sessions_.end() && shell->ended_unseen() ? entry : unseen;
    }
  }
  if (shells < wire::kShellsMax) {
    return true;
  }
  if (unseen == sessions_.end()) {
    return false;
  }
  sessions_.erase(unseen);
  return true;
}

uint64_t Sessions::find_shell(uint64_t id, const wire::JoinRequest& request, const TaskRun& run) {
  std::vector<uint64_t> found;
  std::string names;
  for (const auto& [number, entry] : sessions_) {
    const bool wanted = request.shell == 0 ? entry.shell != nullptr && entry.shell->describe().alone
                                           : entry.shell_number == request.shell;
    if (entry.shell != nullptr && wanted && entry.attempt == run.names().attempt) {
      found.push_back(number);
      names += fmt::format("{}{}", names.empty() ? "" : ", ", entry.shell_number);
    }
  }
  if (found.size() == 1) {
    return found.front();
  }
  if (found.size() > 1) {
    refuse(id, wire::StreamFault::Refused,
           fmt::format("the task has several detached shells ({}): name one", names));
  } else if (request.shell == 0) {
    refuse(id, wire::StreamFault::Refused, "the task has no detached shell");
  } else {
    refuse(id, wire::StreamFault::Refused,
           fmt::format("the task has no shell {} now: it has ended", request.shell));
  }
  return 0;
}

void Sessions::join(uint64_t id, const wire::JoinRequest& request, const TaskRun& run) {
  const uint64_t number = find_shell(id, request, run);
  if (number == 0) {
    return;
  }
  const auto former =
      std::ranges::find(by_stream_, number, &std::pair<const uint64_t, uint64_t>::second);
  if (former != by_stream_.end()) {
    const uint64_t stream = former->first;
    refuse(stream, wire::StreamFault::Cancelled, "somebody else has joined the shell");
    hang_up(stream);
  }
  const Entry& entry = sessions_.at(number);
  deps_.log.info("session.joined", {{"shell", entry.shell_number}});
  by_stream_.emplace(id, number);
  entry.shell->join(request, sender(id));
}

void Sessions::list(uint64_t id, const TaskRun& run) {
  wire::ShellList shells;
  for (const auto& [number, entry] : sessions_) {
    if (entry.shell != nullptr && entry.attempt == run.names().attempt) {
      shells.shells.push_back(entry.shell->describe());
    }
  }
  send({id, wire::StreamOpened{}});
  send({id, wire::StreamData{wire::encode(shells)}});
  send({id, wire::StreamClosed{}});
}

ShellSession::Send Sessions::sender(uint64_t id) {
  return [this, id](wire::StreamFrame::Kind kind) { send({id, std::move(kind)}); };
}

// ---- connections

void Sessions::connect(uint64_t id, const wire::TcpRequest& request, wire::StreamWindows windows,
                       const TaskRun& run) {
  if (deps_.dialer == nullptr) {
    refuse(id, wire::StreamFault::Refused, "no program on this host can be reached");
    return;
  }
  const uint64_t number = ++last_number_;
  auto session = std::make_unique<TcpSession>(
      deps_.loop, *deps_.dialer, run.address().host, windows,
      TcpSession::Handlers{
          .send = [this, id](wire::StreamFrame::Kind kind) { send({id, std::move(kind)}); },
          .ended = [this, number] { on_ended(number); }});
  session->start(request.port);
  by_stream_.emplace(id, number);
  sessions_.emplace(number, Entry{run.names().attempt, std::move(session)});
}

void Sessions::refuse(uint64_t id, wire::StreamFault fault, std::string reason) {
  send({id, wire::StreamReset{fault, std::move(reason)}});
}

void Sessions::hang_up(uint64_t id) {
  const uint64_t number = by_stream_.at(id);
  by_stream_.erase(id);
  if (sessions_.at(number).session->hang_up()) {
    scope_.spawn(kill_late(number));
  }
}

void Sessions::master_gone() {
  direct_.withdraw_all();
  while (!by_stream_.empty() && !DirectStreams::owns(by_stream_.begin()->first)) {
    hang_up(by_stream_.begin()->first);  // Direct streams come last, because of their ids.
  }
}

void Sessions::attempt_over(job::AttemptId attempt) {
  for (const auto& [number, entry] : sessions_) {
    if (entry.attempt == attempt) {
      entry.session->attempt_over();
    }
  }
}

rt::Async<> Sessions::kill_late(uint64_t number) {
  co_await rt::pause_for(deps_.loop, kHangUpGrace);
  if (const auto found = sessions_.find(number); found != sessions_.end()) {
    found->second.session->kill();
  }
}

/// Handles the exit of a session's process. Returns why, if the attempt's end took it along.
std::string Sessions::on_exited(uint64_t number) {
  const Entry& entry = sessions_.at(number);
  TaskRun* const run = deps_.attempts.find(entry.attempt);
  if (run != nullptr && run->dismiss(entry.guest)) {
    return "";
  }
  return fmt::format("the task has ended, and the {} with it",
                     entry.shell == nullptr ? "command" : "shell");
}

void Sessions::on_ended(uint64_t number) {
  const auto found = sessions_.find(number);
  const Entry entry = std::move(found->second);
  sessions_.erase(found);
  std::erase_if(by_stream_, [this, number](const auto& each) {
    if (each.second == number && DirectStreams::owns(each.first)) {
      direct_.end(each.first);
    }
    return each.second == number;
  });
}

}  // namespace muster::agent
