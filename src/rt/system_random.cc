#include "rt/system_random.h"

#include "base/check.h"
#include "rt/fd.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

namespace muster::rt {
namespace {

/// Kernels before 3.17 and strict sandboxes have no getrandom.
void fill_from_device(std::span<uint8_t> bytes) {
  const Fd device(::open("/dev/urandom", O_RDONLY | O_CLOEXEC));
  MUSTER_CHECK(device.valid(), "this host has neither getrandom nor /dev/urandom");
  size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = ::read(device.get(), bytes.data() + filled, bytes.size() - filled);
    MUSTER_CHECK(got > 0 || (got < 0 && errno == EINTR), "cannot read /dev/urandom");
    filled += got > 0 ? static_cast<size_t>(got) : 0;
  }
}

}  // namespace

void SystemRandom::fill(std::span<uint8_t> bytes) {
  size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = ::getrandom(bytes.data() + filled, bytes.size() - filled, 0);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      fill_from_device(bytes.subspan(filled));
      return;
    }
    filled += static_cast<size_t>(got);
  }
}

}  // namespace muster::rt
