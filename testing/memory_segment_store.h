#pragma once

#include "base/result.h"
#include "eventlog/segment_store.h"
#include "rt/loop.h"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace muster::testing {

/// What outlives masters: the segments of one job, by epoch.
struct MemoryDisk {
  std::map<job::Epoch, std::string> segments;
};

/// A SegmentStore over a MemoryDisk that several stores, one for each master, share. Appends are
/// answered in a later turn of the loop. A test can make appends fail, hold their answers back, or
/// end the store's life at any byte.
class MemorySegmentStore final : public eventlog::SegmentStore {
 public:
  MemorySegmentStore(rt::Loop& loop, MemoryDisk& disk);
  ~MemorySegmentStore() override;

  Result<std::vector<job::Epoch>> list() override;
  Status create(job::Epoch epoch) override;
  void append(std::string bytes, std::function<void(Status)> done) override;
  Result<std::string> read(job::Epoch epoch) override;

  /// From now on every append fails with `error` and writes nothing; nullopt heals.
  void fail_appends(std::optional<Error> error) { failure_ = std::move(error); }
  /// While held, appends neither reach the disk nor are answered; letting go does both, in order.
  void hold(bool on);
  /// The master's process dies: appends that are held are lost, except for the first `torn_bytes`
  /// of the first one. Nothing is answered from now on.
  void crash(size_t torn_bytes = 0);
  [[nodiscard]] size_t held() const { return held_.size(); }

 private:
  struct Pending {
    std::string bytes;
    std::function<void(Status)> done;
  };
  void perform(Pending pending);

  rt::Loop& loop_;
  MemoryDisk& disk_;
  std::optional<job::Epoch> epoch_;
  std::optional<Error> failure_;
  bool holding_ = false;
  bool crashed_ = false;
  std::deque<Pending> held_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster::testing
