#include "os/process/shared_input.h"

#include <poll.h>
#include <sys/epoll.h>
#include <utility>

namespace muster::os {

SharedInput::SharedInput(int fd) : fd_(fd) {
  rt::Fd poll(::epoll_create1(EPOLL_CLOEXEC));
  epoll_event wanted{.events = EPOLLIN, .data = {.fd = fd}};
  if (poll.valid() && ::epoll_ctl(poll.get(), EPOLL_CTL_ADD, fd, &wanted) == 0) {
    poll_ = std::move(poll);
  }
}

std::unique_ptr<rt::FdWatch> SharedInput::watch(rt::IoLoop& loop,
                                                std::function<void()> ready) const {
  return loop.watch(poll_.get(), rt::Interest::Read, std::move(ready));
}

bool SharedInput::ready() const {
  pollfd waits{.fd = fd_, .events = POLLIN, .revents = 0};
  return ::poll(&waits, 1, 0) == 1;
}

}  // namespace muster::os
