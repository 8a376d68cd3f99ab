#include "master/clients/output_relay.h"

namespace muster::master {
namespace {

/// Who started the job and has not followed it by then is not waited for.
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
    tell_agents();
  });
  tell_agents();
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
  tell_agents();
}

void OutputRelay::audience_follows(bool on) {
  if (on && clients_follow_) {
    stop_agents();  // They send the last lines when following begins.
  }
  audience_follows_ = on;
  tell_agents();
}

std::vector<wire::Output> OutputRelay::take_early() {
  if (!early_.gathering()) {
    return {};
  }
  if (!early_.whole()) {
    // The last lines shall come, too. Only where something is missing: what a task writes between
    // the two orders is lost if it ends there as well.
    stop_agents();
  }
  return early_.take();
}

void OutputRelay::tell_agents() {
  const bool on = clients_follow_ || audience_follows_ || early_.gathering();
  deps_.set_follow({on, on ? kTailLines : 0});
}

}  // namespace muster::master
