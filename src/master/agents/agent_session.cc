#include "master/agents/agent_session.h"

#include <utility>

namespace muster::master {

AgentSession::AgentSession(std::unique_ptr<control::Channel> channel, const log::Logger& log)
    : log_(log), channel_(std::move(channel)) {}

void AgentSession::start(Handlers handlers) {
  handlers_ = std::move(handlers);
  channel_->start({.frame = [this](std::string_view bytes) { on_frame(bytes); },
                   .closed =
                       [this](const Error& reason) {
                         log_.info("agent.closed",
                                   {{"container", container().value}, {"reason", reason.message}});
                         const auto closed = handlers_.closed;
                         closed();
                       }});
}

void AgentSession::on_frame(std::string_view bytes) {
  if (refused_) {
    return;
  }
  Result<wire::AgentFrame> frame = wire::decode_agent_frame(bytes);
  if (!frame) {
    refuse(frame.error().message);
    return;
  }
  std::visit([this, &frame](auto& kind) { on(*frame, kind); }, *frame);
}

bool AgentSession::reports_for_itself(const job::AgentReported& report) {
  if (report.container != container()) {
    refuse("it reports for container " + report.container.value);
    return false;
  }
  return true;
}

void AgentSession::on(wire::AgentFrame&, wire::AgentHello& hello) {
  if (!reports_for_itself(hello.report)) {
    return;
  }
  said_hello_ = true;
  const auto handler = handlers_.hello;
  handler(hello);
}

void AgentSession::on(wire::AgentFrame& frame, const wire::Report& report) {
  if (!said_hello_ || reports_for_itself(report.report)) {
    pass(frame);
  }
}

void AgentSession::pass(wire::AgentFrame& frame) {
  if (!said_hello_) {
    refuse("its first frame is not a hello");
    return;
  }
  const auto handler = handlers_.frame;
  handler(frame);
}

void AgentSession::refuse(std::string_view reason) {
  refused_ = true;
  log_.warning("agent.refused", {{"container", container().value}, {"reason", reason}});
  channel_->close();
}

}  // namespace muster::master
