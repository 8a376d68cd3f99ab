#include "master/agents/agent_dialer.h"

#include "rt/wait.h"

#include <algorithm>
#include <utility>

namespace muster::master {
namespace {

constexpr Duration kDialDeadline = std::chrono::seconds(3);
constexpr Duration kPause = std::chrono::milliseconds(250);

}  // namespace

void AgentDialer::call(const job::ContainerId& container, const std::string& address) {
  if (calls_.contains(container)) {
    return;
  }
  calls_[container] =
      rt::start(deps_.loop, dial(container, address), [this, container](Dialled channel) {
        calls_.erase(container);
        if (channel) {
          handlers_.connected(std::move(*channel));
        } else {
          handlers_.unreachable(container);
        }
      });
}

rt::Async<AgentDialer::Dialled> AgentDialer::dial(job::ContainerId container, std::string address) {
  const control::Peer agent{control::Peer::Kind::Agent, container};
  const control::Peer self{control::Peer::Kind::Master, container};
  const control::Key key = control::master_key_of(control::derive_key(deps_.secret, agent));
  Duration left = deps_.patience;
  while (true) {
    const Duration deadline = std::clamp(left, kPause, kDialDeadline);
    const HostTime begun = deps_.loop.now();
    auto begin = [&](rt::Answer<Dialled> answer) {
      deps_.transport.dial(address, self, key, deadline, std::move(answer));
    };
    Dialled channel = co_await rt::from_callback<Dialled>(deps_.loop, std::move(begin));
    // Count no more than the attempt was allowed: for the rest of the time this process stood
    // still, and nobody was dialled.
    left -= std::min(deps_.loop.now() - begun, deadline) + kPause;
    if (channel || left <= Duration::zero()) {
      co_return channel;
    }
    co_await rt::pause_for(deps_.loop, kPause);
  }
}

}  // namespace muster::master
