#pragma once

#include "base/log.h"
#include "cluster/owner_turns.h"
#include "cluster/team_jobs.h"
#include "cluster/yarn/client/client_session.h"
#include "cluster/yarn/client/web_proxy.h"
#include "cluster/yarn/session.h"
#include "cluster/yarn/team/team_catalog.h"
#include "cluster/yarn/team/team_days.h"
#include "cluster/yarn/team/team_folder.h"
#include "eventlog/replay.h"
#include "os/file/files.h"
#include "rt/io_loop.h"
#include "rt/scope.h"
#include "rt/wait.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cluster::yarn {

/// The jobs of all users of a YARN cluster. Reads beside everything else on the loop: the resource
/// manager's list every other second, new and changed folders of jobs in HDFS, the newest first,
/// and the logs of running jobs, of which one at a time.
/// While the cluster does not answer, what was known stays.
///
/// The account that asks must be able to read the folders and see the applications of all.
class YarnTeamJobs final : public TeamJobs {
 public:
  struct Options {
    std::string name;  ///< The cluster's.
    ClientSession::Options client;
    std::vector<std::string> patterns;  ///< TeamOptions::homes: staging roots in HDFS.
    std::filesystem::path scratch;
    uint64_t disk_max = 0;  ///< TeamOptions::disk_max.
    eventlog::PlanOf plan_of;
  };

  /// Fails if the configuration is wrong. `loop` and `files` must outlive it.
  [[nodiscard]] static Result<std::unique_ptr<TeamJobs>> open(rt::IoLoop& loop, os::Files& files,
                                                              Options options);

  void refresh(WallTime now) override { sorted_ = &catalog_.sorted(now); }
  [[nodiscard]] const std::vector<const TeamJob*>& jobs() const override { return *sorted_; }
  [[nodiscard]] const TeamJob* find(std::string_view key) const override;
  [[nodiscard]] std::string notice() const override;
  [[nodiscard]] const std::vector<std::string>& troubles() const override { return troubles_; }
  [[nodiscard]] rt::Async<Result<TeamReading>> open(std::string key) override;

 private:
  /// A part of the cluster that may be away.
  struct Service {
    std::string_view name;
    bool away = false;
    WallTime since{};
    std::string why;
  };

  YarnTeamJobs(rt::IoLoop& loop, os::Files& files, Options options,
               std::unique_ptr<log::NullSink> quiet, std::unique_ptr<Session> session,
               WebProxies proxies);

  rt::Async<> follow_manager();
  rt::Async<> follow_files();
  rt::Async<> read_wanted();
  rt::Async<> follow_hosts();
  [[nodiscard]] rt::Async<Status> ask_manager();
  [[nodiscard]] rt::Async<Status> read_job(std::string key);
  [[nodiscard]] rt::Async<Status> read_plan(std::string key, std::string folder);
  [[nodiscard]] rt::Async<Status> read_end(std::string key, std::string folder);
  [[nodiscard]] rt::Async<Status> read_hosts(std::string key, std::string folder);
  [[nodiscard]] rt::Async<Result<std::string>> find_folder(CatalogJob job);
  [[nodiscard]] uint64_t share_max() const { return options_.disk_max / kTeamShares; }
  [[nodiscard]] rt::Async<Status> copy(std::string owner, std::shared_ptr<TeamFolder> folder,
                                       std::function<Status()> work);
  /// Notes whether a service answers; returns true for an error of another kind.
  bool note(Service& service, const Status& done);
  void trouble(const Error& error);

  rt::IoLoop& loop_;
  os::Files& files_;
  Options options_;
  std::unique_ptr<log::NullSink> quiet_;
  std::unique_ptr<Session> session_;
  TeamCatalog catalog_;
  const std::vector<const TeamJob*>* sorted_;
  int64_t finished_ms_ = 1;  ///< The newest end that the resource manager told.
  Service manager_{.name = "The resource manager"};
  Service hdfs_{.name = "HDFS"};
  std::vector<std::string> troubles_;
  rt::Event wanted_;
  TeamDays days_;
  TeamFolders folders_;
  OwnerTurns turns_{2};
  rt::Scope scope_;  ///< Last: its coroutines use the rest.
};

}  // namespace muster::cluster::yarn
