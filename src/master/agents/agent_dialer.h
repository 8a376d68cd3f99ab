#pragma once

#include "base/log.h"
#include "control/keys.h"
#include "control/transport.h"
#include "job/ids.h"
#include "rt/loop.h"
#include "rt/running.h"

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace muster::master {

/// Lets a new master call the agents that the log names. Each is dialled again and again with short
/// pauses until it answers, is given up, or its time is over.
class AgentDialer {
 public:
  struct Deps {
    rt::Loop& loop;
    control::Transport& transport;
    const control::Secret& secret;
    Duration patience;  ///< How long one agent is dialled, not counting this process's stalls.
  };
  struct Handlers {
    std::function<void(std::unique_ptr<control::Channel>)> connected;
    std::function<void(const job::ContainerId&)> unreachable;  ///< Its time is over; called once.
  };

  AgentDialer(const Deps& deps, Handlers handlers) : deps_(deps), handlers_(std::move(handlers)) {}
  AgentDialer(const AgentDialer&) = delete;
  AgentDialer& operator=(const AgentDialer&) = delete;

  /// Starts to call an agent; a call under way goes on.
  void call(const job::ContainerId& container, const std::string& address);
  /// The agent has connected on its own, or is gone.
  void forget(const job::ContainerId& container) { calls_.erase(container); }

 private:
  using Dialled = Result<std::unique_ptr<control::Channel>>;
  [[nodiscard]] rt::Async<Dialled> dial(job::ContainerId container, std::string address);

  Deps deps_;
  Handlers handlers_;
  std::map<job::ContainerId, rt::Running> calls_;  ///< Last: they use the rest.
};

}  // namespace muster::master
