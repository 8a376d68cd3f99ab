#pragma once

#include "base/log.h"
#include "control/keys.h"
#include "control/transport.h"
#include "job/ids.h"
#include "rt/loop.h"

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace muster::master {

/// A new master's calls to the agents that the log names. Each is dialled again and again with
/// short pauses until it answers, is given up, or its time is over.
class AgentDialer {
 public:
  struct Handlers {
    std::function<void(std::unique_ptr<control::Channel>)> connected;
    std::function<void(const job::ContainerId&)> unreachable;  ///< Its time is over; once.
  };

  AgentDialer(rt::Loop& loop, control::Transport& transport, const control::Secret& secret,
              Duration patience, Handlers handlers)
      : loop_(loop),
        transport_(transport),
        secret_(secret),
        patience_(patience),
        handlers_(std::move(handlers)) {}
  ~AgentDialer() { *alive_ = false; }
  AgentDialer(const AgentDialer&) = delete;
  AgentDialer& operator=(const AgentDialer&) = delete;

  /// Starts to call an agent; one that is being called already goes on.
  void call(const job::ContainerId& container, const std::string& address);
  /// The agent came by itself, or is gone.
  void forget(const job::ContainerId& container) { calls_.erase(container); }

 private:
  struct Call {
    std::string address;
    HostTime give_up{};
    uint64_t number = 0;  ///< Tells a call from a later one of the same container.
  };
  void dial(const job::ContainerId& container, const Call& call);
  void dialled(const job::ContainerId& container, uint64_t number,
               Result<std::unique_ptr<control::Channel>> channel);

  rt::Loop& loop_;
  control::Transport& transport_;
  control::Secret secret_;
  Duration patience_;
  Handlers handlers_;
  std::map<job::ContainerId, Call> calls_;
  uint64_t next_number_ = 1;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster::master
