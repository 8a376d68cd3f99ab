#include "master/clients/output_relay.h"

namespace muster::master {
namespace {

/// If whoever started the job has not followed it by then, they are not waited for.
constexpr Duration kFollowerLatest = std::chrono::seconds(30);
/// Enough for what a follower that came a moment too late has missed.
constexpr uint32_t kTailLines = 1000;

}  // namespace

void OutputRelay::begin() {
  if (!early_.gathering()) {
    return;
  }
  early_timer_ = deps_.loop.call_after(kFollowerLatest, [this] {
    (void)early_.take();
    tell_agents(false);
  });
  tell_agents(false);
}

void OutputRelay::pass(const wire::Output& piece) {
  early_.add(piece);
  deps_.clients.output(piece);
  if (deps_.audience != nullptr) {
    deps_.audience->output(piece);
  }
}

void OutputRelay::clients_follow(bool on) {
  clients_follow_ = on;
  tell_agents(on);
}

void OutputRelay::audience_follows(bool on) {
  audience_follows_ = on;
  tell_agents(on);
}

std::vector<wire::Output> OutputRelay::take_early() {
  return early_.gathering() ? early_.take() : std::vector<wire::Output>();
}

/// Agents are never told to stop for the sake of the last lines: what a task writes until they are
/// told to go on would be lost if the task also ended in that time.
void OutputRelay::tell_agents(bool again) {
  const bool on = clients_follow_ || audience_follows_ || early_.gathering();
  deps_.set_follow({on, on ? kTailLines : 0, again});
}

}  // namespace muster::master
