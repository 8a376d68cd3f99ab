#pragma once

#include "eventlog/segment_store.h"
#include "rt/loop.h"
#include "sim/faults.h"
#include "sim/world.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace muster::sim {

/// The segments of the job's log, which outlive masters.
struct LogDisk {
  std::map<job::Epoch, std::string> segments;
  Time back_at{};  ///< Nothing can be written before.
  /// Called when a segment was made, and when it has grown.
  std::function<void(job::Epoch)> created;
  std::function<void(job::Epoch)> grown;
  /// Called when a batch has arrived complete, with the hash of what its master knew when it handed
  /// the batch over.
  std::function<void(job::Epoch, uint64_t)> arrived;
};

/// One master's way to the LogDisk: takes a while, fails while the disk is unavailable, fails for
/// ever once there is a newer segment, and may write half a batch when its process dies.
class LogStore final : public eventlog::SegmentStore {
 public:
  /// `digest` returns the hash of what the master knows now.
  LogStore(World& world, rt::Loop& loop, LogDisk& disk, std::function<uint64_t()> digest)
      : world_(world),
        loop_(loop),
        disk_(disk),
        digest_(std::move(digest)),
        random_(world.random().fork()) {}
  ~LogStore() override { *alive_ = false; }
  LogStore(const LogStore&) = delete;
  LogStore& operator=(const LogStore&) = delete;

  Result<std::vector<job::Epoch>> list() override;
  Status create(job::Epoch epoch) override;
  void append(std::string bytes, std::function<void(Status)> done) override;
  Result<std::string> read(job::Epoch epoch) override;

  /// The process dies; if `torn`, part of what is under way may remain.
  void crash(bool torn);
  /// Returns whether there is a newer segment than the one that this object created.
  [[nodiscard]] bool fenced() const { return epoch_ && disk_.segments.rbegin()->first > *epoch_; }

 private:
  struct Batch {
    std::string bytes;
    uint64_t digest = 0;
  };
  void write(const std::string& bytes);
  [[nodiscard]] Status arrive(const Batch& batch);

  World& world_;
  rt::Loop& loop_;
  LogDisk& disk_;
  std::function<uint64_t()> digest_;
  Random random_;
  std::optional<job::Epoch> epoch_;
  std::deque<Batch> under_way_;
  std::optional<Batch> failed_;  ///< The last one, which will come again.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster::sim
