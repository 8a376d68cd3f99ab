#include "testing/memory_segment_store.h"

#include "base/check.h"

#include <fmt/format.h>

#include <utility>

namespace muster::testing {

MemorySegmentStore::MemorySegmentStore(rt::Loop& loop, MemoryDisk& disk)
    : loop_(loop), disk_(disk) {}

MemorySegmentStore::~MemorySegmentStore() { *alive_ = false; }

Result<std::vector<job::Epoch>> MemorySegmentStore::list() {
  std::vector<job::Epoch> epochs;
  for (const auto& [epoch, bytes] : disk_.segments) {
    epochs.push_back(epoch);
  }
  return epochs;
}

Status MemorySegmentStore::create(job::Epoch epoch) {
  if (!disk_.segments.emplace(epoch, std::string()).second) {
    return Error{Errc::AlreadyExists, Blame::Muster, fmt::format("segment {} exists", epoch.value)};
  }
  epoch_ = epoch;
  return {};
}

void MemorySegmentStore::append(std::string bytes, std::function<void(Status)> done) {
  MUSTER_CHECK(epoch_.has_value(), "a segment is created before it is written");
  if (crashed_) {
    return;
  }
  Pending pending{std::move(bytes), std::move(done)};
  if (holding_) {
    held_.push_back(std::move(pending));
    return;
  }
  perform(std::move(pending));
}

Result<std::string> MemorySegmentStore::read(job::Epoch epoch) {
  const auto found = disk_.segments.find(epoch);
  if (found == disk_.segments.end()) {
    return Error{Errc::NotFound, Blame::Cluster, fmt::format("no segment {}", epoch.value)};
  }
  return found->second;
}

void MemorySegmentStore::hold(bool on) {
  holding_ = on;
  while (!holding_ && !held_.empty()) {
    Pending pending = std::move(held_.front());
    held_.pop_front();
    perform(std::move(pending));
  }
}

void MemorySegmentStore::crash(size_t torn_bytes) {
  if (!held_.empty()) {
    disk_.segments[*epoch_] += held_.front().bytes.substr(0, torn_bytes);
  }
  held_.clear();
  crashed_ = true;
}

void MemorySegmentStore::perform(Pending pending) {
  Status status;
  if (failure_) {
    status = *failure_;
  } else {
    disk_.segments[*epoch_] += pending.bytes;
  }
  loop_.post(
      [this, alive = alive_, status = std::move(status), done = std::move(pending.done)]() mutable {
        if (*alive && !crashed_) {
          done(std::move(status));
        }
      });
}

}  // namespace muster::testing
