#include "rt/accept_watch.h"

#include <cerrno>
#include <utility>

namespace muster::rt {

bool no_descriptor_left(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

AcceptWatch::AcceptWatch(IoLoop& loop, int fd, Callback ready)
    : loop_(loop), fd_(fd), ready_(std::move(ready)) {
  look();
}

AcceptWatch::~AcceptWatch() { loop_.cancel(timer_); }

void AcceptWatch::rest(Duration time) {
  if (watch_ != nullptr) {
    watch_.reset();
    timer_ = loop_.call_after(time, [this] { look(); });
  }
}

void AcceptWatch::look() {
  loop_.cancel(std::exchange(timer_, {}));
  if (watch_ == nullptr) {
    watch_ = loop_.watch(fd_, Interest::Read, [this] { ready_(); });
  }
}

}  // namespace muster::rt
