#include "os/pipe_reader.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace muster::os {

struct PipeReader::State {
  rt::IoLoop& loop;
  rt::Fd fd;
  Handlers handlers;
  std::unique_ptr<rt::FdWatch> watch = {};  // After fd: it ends before its descriptor closes.
  bool gone = false;                        // The owner has destroyed the reader.

  enum class Got { Bytes, Nothing, End };
  Got read_once(size_t limit_bytes, size_t& got);
  void close();
};

void PipeReader::State::close() {
  watch.reset();
  fd.reset();
}

PipeReader::State::Got PipeReader::State::read_once(size_t limit_bytes, size_t& got) {
  std::array<char, 64U << 10> buffer;  // NOLINT: filled by read.
  const ssize_t count = ::read(fd.get(), buffer.data(), std::min(buffer.size(), limit_bytes));
  if (count > 0) {
    got = static_cast<size_t>(count);
    handlers.bytes(std::string_view(buffer.data(), got));
    return Got::Bytes;
  }
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
    return Got::Nothing;
  }
  // A terminal whose other end is gone fails with EIO; whatever the cause, nothing more will come.
  close();
  return Got::End;
}

PipeReader::PipeReader(rt::IoLoop& loop, rt::Fd fd, Handlers handlers)
    : state_(std::make_shared<State>(
          State{.loop = loop, .fd = std::move(fd), .handlers = std::move(handlers)})) {
  const int flags = ::fcntl(state_->fd.get(), F_GETFL);
  ::fcntl(state_->fd.get(), F_SETFL, flags | O_NONBLOCK);
  resume();
}

PipeReader::~PipeReader() {
  state_->gone = true;
  state_->close();
}

void PipeReader::pause() { state_->watch.reset(); }

void PipeReader::resume() {
  if (!state_->fd.valid() || state_->watch != nullptr) {
    return;
  }
  const auto on_ready = [weak = std::weak_ptr(state_)] {
    const std::shared_ptr<State> state = weak.lock();
    size_t got = 0;
    if (state->read_once(SIZE_MAX, got) == State::Got::End && !state->gone) {
      state->handlers.ended();
    }
  };
  state_->watch = state_->loop.watch(state_->fd.get(), rt::Interest::Read, on_ready);
}

bool PipeReader::drain(size_t limit_bytes) {
  const std::shared_ptr<State> state = state_;
  while (limit_bytes > 0 && !state->gone && state->fd.valid()) {
    size_t got = 0;
    const State::Got outcome = state->read_once(limit_bytes, got);
    if (outcome == State::Got::End && !state->gone) {
      state->handlers.ended();
    }
    if (outcome != State::Got::Bytes) {
      break;
    }
    limit_bytes -= got;
  }
  return state->fd.valid();
}

}  // namespace muster::os
