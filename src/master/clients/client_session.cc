#include "master/clients/client_session.h"

#include <utility>

namespace muster::master {
namespace {

/// Facts wait in the history while more than this is queued for one client.
constexpr size_t kFactBytesMax = 1U << 20;
/// The same for metrics: one push.
constexpr size_t kMetricsBytesMax = 64U << 10;
/// Answers wait while more than this is queued for one client.
constexpr size_t kAnswerBytesMax = 256U << 10;
/// Our clients ask one question at a time; another program may have this many outstanding.
constexpr size_t kQuestionsMax = 16;
constexpr int kUndueMax = 64;
/// How soon a client whose queue was full is looked at again; only while it is behind.
constexpr Duration kPumpPause = std::chrono::milliseconds(20);

}  // namespace

ClientSession::ClientSession(const Deps& deps, std::unique_ptr<control::Channel> channel)
    : deps_(deps),
      visitor_{.name = {}, .address = channel->address(), .heard = deps.loop.now()},
      channel_(std::move(channel)),
      output_(deps.loop, *channel_) {}

ClientSession::~ClientSession() { deps_.loop.cancel(pump_timer_); }

void ClientSession::start(Handlers handlers) {
  handlers_ = std::move(handlers);
  channel_->start({.frame = [this](std::string_view bytes) { on_frame(bytes); },
                   .closed =
                       [this](const Error&) {
                         const auto closed = handlers_.closed;
                         closed();
                       }});
}

ClientSession::Business ClientSession::business() const {
  return !said_hello_                                            ? Business::None
         : reaches_                                              ? Business::Reaches
         : follows_.facts || follows_.output || follows_.metrics ? Business::Follows
                                                                 : Business::Asks;
}

void ClientSession::on_frame(std::string_view bytes) {
  if (ended_) {
    return;
  }
  visitor_.heard = deps_.loop.now();
  Result<wire::ClientFrame> frame = wire::decode_client_frame(bytes);
  if (!frame) {
    drop(frame.error().message);
    return;
  }
  std::visit([this](auto& kind) { on(kind); }, *frame);
}

/// Sends the reason, and closes the connection.
void ClientSession::drop(const std::string& reason) {
  deps_.log.warning("client.refused", {{"reason", reason}});
  refuse(reason);
  channel_->close();
  ended_ = true;
}

/// Such a frame is answered at once, however little the client reads of the answers.
void ClientSession::note_undue() {
  if (++undue_ > kUndueMax) {
    drop("it goes on asking for what it cannot have");
  }
}

void ClientSession::on(const wire::ClientHello& hello) {
  if (said_hello_) {
    drop("it said hello twice");  // The answer contains the whole plan.
    return;
  }
  deps_.log.info("client.hello", {{"who", hello.who}, {"as", channel_->peer().identity()}});
  said_hello_ = true;
  visitor_.name = hello.who;
  send(deps_.admission.client_welcome());
  follows_.facts = hello.follow_facts;
  follows_.output = hello.follow_output;
  next_fact_ = hello.from_index;
  if (last_frame_) {
    say_goodbye();
    return;
  }
  pump();
  if (deps_.report.log_is_stuck()) {
    tell_status();
  }
  begin_output();
}

void ClientSession::begin_output() {
  if (!follows_.output || !output_.begin()) {
    return;
  }
  const auto handler = handlers_.follows_output;
  for (const wire::Output& missed : handler()) {
    output(missed);
  }
}

void ClientSession::on(const wire::StopJob& stop) {
  if (channel_->peer().kind != control::Peer::Kind::Owner) {
    refuse("viewers may not stop a job");
    note_undue();
    return;
  }
  const std::string by = stop.by.empty() ? visitor_.name : stop.by;
  const auto handler = handlers_.stop;
  handler({.by = by.empty() ? "its owner" : by, .how = stop.how});
}

bool ClientSession::reads() const { return channel_->queued_bytes() < kAnswerBytesMax; }

void ClientSession::ask(Question question) {
  if (questions_.size() >= kQuestionsMax) {
    drop("it asks faster than it can be answered");
    return;
  }
  questions_.push_back(question);
  const auto handler = handlers_.asked;
  handler();
}

void ClientSession::answer_next() {
  const Question question = questions_.front();
  questions_.pop_front();
  std::visit([this](const auto& kind) { answer(kind); }, question);
}

void ClientSession::on(const wire::StatusAsked& asked) { ask(asked); }

void ClientSession::answer(const wire::StatusAsked&) {
  send(wire::StatusAnswered{deps_.report.status()});
}

void ClientSession::on(wire::StreamFrame& frame) {
  if (channel_->peer().kind != control::Peer::Kind::Owner || !said_hello_) {
    if (!std::holds_alternative<wire::StreamReset>(frame.kind)) {
      stream({frame.id, wire::StreamReset{wire::StreamFault::Refused,
                                          "only the job's owner may reach into its tasks"}});
      note_undue();
    }
    return;
  }
  reaches_ = true;
  const auto handler = handlers_.stream;
  handler(std::move(frame));
}

void ClientSession::on(const wire::MetricsAsked& asked) { ask(asked); }

void ClientSession::answer(const wire::MetricsAsked& asked) {
  const auto handler = handlers_.metrics;
  send(handler(asked));
}

void ClientSession::on(const wire::FollowMetrics& follow) { ask(follow); }

void ClientSession::answer(const wire::FollowMetrics& follow) {
  follows_.metrics = follow.on;
  const auto handler = handlers_.follows_metrics;
  handler();
}

void ClientSession::metrics(const std::shared_ptr<const std::string>& pushed) {
  // The next push says everything that this one does.
  if (follows_.metrics && said_hello_ && !ended_ && channel_->queued_bytes() < kMetricsBytesMax) {
    channel_->send_shared(pushed);
  }
}

void ClientSession::stream(wire::StreamFrame frame) {
  if (!ended_) {
    send(std::move(frame));
  }
}

void ClientSession::tell_status() {
  if (said_hello_ && follows_.facts && !ended_) {
    send(wire::StatusAnswered{deps_.report.status()});
  }
}

void ClientSession::refuse(const std::string& reason) { send(wire::Refused{reason}); }

void ClientSession::pump() {
  while (follows_.facts && next_fact_ < deps_.history.size() &&
         channel_->queued_bytes() < kFactBytesMax) {
    channel_->send_shared(deps_.history.frame(next_fact_++));
  }
  deps_.loop.cancel(pump_timer_);
  if (follows_.facts && next_fact_ < deps_.history.size()) {
    pump_timer_ = deps_.loop.call_after(kPumpPause, [this] { pump(); });
  }
}

void ClientSession::output(const wire::Output& piece) {
  if (follows_.output && !ended_) {
    output_.add(piece);
  }
}

void ClientSession::end(const std::shared_ptr<const std::string>& last_frame) {
  last_frame_ = last_frame;
  if (said_hello_) {
    say_goodbye();
  }
}

void ClientSession::say_goodbye() {
  if (ended_) {
    return;
  }
  deps_.loop.cancel(pump_timer_);
  // The rest is queued at once: a client that still does not read loses its connection a second
  // later.
  while (follows_.facts && next_fact_ < deps_.history.size()) {
    channel_->send_shared(deps_.history.frame(next_fact_++));
  }
  begin_output();
  output_.finish();
  ended_ = true;
  channel_->send_shared(last_frame_);
  channel_->close();
}

}  // namespace muster::master
