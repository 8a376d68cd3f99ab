#include "cluster/yarn/link/beat_timer.h"

namespace muster::cluster::yarn {

void BeatTimer::changed() {
  rule_.changed(loop_.now());
  woken_.pulse();
}

void BeatTimer::stop() {
  stopped_ = true;
  woken_.pulse();
}

rt::Async<> BeatTimer::due() {
  while (!stopped_ && loop_.now() < rule_.next()) {
    loop_.cancel(timer_);
    timer_ = loop_.call_at(rule_.next(), [this] { woken_.pulse(); });
    co_await woken_.wait();
  }
}

}  // namespace muster::cluster::yarn
