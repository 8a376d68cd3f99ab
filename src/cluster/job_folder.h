#pragma once

#include "job/ids.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace muster::cluster {

/// The names inside one job's folder, `$MUSTER_HOME/jobs/<id>`; makes and opens nothing itself.
/// Shared by client, master, agent and the local cluster, so that each name is written down only
/// once.
class JobFolder {
 public:
  explicit JobFolder(std::filesystem::path root) : root_(std::move(root)) {}

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }
  /// The folder's last part: the job's id.
  [[nodiscard]] job::JobId id() const { return job::JobId{root_.filename().string()}; }

  /// What the user wrote, as it was read (or the quick form as YAML).
  [[nodiscard]] std::filesystem::path spec() const { return root_ / "spec.yaml"; }
  /// PlanFile: the resolved Spec with the job's id and seed.
  [[nodiscard]] std::filesystem::path plan() const { return root_ / "plan.json"; }
  /// The job's secret, 64 hex digits, mode 0600.
  [[nodiscard]] std::filesystem::path secret() const { return root_ / "secret"; }
  /// Held (OFD lock) by the master in charge.
  [[nodiscard]] std::filesystem::path master_lock() const { return root_ / "master.lock"; }
  /// MasterPlaceFile: where the master in charge listens, mode 0600.
  [[nodiscard]] std::filesystem::path master_place() const { return root_ / "master.json"; }
  [[nodiscard]] std::filesystem::path master_log() const { return root_ / "master.log"; }
  /// Segments of the event log.
  [[nodiscard]] std::filesystem::path events() const { return root_ / "events"; }
  /// Sample files (metrics/retention.h), mode 0700.
  [[nodiscard]] std::filesystem::path metrics() const { return root_ / "metrics"; }
  /// Written once, when the job has ended.
  [[nodiscard]] std::filesystem::path summary() const { return root_ / "summary.json"; }
  /// Reserves some disk space while the job runs, so that it can end on a full disk.
  [[nodiscard]] std::filesystem::path room() const { return root_ / "room"; }
  [[nodiscard]] std::filesystem::path logs() const { return root_ / "logs"; }
  /// What the local cluster records about each container: stub pid, launch order. Mode 0700.
  [[nodiscard]] std::filesystem::path containers() const { return root_ / "containers"; }
  /// What the client records about a job that another system runs: its id there. Mode 0600.
  [[nodiscard]] std::filesystem::path application() const { return root_ / "application.json"; }
  /// SentFiles: which of this host's files the client sent to such a system. Mode 0600.
  [[nodiscard]] std::filesystem::path sent() const { return root_ / "sent.json"; }
  /// The tasks' own folders, one per attempt: `work/<role>-<index>.<attempt>`.
  [[nodiscard]] std::filesystem::path work() const { return root_ / "work"; }
  /// The folder of a checkpoint on one (virtual) host: MUSTER_CHECKPOINT_DIR.
  [[nodiscard]] std::filesystem::path checkpoint(std::string_view host,
                                                 std::string_view dir) const {
    return root_ / "hosts" / std::string(host) / std::string(dir);
  }

  /// "worker-3.1": the stem of an attempt's log and work names.
  [[nodiscard]] static std::string attempt_stem(std::string_view role, uint32_t index,
                                                uint32_t attempt) {
    return std::string(role) + "-" + std::to_string(index) + "." + std::to_string(attempt);
  }

 private:
  std::filesystem::path root_;
};

}  // namespace muster::cluster
