#include "testing/scripted_agent.h"

#include "base/check.h"
#include "control/keys.h"

#include <algorithm>
#include <utility>

namespace muster::testing {
namespace {

constexpr Duration kDialDeadline = std::chrono::seconds(5);

}  // namespace

ScriptedAgent::ScriptedAgent(rt::Loop& loop, MemoryNetwork& network,
                             const cluster::LaunchOrder& order, Duration beat)
    : loop_(loop),
      order_(order),
      beat_(beat),
      transport_(network, order.container.value),
      epoch_(order.epoch) {
  const Result<control::Key> key = control::parse_key(order.agent_key_hex);
  MUSTER_CHECK(key.has_value(), "a launch order carries a key");
  key_ = *key;
  auto listener = transport_.listen(
      {},
      [this](const control::Peer& peer) -> Result<control::Key> {
        if (peer.kind != control::Peer::Kind::Master || peer.container != container()) {
          return cluster_error("only masters dial agents", Errc::Unauthenticated);
        }
        return control::master_key_of(key_);
      },
      [this](std::unique_ptr<control::Channel> channel) { adopt(std::move(channel), false); });
  listener_ = std::move(*listener);
  dial();
  beat_timer_ = loop_.call_after(beat_, [this] { this->beat(); });
}

ScriptedAgent::~ScriptedAgent() { loop_.cancel(beat_timer_); }

void ScriptedAgent::dial() {
  transport_.dial(order_.master_address, {control::Peer::Kind::Agent, container()}, key_,
                  kDialDeadline, [this](Result<std::unique_ptr<control::Channel>> channel) {
                    if (channel) {
                      adopt(std::move(*channel), true);
                    }
                  });
}

void ScriptedAgent::adopt(std::unique_ptr<control::Channel> channel, bool dialled) {
  if (channel_) {
    // One of its callbacks may be running now.
    loop_.post([old = std::move(channel_)] {});
  }
  channel_ = std::move(channel);
  owes_hello_ = !dialled;
  channel_->start({.frame = [this](std::string_view bytes) { on_frame(bytes); },
                   .closed =
                       [this, raw = channel_.get()](const Error&) {
                         if (channel_.get() == raw) {
                           loop_.post([old = std::move(channel_)] {});
                         }
                       }});
  if (dialled) {
    send(hello());
  }
}

void ScriptedAgent::send(const wire::AgentFrame& frame) {
  if (channel_ && !hangs_) {
    channel_->send(wire::encode(frame));
  }
}

void ScriptedAgent::on_frame(std::string_view bytes) {
  Result<wire::MasterFrame> frame = wire::decode_master_frame(bytes);
  MUSTER_CHECK(frame.has_value(), "the master's frames can be read");
  frames_.push_back(*frame);
  if (hangs_) {
    return;
  }
  if (const auto* welcome = std::get_if<wire::MasterWelcome>(&*frame)) {
    if (welcome->epoch < epoch_) {
      loop_.post([old = std::move(channel_)] {});
      return;
    }
    epoch_ = welcome->epoch;
    if (std::exchange(owes_hello_, false)) {
      send(hello());
    }
    fresh_ = false;
  } else if (const auto* view = std::get_if<wire::ViewPushed>(&*frame)) {
    generation_ = std::max(generation_, view->view.generation);
  } else if (const auto* order = std::get_if<wire::AgentOrder>(&*frame)) {
    on_order(order->action);
  } else if (std::holds_alternative<wire::ReportAsked>(*frame)) {
    send(wire::Report{report()});
  } else if (std::holds_alternative<wire::AgentDismissed>(*frame)) {
    dismissed_ = true;
  }
}

void ScriptedAgent::on_order(const job::Action& action) {
  using Phase = job::AttemptReport::Phase;
  if (const auto* prepare = std::get_if<job::PrepareAttempt>(&action)) {
    const auto [found, first] = attempts_.try_emplace(prepare->attempt);
    job::AttemptReport& attempt = found->second;
    if (first) {
      const auto port = static_cast<uint16_t>(20'000 + prepare->attempt.task.index);
      attempt = {prepare->attempt, Phase::Joined, {"127.0.0.1", port, {}}, {}, std::nullopt};
    }
    if (attempt.phase == Phase::Joined) {
      send(wire::AgentFact{job::AttemptJoined{attempt.attempt, attempt.address}});
    }
  } else if (const auto* start = std::get_if<job::StartAttempt>(&action)) {
    const auto found = attempts_.find(start->attempt);
    if (found == attempts_.end() || start->generation < generation_) {
      return;
    }
    if (found->second.phase == Phase::Joined) {
      found->second.phase = Phase::Running;
      found->second.generation = start->generation;
    }
    if (found->second.phase == Phase::Running) {
      send(wire::AgentFact{job::AttemptStarted{start->attempt, 4000}});
    }
  } else if (const auto* stop = std::get_if<job::StopAttempt>(&action)) {
    job::Exit exit;
    exit.signal = 15;
    exit.failure = {"stopped", job::FailureKind::Stopped, job::Remedy::GiveUp, "", ""};
    end(stop->attempt, exit);
  }
}

void ScriptedAgent::end(job::AttemptId attempt, job::Exit exit) {
  const auto found = attempts_.find(attempt);
  if (found == attempts_.end()) {
    return;
  }
  if (found->second.phase != job::AttemptReport::Phase::Ended) {
    found->second.phase = job::AttemptReport::Phase::Ended;
    found->second.exit = std::move(exit);
  }
  send(wire::AgentFact{job::AttemptEnded{attempt, *found->second.exit}});
}

void ScriptedAgent::beat() {
  send(wire::Beat{++beats_, {}});
  beat_timer_ = loop_.call_after(beat_, [this] { this->beat(); });
}

wire::AgentHello ScriptedAgent::hello() {
  return {report(), "host of " + name(), 1, "test", fresh_};
}

job::AgentReported ScriptedAgent::report() const {
  job::AgentReported report{container(), listener_->address(), epoch_, generation_, {}};
  for (const auto& [id, attempt] : attempts_) {
    report.attempts.push_back(attempt);
  }
  return report;
}

}  // namespace muster::testing
