#include "app/program.h"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <system_error>
#include <unistd.h>

namespace muster::app {

std::filesystem::path own_program() {
  std::error_code error;
  std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", error);
  // A binary replaced while it is running is called "... (deleted)"; /proc/self/exe still leads to
  // it.
  return error || !std::filesystem::exists(path, error) ? std::filesystem::path("/proc/self/exe")
                                                        : path;
}

void hold_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) == -1 && errno == EBADF) {
      // The lowest free number is this one: those below it are taken by now.
      (void)::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
  }
}

}  // namespace muster::app
