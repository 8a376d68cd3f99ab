#include "cluster/yarn/team/team_folder.h"

#include "cluster/job_folder.h"
#include "cluster/outputs.h"
#include "cluster/team_jobs.h"
#include "cluster/yarn/client/job_fetcher.h"
#include "cluster/yarn/output/yarn_outputs.h"
#include "cluster/yarn/staging/staged_file.h"
#include "eventlog/plan_file.h"

#include <utility>
#include <vector>

namespace muster::cluster::yarn {
namespace {

constexpr uint32_t kTeamFolderMode = 0700;
constexpr uint32_t kTeamFileMode = 0600;
/// Twice what a master keeps of a job.
constexpr uint64_t kTeamSampleBytesMax = 200'000'000;

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

Status TeamFolder::bring(const Stand& stand) {
  const std::scoped_lock turn(turn_);
  const JobFolder job(path_);
  ClientSession session(*source_.files, source_.client);
  MUSTER_TRY_STATUS(prepare(session));
  if (source_.files->exists(job.summary())) {
    return {};
  }
  JobFetcher fetcher(
      session, *source_.files, source_.plan_of,
      {.log_bytes_max = kTeamOpenLogBytesMax, .sample_bytes_max = kTeamSampleBytesMax});
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
  ClientSession session(*source_.files, source_.client);
  YarnOutputs outputs({.session = session,
                       .files = *source_.files,
                       .plan_of = source_.plan_of,
                       .owner = source_.owner},
                      job, {}, {});
  MUSTER_TRY(const Outputs::Gaps gaps, outputs.refresh());
  if (gaps.empty()) {
    return {};
  }
  MUSTER_TRY(const std::vector<os::FolderEntry> brought, source_.files->list(job.logs()));
  return brought.empty() ? Status(cluster_error(gaps.front(), Errc::NotFound)) : Status();
}

std::shared_ptr<TeamFolder> TeamFolders::of(const std::string& key, const std::string& id,
                                            TeamFolder::Source source) {
  std::erase_if(used_, [](const auto& one) { return one.second.expired(); });
  std::shared_ptr<TeamFolder> folder = used_[key].lock();
  if (folder == nullptr) {
    // Numbered: another one may be about to be removed.
    folder =
        std::make_shared<TeamFolder>(scratch_ / std::to_string(++made_) / id, std::move(source));
    used_[key] = folder;
  }
  return folder;
}

}  // namespace muster::cluster::yarn
