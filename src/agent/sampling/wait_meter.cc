#include "agent/sampling/wait_meter.h"

namespace muster::agent {

using metrics::Builtin;

bool WaitMeter::is_fed(const os::Waits& waits) {
  constexpr uint32_t kLooksUnfedMax = 10;
  const bool fed = sleeps_ > 0 && waits.sleeps > sleeps_;
  ever_fed_ = ever_fed_ || fed;
  looks_unfed_ = fed ? 0 : looks_unfed_ + 1;
  sleeps_ = waits.sleeps;
  return ever_fed_ && looks_unfed_ < kLooksUnfedMax;
}

std::vector<metrics::Reading> WaitMeter::read(const os::Waits& waits) {
  const bool for_children = waits.for_children && is_fed(waits);
  const auto share = [](bool at_this_moment) { return at_this_moment ? 1.0 : 0.0; };
  std::vector<metrics::Reading> readings = {
      {.metric = Builtin::ProcessSleeping, .value = share(waits.for_time)},
      {.metric = Builtin::ProcessSocketWaiting, .value = share(waits.for_socket)},
      {.metric = Builtin::ProcessNameWaiting, .value = share(waits.for_name)},
      {.metric = Builtin::ProcessChildWaiting, .value = share(for_children)}};
  if (waits.for_python_lock) {
    readings.push_back({.metric = Builtin::PythonLockWaiting, .value = *waits.for_python_lock});
  }
  return readings;
}

}  // namespace muster::agent
