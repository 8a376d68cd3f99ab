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
/// and who starts the next one. To agents it is where they look for a master.
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
  /// The newest dies now, not inside a callback of its own; `torn` as for MasterProcess::crash().
  void die(bool torn);
  /// The cluster takes the newest for dead that is not: it starts another and hears the first no
  /// more.
  void replace_newest();
  /// It ends without a word, so that the cluster tries again.
  void dismissed(const MasterProcess* process);
  /// The cluster knows that this one has left, or could not be told.
  void link_left(const std::string& name);

  /// Looks for a master as agents of the local cluster do, or only looks up where it is.
  Result<cluster::MasterSought> seek() override;

  [[nodiscard]] MasterProcess* newest() const { return newest_.get(); }
  /// Of those that live; nullptr: none.
  [[nodiscard]] MasterProcess* named(std::string_view name) const;
  /// Those that were started, and the one that may come next.
  [[nodiscard]] std::vector<std::string> names() const;
  /// Where the last one that published it listens; "": none did.
  [[nodiscard]] std::string address() const {
    return place_.file ? place_.file->address : std::string();
  }
  [[nodiscard]] const std::string& summary() const { return place_.summary; }
  /// Why the last one could not begin; "": it could.
  [[nodiscard]] const std::string& refused() const { return refused_; }
  /// The last one has ended: there will be no other.
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
