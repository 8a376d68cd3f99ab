#pragma once

#include "cluster/master_starter.h"
#include "sim/full/judgement.h"
#include "sim/full/log_disk.h"
#include "sim/full/master_process.h"
#include "sim/full/setting.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace muster::sim {

class RunCluster;

/// The masters of a run: the newest, those that were replaced and live on beside their successors,
/// and whoever starts the next one. For agents this is where they look for a master.
class Masters final : public cluster::MasterStarter {
 public:
  struct Around {
    LogDisk& disk;
    RunCluster& cluster;
    Judgement& judgement;
  };
  Masters(Setting& setting, const Around& around) : setting_(setting), around_(around) {}
  Masters(const Masters&) = delete;
  Masters& operator=(const Masters&) = delete;

  /// Starts the next, unless there is one or the job is over.
  void start();
  /// The newest dies now, though not inside one of its own callbacks; `torn` as for
  /// MasterProcess::crash().
  void die(bool torn);
  /// The cluster takes the newest for dead although it is not: it starts another and no longer
  /// hears the first.
  void replace_newest();
  /// It ends without a word, so that the cluster tries again.
  void dismissed(const MasterProcess* process);
  /// The cluster knows that this one has left, or could not be told.
  void link_left(const std::string& name);

  /// Looks for a master as agents of the local cluster do, or only looks up where it is.
  Result<cluster::MasterSought> seek() override;

  [[nodiscard]] MasterProcess* newest() const { return newest_.get(); }
  /// Returns the living master of this name; nullptr if there is none.
  [[nodiscard]] MasterProcess* named(std::string_view name) const;
  /// Returns the names of those that were started, and of the one that may come next.
  [[nodiscard]] std::vector<std::string> names() const;
  /// Returns where the last one that published its address listens; "" if none did.
  [[nodiscard]] std::string address() const {
    return place_.file ? place_.file->address : std::string();
  }
  [[nodiscard]] const std::string& summary() const { return place_.summary; }
  /// Returns why the last one could not begin; "" if it could.
  [[nodiscard]] const std::string& refused() const { return refused_; }
  /// Returns whether the last one has ended, so that there will be no other.
  [[nodiscard]] bool over() const { return over_; }

 private:
  [[nodiscard]] MasterProcess::Around process_around();
  void needed();
  void ends_job(const MasterProcess& process);
  void ended(MasterProcess* process, const master::MasterEnd& end);
  void leave_yarn(const std::string& name);
  void replaced_dies(const MasterProcess* process);
  void last_ended();
  void bury(std::unique_ptr<MasterProcess> process);

  Setting& setting_;
  Around around_;
  MasterPlace place_;
  std::unique_ptr<MasterProcess> newest_;
  std::vector<std::unique_ptr<MasterProcess>> replaced_;  ///< Live on beside their successors.
  std::vector<std::unique_ptr<MasterProcess>> buried_;  ///< Dead, and one of their callbacks runs.
  uint64_t started_ = 0;
  bool coming_ = false;
  bool over_ = false;
  std::string refused_;
};

}  // namespace muster::sim
