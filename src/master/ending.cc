#include "master/ending.h"

namespace muster::master {
namespace {

/// Masters are gone two seconds after their job: what has not answered by then is left behind.
constexpr Duration kEndMax = std::chrono::milliseconds(1500);

}  // namespace

Ending::~Ending() {
  *alive_ = false;
  loop_.cancel(timer_);
}

void Ending::begin(const job::Outcome& outcome) {
  if (outcome_) {
    return;
  }
  outcome_ = outcome;
  timer_ = loop_.call_after(kEndMax, [this] { finish(); });
  // Clients hear of the end first: the rest is only tidying up, which nobody should wait for.
  steps_.write_summary();
  steps_.tell_clients(outcome);
  steps_.dismiss_agents();
  steps_.leave_cluster(outcome, [this, alive = alive_] {
    if (*alive) {
      left_cluster_ = true;
      check();
    }
  });
}

void Ending::check() {
  if (outcome_ && left_cluster_ && steps_.clients_gone()) {
    finish();
  }
}

void Ending::finish() {
  if (over_) {
    return;
  }
  over_ = true;
  loop_.cancel(timer_);
  steps_.over(*outcome_);
}

}  // namespace muster::master
