#pragma once

#include "base/result.h"
#include "base/time.h"
#include "cluster/team_jobs.h"
#include "eventlog/replay.h"
#include "os/file/files.h"
#include "os/file/foreign_files.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cluster::local {

/// The jobs in the homes of several users of this machine, according to their folders. What stands
/// before {user} in a pattern is trusted, and may hold links; the name of the folder in the place
/// of {user} is the owner of the jobs in it.
class LocalTeamJobs final : public TeamJobs {
 public:
  /// `name`: of the cluster whose masters are processes of this machine.
  LocalTeamJobs(std::string name, std::vector<std::string> patterns, eventlog::PlanOf plan_of);

  /// Looks for new jobs and new ends, unless that was done within kFresh. Blocks: 10,000 known jobs
  /// take some milliseconds, as many new ones about a second. For running jobs it reads the logs
  /// that have grown, short ones more often. Each home has a bounded cost per look: what is left of
  /// a larger one follows with the next looks.
  void refresh(WallTime now) override;
  [[nodiscard]] const std::vector<const TeamJob*>& jobs() const override { return sorted_; }
  [[nodiscard]] const TeamJob* find(std::string_view key) const override;
  [[nodiscard]] std::string notice() const override { return ""; }
  [[nodiscard]] const std::vector<std::string>& troubles() const override { return troubles_; }
  [[nodiscard]] rt::Async<Result<TeamReading>> open(std::string key) override;

  static constexpr Duration kFresh = std::chrono::seconds(2);

 private:
  struct Known {
    TeamJob job;
    std::filesystem::path folder;
    uint64_t log_bytes = 0;  ///< Length of its log when its hosts were last read.
    WallTime hosts_read{};   ///< When its hosts were last read.
  };

  void look_into(const std::filesystem::path& home, const std::string& owner, WallTime now);
  void look_at(const std::filesystem::path& folder, const std::string& owner, WallTime now);
  [[nodiscard]] bool budget_is_used_up() const { return budget_.left_bytes == 0; }
  [[nodiscard]] Result<TeamJob> read_new(const std::filesystem::path& folder,
                                         const std::string& owner);
  void read_state(Known& known, WallTime now);
  [[nodiscard]] bool read_end(Known& known);
  void read_hosts(Known& known, WallTime now);

  os::ReadBudget budget_;  ///< For the home being examined.
  std::unique_ptr<os::Files> files_;
  std::string name_;
  std::vector<std::string> patterns_;
  eventlog::PlanOf plan_of_;
  std::map<std::filesystem::path, Known> by_folder_;
  std::map<std::string, const Known*, std::less<>> by_key_;
  std::vector<const TeamJob*> sorted_;
  std::set<std::filesystem::path> seen_;
  std::map<std::filesystem::path, std::string> rest_;  ///< Where the next look into a home begins.
  std::vector<std::string> troubles_;
  WallTime refreshed_{};
};

}  // namespace muster::cluster::local
