#include "master/agent_dialer.h"

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
  Call call{address, loop_.now() + patience_, next_number_++};
  dial(container, calls_.emplace(container, std::move(call)).first->second);
}

void AgentDialer::dial(const job::ContainerId& container, const Call& call) {
  const control::Peer agent{control::Peer::Kind::Agent, container};
  const control::Peer self{control::Peer::Kind::Master, container};
  const control::Key key = control::master_key_of(control::derive_key(secret_, agent));
  const Duration deadline = std::clamp(call.give_up - loop_.now(), kPause, kDialDeadline);
  transport_.dial(call.address, self, key, deadline,
                  [this, alive = alive_, container, number = call.number](auto channel) {
                    if (*alive) {
                      dialled(container, number, std::move(channel));
                    }
                  });
}

void AgentDialer::dialled(const job::ContainerId& container, uint64_t number,
                          Result<std::unique_ptr<control::Channel>> channel) {
  const auto found = calls_.find(container);
  if (found == calls_.end() || found->second.number != number) {
    return;
  }
  if (channel) {
    calls_.erase(found);
    handlers_.connected(std::move(*channel));
    return;
  }
  if (loop_.now() + kPause >= found->second.give_up) {
    calls_.erase(found);
    handlers_.unreachable(container);
    return;
  }
  loop_.call_after(kPause, [this, alive = alive_, container, number] {
    if (!*alive) {
      return;
    }
    const auto again = calls_.find(container);
    if (again != calls_.end() && again->second.number == number) {
      dial(container, again->second);
    }
  });
}

}  // namespace muster::master
