#pragma once

#include "cluster/link.h"
#include "master/master.h"
#include "sim/full/log_disk.h"
#include "sim/full/process_loop.h"
#include "testing/memory_transport.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace muster::sim {

/// What outlives masters besides the log: where the newest one listens, and the summary.
struct MasterPlace {
  std::optional<cluster::MasterPlaceFile> file;
  std::string summary;
};

/// One master's process: the real master, and what dies with it.
class MasterProcess {
 public:
  struct Around {
    World& world;
    testing::MemoryNetwork& network;
    LogDisk& disk;
    MasterPlace& place;
    log::Sink& sink;
    ProcessLoop::Pace pace;
    /// Opens its line to the cluster.
    std::function<std::unique_ptr<cluster::Link>(MasterProcess&)> open_link;
    /// It writes the summary: from here on the job counts as ended.
    std::function<void(const MasterProcess&)> ends_job;
    /// It ended by itself.
    std::function<void(MasterProcess*, const master::MasterEnd&)> over;
    /// It has reached the moment that doom() named: kill it.
    std::function<void(MasterProcess*)> doomed;
  };

  MasterProcess(Around around, const master::MasterOptions& options, std::string name);
  ~MasterProcess();
  MasterProcess(const MasterProcess&) = delete;
  MasterProcess& operator=(const MasterProcess&) = delete;

  [[nodiscard]] Status start();
  /// The process dies now; must not be called from its own callbacks. If `torn`, half a batch may
  /// remain.
  void crash(bool torn);
  /// It will die after this many more frames and requests to the cluster, in the midst of what it
  /// does; `torn` as in crash().
  void doom(uint64_t acts, bool torn) {
    acts_left_ = acts;
    torn_ = torn;
  }
  /// Counts one act; false if the process is already dead and only its last callback is still
  /// running.
  [[nodiscard]] bool may_act();

  /// How close it is to its end, as noted by the run.
  struct End {
    bool master_done = false;
    bool link_left = false;  ///< The cluster knows of it, or could not be told.
  };
  [[nodiscard]] End& end() { return end_; }

  [[nodiscard]] const std::string& name() const { return name_; }
  /// Returns whether a newer master has made its segment.
  [[nodiscard]] bool fenced() const { return store_.fenced(); }
  [[nodiscard]] ProcessLoop& loop() { return loop_; }
  [[nodiscard]] master::Master& master() { return *master_; }

 private:
  /// Publishes into the MasterPlace, as long as the process lives.
  class Publisher final : public cluster::PlaceStore {
   public:
    explicit Publisher(MasterProcess& process) : process_(process) {}
    Status publish(const cluster::MasterPlaceFile& place) override;
    Status write_summary(const std::string& text) override;
    Status keep_room() override { return {}; }
    /// Sometimes room is all that the log was lacking.
    void free_room() override;

   private:
    MasterProcess& process_;
  };

  Around around_;
  std::string name_;
  std::optional<uint64_t> acts_left_;
  bool torn_ = false;
  bool dying_ = false;
  End end_;
  ProcessLoop loop_;
  testing::MemoryTransport transport_;
  LogStore store_;
  std::unique_ptr<cluster::Link> link_;
  Publisher publisher_;
  std::unique_ptr<master::Master> master_;
};

}  // namespace muster::sim
