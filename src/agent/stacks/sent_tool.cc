#include "agent/stacks/sent_tool.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace muster::agent {
namespace {

constexpr size_t kToolBytesMax = 64U << 20;

}  // namespace

bool write_whole(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno != EINTR) {
      return false;
    }
    bytes.remove_prefix(put > 0 ? static_cast<size_t>(put) : 0);
  }
  return true;
}

std::optional<rt::Fd> tool_from_stdin() {
  rt::Fd tool(::memfd_create("py-spy", MFD_CLOEXEC));
  std::array<char, 64U << 10> buffer{};
  size_t total = 0;
  while (tool.valid()) {
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got == 0) {
      // A file that is open for writing cannot be executed.
      rt::Fd readable(
          ::open(fmt::format("/proc/self/fd/{}", tool.get()).c_str(), O_RDONLY | O_CLOEXEC));
      return total == 0 || !readable.valid() ? std::nullopt : std::optional(std::move(readable));
    }
    total += got > 0 ? static_cast<size_t>(got) : 0;
    if ((got < 0 && errno != EINTR) || total > kToolBytesMax ||
        (got > 0 &&
         !write_whole(tool.get(), std::string_view(buffer.data(), static_cast<size_t>(got))))) {
      break;
    }
  }
  return std::nullopt;
}

// Names this process by its number, because /proc/self would mean the tool itself by then.
std::string path_of_tool(const rt::Fd& tool) {
  return fmt::format("/proc/{}/fd/{}", ::getpid(), tool.get());
}

}  // namespace muster::agent
