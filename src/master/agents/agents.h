#pragma once

#include "base/log.h"
#include "job/action.h"
#include "master/agents/admission.h"
#include "master/agents/agent_session.h"
#include "master/agents/fence.h"
#include "master/decider.h"
#include "rt/loop.h"
#include "wire/frame.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace muster::master {

/// All agents: their connections, what is sent to one or to all, and orders for agents that are not
/// connected yet. For each container, the connection whose hello came last counts: one that has not
/// said hello changes nothing, and a dialled connection gives way to one that the agent made
/// itself.
///
/// Every hello is answered with a welcome, the newest released view, the waiting orders, and
/// whether output is followed. An order is kept until its container is released, so that one lost
/// with a connection goes out again; orders are idempotent.
class Agents {
 public:
  struct Deps {
    rt::Loop& loop;
    log::Logger log;
    Admission& admission;    ///< What an agent is told first.
    const Decider& decider;  ///< Which view agents should have.
    Fence& fence;            ///< Whether a newer master that an agent obeys is in charge.
  };
  struct Handlers {
    /// An agent said hello (again). Called after the answer was sent.
    std::function<void(const wire::AgentHello&)> joined;
    /// A frame from an agent that has said hello.
    std::function<void(const job::ContainerId&, wire::AgentFrame&)> frame;
    /// The last connection of an agent is gone. `said_hello`: it knew this master, and will dial it
    /// again.
    std::function<void(const job::ContainerId&, bool said_hello)> closed;
  };

  Agents(const Deps& deps, Handlers handlers) : deps_(deps), handlers_(std::move(handlers)) {}
  Agents(const Agents&) = delete;
  Agents& operator=(const Agents&) = delete;

  /// Takes over a connection made by an agent or by the dialler. `dialled`: the master speaks
  /// first.
  void accept(std::unique_ptr<control::Channel> channel, bool dialled);

  /// Sends an order, or keeps it until the agent is connected.
  void order(const job::ContainerId& container, const job::Action& action);
  /// Sends a frame if the agent is connected.
  void send(const job::ContainerId& container, wire::MasterFrame frame);
  void send_to_all(const std::shared_ptr<const std::string>& frame);
  void send_to_all(const wire::MasterFrame& frame);
  /// Tells the agent to end, and forgets what waits for it.
  void dismiss(const job::ContainerId& container, const std::string& reason);
  void dismiss_all(const std::string& reason);
  /// The container is gone: closes its connection and drops what waits for it.
  void forget(const job::ContainerId& container);
  void close_all();

  /// Sets what agents that connect later are told about output.
  void set_follow(const wire::FollowOutput& follow);

  [[nodiscard]] bool connected(const job::ContainerId& container) const;
  [[nodiscard]] size_t size() const { return sessions_.size(); }

 private:
  /// Makes a connection that says hello the one that counts; returns false for one that was
  /// replaced.
  [[nodiscard]] bool take_over(const job::ContainerId& container, const AgentSession* session);
  void on_hello(const job::ContainerId& container, const wire::AgentHello& hello);
  void on_closed(const job::ContainerId& container, const AgentSession* session);
  [[nodiscard]] bool is_current(const job::ContainerId& container,
                                const AgentSession* session) const;
  void bury(std::unique_ptr<AgentSession> session);
  [[nodiscard]] AgentSession* ready(const job::ContainerId& container);

  Deps deps_;
  Handlers handlers_;
  std::map<job::ContainerId, std::unique_ptr<AgentSession>> sessions_;  ///< Have said hello.
  std::map<job::ContainerId, std::unique_ptr<AgentSession>> arriving_;  ///< Have not yet.
  std::map<job::ContainerId, std::vector<job::Action>> orders_;
  wire::FollowOutput follow_;
};

}  // namespace muster::master
