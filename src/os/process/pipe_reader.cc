#include "os/process/pipe_reader.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <span>
#include <unistd.h>
#include <utility>

namespace muster::os {
namespace {

constexpr size_t kPieceBytes = 64U << 10;
/// For a flood: fewer, larger writes to a file, and a writer that is woken less often, save a
/// quarter of the processor time.
constexpr size_t kFloodBytes = 512U << 10;
constexpr Duration kBatchPause = std::chrono::milliseconds(1);

}  // namespace

struct PipeReader::State {
  rt::IoLoop& loop;
  rt::Fd fd;
  Handlers handlers;
  Pace pace;
  std::unique_ptr<rt::FdWatch> watch = {};  // After fd: it ends before its descriptor closes.
  rt::TimerId next_batch = {};              // While there is no watch.
  bool paused = false;
  bool gone = false;  // The owner has destroyed the reader.
  /// Holds kFloodBytes; exists while more than a piece arrives at once.
  std::unique_ptr<std::array<char, kFloodBytes>> flood = {};

  enum class Got { Bytes, Nothing, End };
  Got read_once(size_t limit_bytes, size_t& got);
  void expect(size_t got);
  void stop();
  void close();
  [[nodiscard]] bool waits() const { return watch != nullptr || next_batch != rt::TimerId{}; }
};

void PipeReader::State::stop() {
  watch.reset();
  loop.cancel(std::exchange(next_batch, {}));
}

void PipeReader::State::close() {
  stop();
  fd.reset();
}

PipeReader::State::Got PipeReader::State::read_once(size_t limit_bytes, size_t& got) {
  std::array<char, kPieceBytes> piece;  // NOLINT: filled by read.
  const std::span<char> buffer = flood != nullptr ? std::span<char>(*flood) : piece;
  const ssize_t count = ::read(fd.get(), buffer.data(), std::min(buffer.size(), limit_bytes));
  if (count > 0) {
    got = static_cast<size_t>(count);
    handlers.bytes(std::string_view(buffer.data(), got));
    expect(got);
    return Got::Bytes;
  }
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
    return Got::Nothing;
  }
  // A terminal whose other end is gone fails with EIO; whatever the cause, nothing more will come.
  close();
  return Got::End;
}

/// Chooses the next buffer by how much was read.
void PipeReader::State::expect(size_t got) {
  if (got < kPieceBytes) {
    flood.reset();
  } else if (flood == nullptr && pace == Pace::Batches) {
    flood = std::make_unique_for_overwrite<std::array<char, kFloodBytes>>();
  }
}

PipeReader::PipeReader(rt::IoLoop& loop, rt::Fd fd, Handlers handlers, Pace pace)
    : state_(std::make_shared<State>(State{
          .loop = loop, .fd = std::move(fd), .handlers = std::move(handlers), .pace = pace})) {
  const int flags = ::fcntl(state_->fd.get(), F_GETFL);
  ::fcntl(state_->fd.get(), F_SETFL, flags | O_NONBLOCK);
  resume();
}

PipeReader::~PipeReader() {
  state_->gone = true;
  state_->close();
}

void PipeReader::pause() {
  state_->paused = true;
  state_->stop();
}

void PipeReader::resume() {
  state_->paused = false;
  if (state_->fd.valid() && !state_->waits()) {
    watch(state_);
  }
}

void PipeReader::watch(const std::shared_ptr<State>& state) {
  state->watch = state->loop.watch(state->fd.get(), rt::Interest::Read,
                                   [weak = std::weak_ptr(state)] { look(weak.lock()); });
}

/// Reads a piece. The descriptor is watched only while nothing comes; a timer waits for a batch.
void PipeReader::look(const std::shared_ptr<State>& state) {
  state->next_batch = {};
  size_t got = 0;
  const State::Got outcome = state->read_once(kFloodBytes, got);
  if (outcome == State::Got::End && !state->gone) {
    state->handlers.ended();
  }
  if (outcome == State::Got::End || state->gone || state->paused || state->pace == Pace::Prompt) {
    return;
  }
  if (outcome == State::Got::Nothing) {
    if (state->watch == nullptr) {
      watch(state);
    }
    return;
  }
  state->stop();
  const Duration pause = got < kPieceBytes ? kBatchPause : Duration::zero();
  state->next_batch =
      state->loop.call_after(pause, [weak = std::weak_ptr(state)] { look(weak.lock()); });
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
