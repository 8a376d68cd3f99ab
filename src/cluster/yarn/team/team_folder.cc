#include "cluster/yarn/team/team_folder.h"

#include "cluster/job_folder.h"
#include "cluster/outputs.h"
#include "cluster/team_jobs.h"
#include "cluster/yarn/client/job_fetcher.h"
#include "cluster/yarn/output/yarn_outputs.h"
#include "cluster/yarn/staging/staged_file.h"
#include "eventlog/plan_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace muster::cluster::yarn {
namespace {

constexpr uint32_t kTeamFolderMode = 0700;
constexpr uint32_t kTeamFileMode = 0600;
/// Twice what a master keeps of a job.
constexpr uint64_t kTeamSampleBytesMax = 200'000'000;
constexpr Duration kTeamOutputMax = std::chrono::minutes(2);

FetchLimits limits_of(const TeamFolder::Source& source) {
  return {.log_bytes_max = kTeamOpenLogBytesMax,
          .sample_bytes_max = std::min(kTeamSampleBytesMax, source.share_max)};
}

}  // namespace

Status TeamFolder::prepare(ClientSession& session) {
  const JobFolder job(path_);
  if (source_.files->exists(job.plan())) {
    return {};
  }
  for (const std::filesystem::path& path : {job.root(), job.logs(), job.events()}) {
    MUSTER_TRY_STATUS(source_.files->make_folders(path, kTeamFolderMode));
  }
  MUSTER_TRY(Session* const opened, session.open());
  MUSTER_TRY(const std::string text,
             session.run(opened->files().read_whole(
                 source_.hdfs_folder + "/" + std::string(kPackageName), {}, kPackageBytesMax)));
  MUSTER_TRY(const JobPackage package, decode_package(text));
  const ApplicationFile application{.application_id = source_.application_id,
                                    .conf = source_.client.conf.string(),
                                    .folder = source_.hdfs_folder,
                                    .proxy_user = {}};
  MUSTER_TRY_STATUS(
      source_.files->write(job.application(), to_text(application), {.mode = kTeamFileMode}));
  return source_.files->write(job.plan(), package.plan_file, {.mode = kTeamFileMode});
}

void TeamFolder::measure() {
  const JobFolder job(path_);
  uint64_t bytes = 0;
  for (const std::filesystem::path& folder : {job.logs(), job.metrics(), job.events()}) {
    bytes += copied_bytes(*source_.files, folder);
  }
  used_ = bytes;
}

Status TeamFolder::bring(const Stand& stand) {
  const std::scoped_lock turn(turn_);
  Status brought = copy_job(stand);
  measure();
  return brought;
}

Status TeamFolder::copy_job(const Stand& stand) {
  const JobFolder job(path_);
  ClientSession session(*source_.files, source_.client);
  MUSTER_TRY_STATUS(prepare(session));
  if (source_.files->exists(job.summary())) {
    return {};
  }
  JobFetcher fetcher(session, *source_.files, source_.plan_of, limits_of(source_));
  MUSTER_TRY_STATUS(fetcher.bring_samples(job));
  if (stand.summarized) {
    return fetcher.bring_home(job);
  }
  MUSTER_TRY_STATUS(fetcher.bring_log(job));
  return stand.outcome ? fetcher.close_here(job, *stand.outcome) : Status();
}

Status TeamFolder::bring_output() {
  const std::scoped_lock turn(turn_);
  const JobFolder job(path_);
  Status brought = too_much_ ? Status(*too_much_) : copy_output();
  if (!brought && brought.error().code == Errc::NeverFits && !too_much_) {
    too_much_ =
        user_error(fmt::format("the output of {} cannot be shown here: {}, which is the most that "
                               "this portal copies for one job (--disk); `muster logs {}` shows it",
                               job.id().value, brought.error().message, job.id().value),
                   Errc::NeverFits);
    brought = *too_much_;
    (void)source_.files->remove_tree(job.logs());
  }
  measure();
  return brought;
}

Status TeamFolder::copy_output() {
  const JobFolder job(path_);
  ClientSession session(*source_.files, source_.client);
  YarnOutputs outputs({.session = session,
                       .files = *source_.files,
                       .plan_of = source_.plan_of,
                       .limits = {.owner = source_.owner,
                                  .bytes_max = source_.share_max,
                                  .time_max = kTeamOutputMax},
                       .log_limits = limits_of(source_)},
                      job, {}, {});
  MUSTER_TRY(const Outputs::Gaps gaps, outputs.refresh());
  if (gaps.empty()) {
    return {};
  }
  MUSTER_TRY(const std::vector<os::FolderEntry> brought, source_.files->list(job.logs()));
  return brought.empty() ? Status(cluster_error(gaps.front(), Errc::NotFound)) : Status();
}

uint64_t TeamFolders::disk_bytes() const {
  uint64_t bytes = 0;
  for (const auto& [key, folder] : used_) {
    const std::shared_ptr<TeamFolder> used = folder.lock();
    bytes += used == nullptr ? 0 : used->disk_bytes();
  }
  return bytes;
}

std::shared_ptr<TeamFolder> TeamFolders::of(const std::string& key, const std::string& id,
                                            TeamFolder::Source source) {
  std::erase_if(used_, [](const auto& one) { return one.second.expired(); });
  std::shared_ptr<TeamFolder> folder = used_[key].lock();
  if (folder == nullptr) {
    // Numbered, since an earlier one may be about to be removed.
    folder =
        std::make_shared<TeamFolder>(scratch_ / std::to_string(++made_) / id, std::move(source));
    used_[key] = folder;
  }
  return folder;
}

}  // namespace muster::cluster::yarn
