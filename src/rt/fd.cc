#include "rt/fd.h"

#include <unistd.h>

namespace muster::rt {

void Fd::reset(int fd) {
  if (fd_ >= 0) {
    ::close(fd_);
  }
  fd_ = fd;
}

}  // namespace muster::rt
