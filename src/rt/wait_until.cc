#include "rt/wait_until.h"

namespace muster::rt {
namespace {

Async<bool> came(Event& event) {
  co_await event.wait();
  co_return true;
}

}  // namespace

Async<bool> wait_until(Loop& loop, HostTime when, Event& event) {
  if (event.is_set()) {
    co_return true;
  }
  co_return (co_await internal::DeadlineWait<bool>(loop, when, came(event))).has_value();
}

}  // namespace muster::rt
