#include "agent/session/sessions.h"

#include "agent/session/exec_session.h"
#include "agent/session/tcp_session.h"
#include "base/overloaded.h"

#include <utility>
#include <variant>

namespace muster::agent {
namespace {

/// From SIGHUP to SIGKILL.
constexpr Duration kHangUpGrace = std::chrono::seconds(5);

}  // namespace

Sessions::Sessions(Deps deps) : deps_(std::move(deps)), scope_(deps_.loop) {}

void Sessions::take(const wire::StreamFrame& frame) {
  if (const auto* request = std::get_if<wire::StreamOpen>(&frame.kind)) {
    open(frame.id, *request);
    return;
  }
  const auto stream = by_stream_.find(frame.id);
  if (stream == by_stream_.end()) {
    return;  // It was under way when the stream ended.
  }
  if (std::holds_alternative<wire::StreamReset>(frame.kind)) {
    hang_up(frame.id);
    return;
  }
  const Status taken = sessions_.at(stream->second).session->take(frame.kind);
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
    refuse(id, wire::StreamFault::NotRunning, "the task has just ended");
    return;
  }
  std::visit(Overloaded{
                 [&](const wire::ExecRequest& exec) { this->run(id, exec, *run); },
                 [&](const wire::TcpRequest& tcp) { connect(id, tcp, *run); },
             },
             request.request);
}

void Sessions::run(uint64_t id, const wire::ExecRequest& request, TaskRun& run) {
  const uint64_t number = ++last_number_;
  auto session = std::make_unique<ExecSession>(
      deps_.processes,
      ExecSession::Handlers{
          .send = [this, id](wire::StreamFrame::Kind kind) { deps_.send({id, std::move(kind)}); },
          .ended = [this, number] { on_ended(number); }});
  if (!session->start(request, run)) {
    return;
  }
  const os::Pid guest = session->pid();
  run.admit(guest);
  deps_.log.info("session.started", {{"pid", guest.value}});
  by_stream_.emplace(id, number);
  sessions_.emplace(number, Entry{run.names().attempt, std::move(session), guest});
}

void Sessions::connect(uint64_t id, const wire::TcpRequest& request, const TaskRun& run) {
  if (deps_.dialer == nullptr) {
    refuse(id, wire::StreamFault::Refused, "no program of this host can be reached");
    return;
  }
  const uint64_t number = ++last_number_;
  auto session = std::make_unique<TcpSession>(
      deps_.loop, *deps_.dialer, run.address().host,
      TcpSession::Handlers{
          .send = [this, id](wire::StreamFrame::Kind kind) { deps_.send({id, std::move(kind)}); },
          .ended = [this, number] { on_ended(number); }});
  session->start(request.port);
  by_stream_.emplace(id, number);
  sessions_.emplace(number, Entry{run.names().attempt, std::move(session)});
}

void Sessions::refuse(uint64_t id, wire::StreamFault fault, std::string reason) {
  deps_.send({id, wire::StreamReset{fault, std::move(reason)}});
}

void Sessions::hang_up(uint64_t id) {
  const uint64_t number = by_stream_.at(id);
  by_stream_.erase(id);
  scope_.spawn(kill_late(number));
  sessions_.at(number).session->hang_up();
}

void Sessions::hang_up_all() {
  while (!by_stream_.empty()) {
    hang_up(by_stream_.begin()->first);
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

void Sessions::on_ended(uint64_t number) {
  const auto found = sessions_.find(number);
  Entry entry = std::move(found->second);
  sessions_.erase(found);
  std::erase_if(by_stream_, [number](const auto& each) { return each.second == number; });
  TaskRun* const run = deps_.attempts.find(entry.attempt);
  if (run != nullptr && entry.guest != os::Pid{}) {
    run->dismiss(entry.guest);
  }
}

}  // namespace muster::agent
