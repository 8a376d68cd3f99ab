#include "master/agents/agents.h"

#include <algorithm>
#include <utility>

namespace muster::master {
namespace {

/// The attempt that an order is about, and the order's rank: a later order for the same attempt
/// replaces one of the same rank.
struct OrderKey {
  job::AttemptId attempt;
  size_t kind = 0;
  bool operator==(const OrderKey&) const = default;
};

OrderKey key_of(const job::Action& action) {
  const job::AttemptId attempt = std::visit(
      [](const auto& order) -> job::AttemptId {
        if constexpr (requires { order.attempt; }) {
          return order.attempt;
        } else {
          return {};
        }
      },
      action);
  return {attempt, action.index()};
}

/// Keeps one order of each kind for the newest attempt of a task: older attempts are history.
void remember(std::vector<job::Action>& orders, const job::Action& action) {
  const OrderKey key = key_of(action);
  std::erase_if(orders, [&key](const job::Action& old) {
    const OrderKey other = key_of(old);
    return other == key ||
           (other.attempt.task == key.attempt.task && other.attempt.number < key.attempt.number);
  });
  orders.push_back(action);
}

}  // namespace

void Agents::accept(std::unique_ptr<control::Channel> channel, bool dialled) {
  auto session = std::make_unique<AgentSession>(std::move(channel), deps_.log);
  AgentSession* raw = session.get();
  const job::ContainerId container = raw->container();
  if (dialled && connected(container)) {
    // It connected by itself while it was being dialled. Its own connection serves its streams.
    raw->close();
    bury(std::move(session));
    return;
  }
  if (auto& slot = arriving_[container]; slot) {
    bury(std::exchange(slot, std::move(session)));
  } else {
    slot = std::move(session);
  }
  // A session that was replaced or forgotten may have a frame on its way, but no longer speaks for
  // anybody.
  raw->start({.hello =
                  [this, container, raw](wire::AgentHello& hello) {
                    if (take_over(container, raw)) {
                      on_hello(container, hello);
                    }
                  },
              .frame =
                  [this, container, raw](wire::AgentFrame& frame) {
                    if (is_current(container, raw)) {
                      handlers_.frame(container, frame);
                    }
                  },
              .closed = [this, container, raw] { on_closed(container, raw); }});
  if (dialled) {
    raw->welcome(deps_.admission.agent_welcome(container));
  }
}

bool Agents::take_over(const job::ContainerId& container, const AgentSession* session) {
  if (is_current(container, session)) {
    return true;
  }
  const auto found = arriving_.find(container);
  if (found == arriving_.end() || found->second.get() != session) {
    return false;
  }
  auto& slot = sessions_[container];
  if (slot) {
    bury(std::move(slot));
  }
  slot = std::move(found->second);
  arriving_.erase(found);
  return true;
}

void Agents::on_hello(const job::ContainerId& container, const wire::AgentHello& hello) {
  if (hello.report.epoch > deps_.admission.epoch()) {
    if (!deps_.fence.claimed(hello.report.epoch)) {
      sessions_.at(container)->refuse("it claims that there is a newer master, but there is none");
    }
    return;
  }
  AgentSession& session = *sessions_.at(container);
  deps_.log.info("agent.hello", {{"container", container.value},
                                 {"host", hello.host_name},
                                 {"pid", hello.pid},
                                 {"fresh", hello.fresh}});
  session.welcome(deps_.admission.agent_welcome(container));
  if (const auto view = deps_.decider.view()) {
    session.send_shared(view);
  }
  if (follow_.on) {
    session.send(follow_);
  }
  if (const auto waiting = orders_.find(container); waiting != orders_.end()) {
    for (const job::Action& action : waiting->second) {
      session.send(wire::AgentOrder{action});
    }
  }
  handlers_.joined(hello);
}

void Agents::on_closed(const job::ContainerId& container, const AgentSession* session) {
  const bool said_hello = is_current(container, session);
  auto& sessions = said_hello ? sessions_ : arriving_;
  const auto found = sessions.find(container);
  if (found == sessions.end() || found->second.get() != session) {
    return;
  }
  bury(std::move(found->second));
  sessions.erase(found);
  if (said_hello || !connected(container)) {
    handlers_.closed(container, said_hello);
  }
}

bool Agents::is_current(const job::ContainerId& container, const AgentSession* session) const {
  const auto found = sessions_.find(container);
  return found != sessions_.end() && found->second.get() == session;
}

void Agents::bury(std::unique_ptr<AgentSession> session) {
  // Posted, because this may be the session whose callback is running.
  deps_.loop.post([session = std::move(session)] {});
}

void Agents::order(const job::ContainerId& container, const job::Action& action) {
  remember(orders_[container], action);
  send(container, wire::AgentOrder{action});
}

void Agents::send(const job::ContainerId& container, wire::MasterFrame frame) {
  if (AgentSession* session = ready(container)) {
    session->send(std::move(frame));
  }
}

void Agents::send_to_all(const std::shared_ptr<const std::string>& frame) {
  for (const auto& [container, session] : sessions_) {
    session->send_shared(frame);
  }
}

void Agents::send_to_all(const wire::MasterFrame& frame) {
  send_to_all(std::make_shared<const std::string>(wire::encode(frame)));
}

void Agents::dismiss(const job::ContainerId& container, const std::string& reason) {
  orders_.erase(container);
  send(container, wire::AgentDismissed{reason});
}

void Agents::dismiss_all(const std::string& reason) {
  orders_.clear();
  send_to_all(wire::AgentDismissed{reason});
}

void Agents::forget(const job::ContainerId& container) {
  orders_.erase(container);
  for (auto* sessions : {&sessions_, &arriving_}) {
    if (const auto found = sessions->find(container); found != sessions->end()) {
      found->second->close();
      bury(std::move(found->second));
      sessions->erase(found);
    }
  }
}

void Agents::close_all() {
  for (auto* sessions : {&sessions_, &arriving_}) {
    for (auto& [container, session] : *sessions) {
      session->close();
    }
  }
}

void Agents::set_follow(const wire::FollowOutput& follow) {
  follow_ = follow;
  follow_.again = false;  // Agents that come later begin with the last lines anyway.
  send_to_all(follow);
}

bool Agents::connected(const job::ContainerId& container) const {
  return sessions_.contains(container);
}

AgentSession* Agents::ready(const job::ContainerId& container) {
  const auto found = sessions_.find(container);
  return found != sessions_.end() ? found->second.get() : nullptr;
}

}  // namespace muster::master
