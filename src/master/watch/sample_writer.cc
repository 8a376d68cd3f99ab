#include "master/watch/sample_writer.h"

#include "rt/wait.h"

#include <chrono>
#include <utility>

namespace muster::master {
namespace {

constexpr size_t kWaitingBytesMax = 4U << 20;
constexpr Duration kSampleWriteMax = std::chrono::seconds(20);
constexpr Duration kSampleRetryPause = std::chrono::seconds(5);

}  // namespace

SampleWriter::SampleWriter(Deps deps, uint32_t epoch)
    : deps_(deps), files_(epoch), scope_(deps_.loop) {}

void SampleWriter::write(uint32_t step_s, std::string block) {
  if (!files_.file_for(step_s)) {
    return;
  }
  waiting_bytes_ += block.size();
  waiting_.push_back({.step_s = step_s, .block = std::move(block)});
  // The first one may be under way.
  while (waiting_bytes_ > kWaitingBytesMax && waiting_.size() > 2) {
    waiting_bytes_ -= waiting_[1].block.size();
    waiting_.erase(waiting_.begin() + 1);
  }
  if (!std::exchange(writing_, true)) {
    scope_.spawn(write_waiting());
  }
}

rt::Async<> SampleWriter::write_waiting() {
  while (!waiting_.empty()) {
    const bool written = co_await write_first();
    if (written) {
      co_await remove_surplus();
      continue;
    }
    if (finishing_) {
      break;  // The job's end does not wait.
    }
    co_await rt::pause_for(deps_.loop, kSampleRetryPause);
  }
  writing_ = false;
}

rt::Async<bool> SampleWriter::write_first() {
  const metrics::SampleFileName name = *files_.file_for(waiting_.front().step_s);
  const std::string block = waiting_.front().block;
  const Status written =
      co_await rt::with_deadline(deps_.loop, deps_.loop.now() + kSampleWriteMax, "the sample files",
                                 deps_.store.append(metrics::to_string(name), block));
  if (!written) {
    files_.broken(name);
    if (trouble_ != written.error().message) {
      trouble_ = written.error().message;
      deps_.log.warning("samples.unwritten", {{"reason", trouble_}});
    }
    co_return false;
  }
  trouble_.clear();
  files_.appended(name, block.size());
  waiting_bytes_ -= block.size();
  waiting_.pop_front();
  co_return true;
}

rt::Async<> SampleWriter::remove_surplus() {
  while (const std::optional<metrics::SampleFileName> surplus = files_.take_surplus()) {
    const Status removed = co_await deps_.store.remove(metrics::to_string(*surplus));
    if (!removed) {
      deps_.log.warning("samples.kept", {{"reason", removed.error().message}});
    }
  }
}

rt::Async<Status> SampleWriter::finish() {
  finishing_ = true;
  co_await scope_.drained();
  co_return co_await deps_.store.close();
}

}  // namespace muster::master
