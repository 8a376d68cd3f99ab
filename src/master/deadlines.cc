#include "master/deadlines.h"

namespace muster::master {

Deadlines::~Deadlines() { clear_all(); }

void Deadlines::set(const job::SetDeadline& deadline) {
  clear(deadline.deadline);
  const job::DeadlineId id = deadline.deadline;
  timers_[id] = loop_.call_at(clock_.host_time(deadline.at), [this, id] {
    timers_.erase(id);
    on_passed_(id);
  });
}

void Deadlines::clear(job::DeadlineId deadline) {
  if (const auto found = timers_.find(deadline); found != timers_.end()) {
    loop_.cancel(found->second);
    timers_.erase(found);
  }
}

void Deadlines::clear_all() {
  for (const auto& [id, timer] : timers_) {
    loop_.cancel(timer);
  }
  timers_.clear();
}

}  // namespace muster::master
