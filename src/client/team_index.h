#pragma once

#include "base/result.h"
#include "base/time.h"
#include "os/files.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace muster::client {

/// A job as a team's portal lists it.
struct TeamJob {
  std::string id;
  std::string owner;  ///< Whose home it lies in; where one home is given, who submitted it.
  std::string name;
  std::string queue;
  std::string on;     ///< The cluster's name.
  std::string state;  ///< "running", "lost", "succeeded", "failed", "stopped".
  std::string class_name;
  uint64_t tasks = 0;
  WallTime submitted{};
  Duration duration{};
  bool ended = false;
  std::vector<std::string> viewers;  ///< As the specification's yarn.acl_view.
  std::filesystem::path folder;

  /// "alice:digits-7f3k2q": its name in links, which nobody else's job can take.
  [[nodiscard]] std::string key() const { return owner + ":" + id; }
};

/// Whether somebody may see a job: its owner, those whom it names (`*` is everybody), and admins.
/// Groups that a job names admit nobody: a portal does not know who is in them.
[[nodiscard]] bool may_see(std::string_view viewer, const std::set<std::string>& admins,
                           const TeamJob& job);

/// The jobs in the homes of several users, as their folders tell. Reads what is new, and keeps of
/// each job some hundred bytes. Homes are named by patterns: "/home/{user}/.muster" means that
/// folder of everybody below /home; what stands before {user} is trusted, and may hold links.
class TeamIndex {
 public:
  /// `files` are read with suspicion (os/foreign_files.h) and outlive this.
  TeamIndex(os::Files& files, std::vector<std::string> patterns);

  /// Looks for new jobs and new ends, unless that was done within kFresh. Blocks: 10,000 jobs that
  /// are known take some milliseconds, as many new ones about a second.
  void refresh(WallTime now);
  /// Newest first.
  [[nodiscard]] const std::vector<const TeamJob*>& jobs() const { return sorted_; }
  /// By its key; nullptr if there is none.
  [[nodiscard]] const TeamJob* find(std::string_view key) const;
  /// What could not be read when it was last looked at.
  [[nodiscard]] const std::vector<std::string>& troubles() const { return troubles_; }

  static constexpr Duration kFresh = std::chrono::seconds(2);

 private:
  void look_into(const std::filesystem::path& home, const std::string& owner, WallTime now);
  void look_at(const std::filesystem::path& folder, const std::string& owner, WallTime now);
  [[nodiscard]] Result<TeamJob> read_new(const std::filesystem::path& folder,
                                         const std::string& owner);
  void read_state(TeamJob& job, WallTime now);

  os::Files& files_;
  std::vector<std::string> patterns_;
  std::map<std::filesystem::path, TeamJob> by_folder_;
  std::map<std::string, const TeamJob*, std::less<>> by_key_;
  std::vector<const TeamJob*> sorted_;
  std::set<std::filesystem::path> seen_;
  std::vector<std::string> troubles_;
  WallTime refreshed_{};
};

}  // namespace muster::client
