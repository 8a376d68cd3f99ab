#include "client/submit/unread_input.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::client {

bool has_unread_input(int fd) {
  struct stat about{};
  if (::fstat(fd, &about) != 0) {
    return false;
  }
  if (S_ISREG(about.st_mode)) {
    return ::lseek(fd, 0, SEEK_CUR) < about.st_size;
  }
  int bytes = 0;
  return (S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode)) &&
         ::ioctl(fd, FIONREAD, &bytes) == 0 && bytes > 0;
}

}  // namespace muster::client
