#include "agent/attempt/memory_guard.h"

#include "base/text.h"

#include <algorithm>
#include <csignal>
#include <utility>

namespace muster::agent {

MemoryGuard::MemoryGuard(Deps deps, std::string name, uint64_t limit_bytes)
    : deps_(std::move(deps)),
      name_(std::move(name)),
      limit_bytes_(limit_bytes),
      reader_(deps_.meter, deps_.close_looks, limit_bytes),
      oom_kills_before_(deps_.meter.oom_kills()),
      settled_(deps_.loop),
      scope_(deps_.loop) {}

void MemoryGuard::begin(os::Pid process) {
  if (deps_.cgroups == nullptr || limit_bytes_ == 0) {
    settled_.set();
    return;
  }
  scope_.spawn(join_group(process));
}

/// The kernel is the second guard: it ends what allocates faster than we measure. Its sum includes
/// more than ours (page tables, buffers), so its limit is a little higher.
rt::Async<> MemoryGuard::join_group(os::Pid process) {
  constexpr uint64_t kSlackMin = 8U << 20;
  const os::CgroupLimits limits{.memory_bytes =
                                    limit_bytes_ + std::max(limit_bytes_ / 16, kSlackMin)};
  auto work = [limits, process, groups = deps_.cgroups,
               name = name_]() -> std::shared_ptr<os::Cgroup> {
    auto group = groups->create(name, limits);
    if (!group.has_value() || !(*group)->add(process).has_value()) {
      return nullptr;
    }
    return std::move(*group);
  };
  group_ = co_await rt::run_blocking(deps_.loop, std::move(work));
  settled_.set();
}

void MemoryGuard::admit(os::Pid process) {
  group_is_whole_ = false;  // What the process has allocated so far is not counted in the group.
  if (group_ == nullptr) {
    return;
  }
  deps_.loop.run_blocking([group = group_, process] { (void)group->add(process); }, [] {});
}

/// Adds what the process forked before it joined its group.
void MemoryGuard::take_in(const std::vector<os::Pid>& members) {
  if (took_in_ || group_ == nullptr) {
    return;
  }
  took_in_ = true;
  if (members.size() < 2) {
    return;
  }
  group_is_whole_ = false;
  deps_.loop.run_blocking(
      [group = group_, members] {
        for (const os::Pid member : members) {
          (void)group->add(member);  // One that has just exited needs no guard.
        }
      },
      [] {});
}

MemoryReader::Reading MemoryGuard::read(const std::vector<os::Pid>& members) {
  take_in(members);
  const MemoryReader::Reading reading =
      reader_.read(members, {.cgroup = group_.get(), .whole = group_is_whole_}, deps_.loop.now());
  used_bytes_ = reading.bytes;
  peak_bytes_ = std::max(peak_bytes_, used_bytes_);
  if (over()) {
    return reading;
  }
  if (group_ != nullptr && group_->oom_kills() > 0) {
    over_ = killed_at_limit();
  } else if (reading.over) {
    over_ = "its processes used " + format_bytes(used_bytes_) + " of memory; the limit is " +
            format_bytes(limit_bytes_);
  }
  return reading;
}

bool MemoryGuard::near_limit() const {
  return (group_ == nullptr || !group_is_whole_) && limit_bytes_ > 0 &&
         used_bytes_ > limit_bytes_ / 10 * 6;
}

std::string MemoryGuard::killed_at_limit() const {
  const uint64_t peak = std::max(peak_bytes_, group_->memory_peak_bytes().value_or(0));
  return "the kernel killed its processes at " + format_bytes(peak) + " of memory; the limit is " +
         format_bytes(limit_bytes_);
}

MemoryGuard::Evidence MemoryGuard::evidence(const os::Exit& exit) const {
  if (over()) {
    return {.text = over_};
  }
  const bool succeeded = exit.code == 0 && !exit.signal;
  if (group_ != nullptr && !succeeded && group_->oom_kills() > 0) {
    return {.text = killed_at_limit()};
  }
  const bool killed = exit.signal == SIGKILL || exit.code == 128 + SIGKILL;
  if (killed && deps_.meter.oom_kills() > oom_kills_before_) {
    return {.text = "the host ran out of memory and the kernel killed it; its peak was " +
                    format_bytes(std::max(peak_bytes_, exit.memory_peak_bytes)),
            .of_machine = true};
  }
  return {};
}

}  // namespace muster::agent
