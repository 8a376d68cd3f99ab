#include "sim/full/log_disk.h"

#include "base/check.h"

#include <utility>

namespace muster::sim {
namespace {

constexpr Duration kWriteMin = std::chrono::microseconds(20);
constexpr Duration kWriteMax = std::chrono::milliseconds(2);

}  // namespace

Result<std::vector<job::Epoch>> LogStore::list() {
  std::vector<job::Epoch> epochs;
  for (const auto& [epoch, bytes] : disk_.segments) {
    epochs.push_back(epoch);
  }
  return epochs;
}

Status LogStore::create(job::Epoch epoch) {
  if (!disk_.segments.emplace(epoch, std::string()).second) {
    return Error{Errc::AlreadyExists, Blame::Cluster, "the segment exists"};
  }
  epoch_ = epoch;
  disk_.created(epoch);
  return {};
}

void LogStore::append(std::string bytes, std::function<void(Status)> done) {
  MUSTER_CHECK(epoch_.has_value(), "a segment is created before it is written");
  const bool again = failed_ && failed_->bytes == bytes;
  const uint64_t digest = again ? failed_->digest : digest_();
  failed_.reset();
  under_way_.push_back({std::move(bytes), digest});
  world_.after(random_.between(kWriteMin, kWriteMax),
               [this, alive = alive_, done = std::move(done)] {
                 if (!*alive || under_way_.empty()) {
                   return;
                 }
                 const Batch batch = std::move(under_way_.front());
                 under_way_.pop_front();
                 const Status status = arrive(batch);
                 loop_.post([done, status] { done(status); });
               });
}

Status LogStore::arrive(const Batch& batch) {
  if (fenced()) {
    failed_ = batch;
    return cluster_error("the segment is closed: there is a newer master");
  }
  if (world_.now() < disk_.back_at) {
    failed_ = batch;
    return cluster_error("the log's disk does not answer");
  }
  write(batch.bytes);
  disk_.arrived(*epoch_, batch.digest);
  return {};
}

Result<std::string> LogStore::read(job::Epoch epoch) {
  const auto found = disk_.segments.find(epoch);
  if (found == disk_.segments.end()) {
    return Error{Errc::NotFound, Blame::Cluster, "no such segment"};
  }
  return found->second;
}

void LogStore::crash(bool torn) {
  *alive_ = false;
  const std::deque<Batch> lost = std::exchange(under_way_, {});
  if (lost.empty() || fenced() || world_.now() < disk_.back_at) {
    return;
  }
  const std::string& bytes = lost.front().bytes;
  const uint64_t whole_or_none = random_.chance(50) ? bytes.size() : 0;
  write(bytes.substr(0, torn ? random_.below(bytes.size() + 1) : whole_or_none));
}

void LogStore::write(const std::string& bytes) {
  disk_.segments[*epoch_] += bytes;
  disk_.grown(*epoch_);
}

}  // namespace muster::sim
