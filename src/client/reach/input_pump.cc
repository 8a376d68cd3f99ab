#include "client/reach/input_pump.h"

#include "base/time.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <unistd.h>
#include <utility>

namespace muster::client {
namespace {

constexpr size_t kReadBytes = 32U << 10;

}  // namespace

InputPump::InputPump(rt::IoLoop& loop, int fd, Handlers handlers)
    : loop_(loop), fd_(fd), handlers_(std::move(handlers)), shared_(fd) {}

InputPump::~InputPump() { loop_.cancel(next_); }

void InputPump::allow(size_t bytes) {
  allowed_ = bytes;
  arm();
}

void InputPump::arm() {
  if (ended_ || allowed_ == 0) {
    watch_.reset();
    loop_.cancel(std::exchange(next_, {}));
  } else if (shared_.pollable()) {
    if (watch_ == nullptr) {
      watch_ = shared_.watch(loop_, [this] { read(); });
    }
  } else if (next_ == rt::TimerId{}) {
    next_ = loop_.call_after(Duration::zero(), [this] {
      next_ = {};
      read();
    });
  }
}

void InputPump::read() {
  if (!shared_.ready()) {
    return;  // Somebody else who shares it was faster.
  }
  std::array<char, kReadBytes> buffer;  // NOLINT: filled by read.
  const ssize_t got = ::read(fd_, buffer.data(), std::min(buffer.size(), allowed_));
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
    arm();
    return;
  }
  if (got <= 0) {
    ended_ = true;
    arm();
    handlers_.ended();
    return;
  }
  allowed_ -= static_cast<size_t>(got);
  handlers_.bytes(std::string_view(buffer.data(), static_cast<size_t>(got)));
  arm();
}

}  // namespace muster::client
