#include "sim/full/rogue.h"

#include "base/check.h"
#include "control/keys.h"

#include <chrono>
#include <utility>

namespace muster::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::string encoded(const wire::AgentFrame& frame) { return wire::encode(frame); }

}  // namespace

Rogue::Rogue(Around around, std::string name, const cluster::LaunchOrder& order)
    : around_(std::move(around)),
      container_(order.container),
      random_(around_.world.random().fork()),
      transport_(around_.network, std::move(name)),
      lies_left_(random_.between(uint64_t{1}, uint64_t{6})),
      pause_max_(random_.chance(50) ? Duration(milliseconds(10)) : Duration(seconds(1))) {
  const Result<control::Key> key = control::parse_key(order.agent_key_hex);
  MUSTER_CHECK(key.has_value(), "a launch order holds a key");
  key_ = *key;
}

Rogue::~Rogue() { *alive_ = false; }

void Rogue::dial(const std::string& master_address) {
  transport_.dial(master_address, {control::Peer::Kind::Agent, container_}, key_, seconds(5),
                  [this, alive = alive_](Result<std::unique_ptr<control::Channel>> channel) {
                    if (*alive && channel && around_.lives()) {
                      begin(std::move(*channel));
                    }
                  });
}

void Rogue::begin(std::unique_ptr<control::Channel> channel) {
  channel_ = std::move(channel);
  channel_->start({.frame = [](std::string_view) {}, .closed = [](const Error&) {}});
  if (random_.chance(80)) {
    channel_->send(encoded(hello()));
  }
  say_more();
}

void Rogue::say_more() {
  around_.world.after(random_.between(Duration(milliseconds(1)), pause_max_),
                      [this, alive = alive_] {
                        if (!*alive) {
                          return;
                        }
                        if (lies_left_ == 0 || !around_.lives()) {
                          channel_.reset();
                          return;
                        }
                        --lies_left_;
                        channel_->send(draw_lie());
                        say_more();
                      });
}

wire::AgentHello Rogue::hello() {
  wire::AgentHello hello;
  hello.report.container = container_;
  hello.report.address = "rogue:1";
  hello.report.generation = job::Generation(static_cast<uint32_t>(random_.below(20)));
  hello.version = "sim";
  if (random_.chance(30)) {
    hello.report.epoch = job::Epoch(1000);
  }
  if (random_.chance(20)) {
    hello.report.container = job::ContainerId("another");
  }
  return hello;
}

job::AttemptId Rogue::somebody_elses() {
  std::vector<job::AttemptId> others = {{{job::RoleIndex(99), 7}, 1}};
  const bool living_only = random_.chance(50);
  for (const TrueAttempt& attempt : around_.truth.attempts) {
    if (attempt.container != container_ && !(living_only && attempt.ended)) {
      others.push_back(attempt.id);
    }
  }
  return others[random_.below(others.size())];
}

std::string Rogue::draw_lie() {
  job::Exit success;
  success.exit_code = 0;
  switch (random_.below(5)) {
    case 0:
      return "garbage";
    case 1:
      return encoded(wire::AgentFact{job::AttemptEnded{somebody_elses(), success}});
    case 2:
      return encoded(wire::CommitAsked{somebody_elses(), job::Generation(1), "rogue"});
    case 3:
      return encoded(wire::AgentFact{job::AttemptStarted{somebody_elses(), 1}});
    default: {
      wire::Report report;
      report.report = hello().report;
      job::AttemptReport other;
      other.attempt = somebody_elses();
      other.phase = job::AttemptReport::Phase::Ended;
      other.exit = success;
      report.report.attempts.push_back(std::move(other));
      return encoded(report);
    }
  }
}

}  // namespace muster::sim
