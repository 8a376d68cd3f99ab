#include "rt/accept_watch.h"

#include <chrono>
#include <utility>

namespace muster::rt {
namespace {

constexpr Duration kRest = std::chrono::milliseconds(100);

}  // namespace

AcceptWatch::AcceptWatch(IoLoop& loop, int fd, Callback ready)
    : loop_(loop), fd_(fd), ready_(std::move(ready)) {
  look();
}

AcceptWatch::~AcceptWatch() { loop_.cancel(timer_); }

void AcceptWatch::rest() {
  if (watch_ != nullptr) {
    watch_.reset();
    timer_ = loop_.call_after(kRest, [this] { look(); });
  }
}

void AcceptWatch::look() {
  watch_ = loop_.watch(fd_, Interest::Read, [this] { ready_(); });
}

}  // namespace muster::rt
