#include "client/reach/task_streams.h"

#include "base/overloaded.h"

#include <utility>
#include <variant>

namespace muster::client {

TaskStreams::TaskStreams(Deps deps, Options options)
    : deps_(std::move(deps)),
      who_(std::move(options.who)),
      reconnects_(options.reconnects),
      direct_(deps_.loop, deps_.transport, options.by_master,
              {.frame = [this](wire::StreamFrame frame) { handlers_.frame(std::move(frame)); },
               .declined =
                   [this](uint64_t id) {
                     connection_.send(wire::StreamFrame{id, wire::StreamDeclined{}});
                   }}),
      connection_({.loop = deps_.loop, .transport = deps_.transport, .locate = deps_.locate},
                  {.job_id = std::move(options.job_id),
                   .secret = options.secret,
                   .patience = options.patience}) {}

void TaskStreams::start(Handlers handlers) {
  handlers_ = std::move(handlers);
  connection_.start({.opened = [this] { connection_.send(wire::ClientHello{.who = who_}); },
                     .frame = [this](std::string_view bytes) { on_frame(bytes); },
                     .silent =
                         [this](const std::string& reason, Duration) {
                           const bool broken = std::exchange(welcomed_, false);
                           direct_.stop_dialling();
                           if (deps_.over() || (broken && !reconnects_)) {
                             lose(reason);
                           } else if (broken && !lost_) {
                             handlers_.broken(reason);
                           }
                           return !lost_;
                         },
                     .given_up = [this](const std::string& error) { lose(error); }});
}

uint64_t TaskStreams::open(const wire::StreamOpen& request) {
  const uint64_t id = ++last_id_;
  connection_.send(wire::StreamFrame{id, request});
  return id;
}

void TaskStreams::send(wire::StreamFrame frame) {
  if (direct_.has(frame.id)) {
    direct_.send(std::move(frame));
  } else {
    connection_.send(std::move(frame));
  }
}

void TaskStreams::on_frame(std::string_view bytes) {
  if (lost_) {
    return;
  }
  Result<wire::ClientEvent> event = wire::decode_client_event(bytes);
  if (!event) {
    lose("the master sent something that this version does not understand: " +
         event.error().message);
    return;
  }
  std::visit(Overloaded{
                 [&](const wire::ClientWelcome& welcome) {
                   if (!std::exchange(welcomed_, true)) {
                     direct_.forget_failures();
                     handlers_.opened(welcome);
                   }
                 },
                 [&](wire::StreamFrame& frame) { on_stream_frame(frame); },
                 [&](const wire::JobEnded&) { lose("the job has ended"); },
                 [](const auto&) {},
             },
             *event);
}

void TaskStreams::on_stream_frame(wire::StreamFrame& frame) {
  if (const auto* offer = std::get_if<wire::StreamOffer>(&frame.kind)) {
    direct_.take(frame.id, *offer, connection_.address());
  } else if (!direct_.has(frame.id)) {
    handlers_.frame(std::move(frame));
  }
}

void TaskStreams::lose(const std::string& why) {
  if (!std::exchange(lost_, true)) {
    handlers_.lost(why);
  }
}

}  // namespace muster::client
