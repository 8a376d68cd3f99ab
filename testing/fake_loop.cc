#include "testing/fake_loop.h"

#include <algorithm>

namespace muster::testing {

rt::TimerId FakeLoop::call_at(HostTime when, rt::Callback callback) {
  const uint64_t id = ++sequence_;
  when = std::max(when, now_);
  queue_.emplace(Key{when, id}, std::move(callback));
  times_.emplace(id, when);
  return rt::TimerId(id);
}

void FakeLoop::cancel(rt::TimerId timer) {
  const auto found = times_.find(timer.value);
  if (found == times_.end()) {
    return;
  }
  queue_.erase(Key{found->second, timer.value});
  times_.erase(found);
}

void FakeLoop::run_blocking(rt::Callback work, rt::Callback done) {
  post([work = std::move(work), done = std::move(done)]() mutable {
    work();
    done();
  });
}

bool FakeLoop::step(HostTime end) {
  if (queue_.empty() || queue_.begin()->first.first > end) {
    now_ = std::max(now_, end);
    return false;
  }
  auto node = queue_.extract(queue_.begin());
  times_.erase(node.key().second);
  now_ = std::max(now_, node.key().first);
  node.mapped()();
  return true;
}

void FakeLoop::run_ready() {
  while (step(now_)) {
  }
}

void FakeLoop::advance(Duration duration) {
  const HostTime end = now_ + duration;
  while (step(end)) {
  }
}

std::optional<HostTime> FakeLoop::next() const {
  if (queue_.empty()) {
    return std::nullopt;
  }
  return queue_.begin()->first.first;
}

}  // namespace muster::testing
