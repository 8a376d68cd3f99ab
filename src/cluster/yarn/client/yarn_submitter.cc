#include "cluster/yarn/client/yarn_submitter.h"

#include "base/ascii.h"
#include "base/text.h"
#include "cluster/job_folder.h"
#include "cluster/sent_files.h"
#include "cluster/yarn/client/host_rooms.h"
#include "cluster/yarn/delegation.h"
#include "cluster/yarn/link/container_entry.h"
#include "cluster/yarn/link/role_placement.h"
#include "cluster/yarn/staging/job_directory.h"
#include "cluster/yarn/staging/job_files.h"
#include "cluster/yarn/staging/staging.h"
#include "cluster/yarn/waiting/scheduler_pages.h"
#include "eventlog/plan_file.h"
#include "hadoop/access_list.h"
#include "hadoop/hdfs/names/path.h"
#include "spec/check/file_check.h"
#include "spec/write/serialize.h"

#include <fmt/format.h>

#include <chrono>
#include <set>
#include <string>

namespace muster::cluster::yarn {
namespace {

namespace rm = hadoop::yarn;

constexpr Duration kSubmitMax = std::chrono::minutes(2);
constexpr size_t kTypeMax = 20;
constexpr int kStagingTries = 3;
// A resource manager that recovers applications without their containers ends the containers when
// it restarts, and would crash on the next attempt of an application that asked to keep them.
constexpr std::string_view kKeepsWork = "yarn.resourcemanager.work-preserving-recovery.enabled";

// The cluster compares tags in lower case.
std::string tag_of(std::string text) { return ascii_lower(std::move(text)); }

/// The file systems that a job's containers use, by their authorities.
std::set<std::string> file_systems_of(const std::vector<RemoteFile>& remotes,
                                      const std::string& checkpoints) {
  std::set<std::string> authorities = {""};
  const auto add = [&](const std::string& address) {
    if (const auto place = hadoop::hdfs::parse_location(address, "/"); place.has_value()) {
      authorities.insert(place->authority);
    }
  };
  for (const RemoteFile& remote : remotes) {
    add(remote.address);
  }
  if (spec::is_uri(checkpoints)) {
    add(checkpoints);
  }
  return authorities;
}

}  // namespace

/// Everything that one submission collects on its way.
struct YarnSubmitter::Prepared {
  const job::Plan* plan = nullptr;
  std::string job_id;
  std::string secret;
  hadoop::yarn::ApplicationId application;
  std::string job_folder;  ///< In HDFS.
  spec::Spec spec;
  eventlog::PlanFile plan_file;
  std::vector<Upload> uploads;
  std::vector<RemoteFile> remotes;
  hadoop::Credentials credentials;
  Staging* staging = nullptr;
  std::vector<StagedFile> staged;  ///< For every container.
  StagedFile package;
  std::vector<HostRoom> hosts;
  bool followed = false;

  void add(StagedFile file, bool unpack) {
    if (unpack) {
      file.file.type = rm::LocalResourceType::Archive;
    }
    staged.push_back(std::move(file));
  }

  /// What the user gave; once everything is staged.
  [[nodiscard]] SentFiles sent() const {
    SentFiles made{.job_name = spec.name, .submitted = plan_file.submitted, .files = {}};
    for (size_t i = 0; i < uploads.size(); ++i) {
      const StagedFile& file = staged[remotes.size() + i];  // As stage_files() adds them.
      if (file.link != kProgramName) {
        made.files.push_back(
            {.name = file.link,
             .content = std::filesystem::path(file.file.from.path).filename().string(),
             .bytes = static_cast<uint64_t>(file.file.size)});
      }
    }
    return made;
  }
};

Result<Fit> YarnSubmitter::fit(const job::Plan& plan) {
  if (const auto placements = placements_of(plan.spec); !placements.has_value()) {
    return placements.error();
  }
  MUSTER_TRY(line_, session_.open());
  return session_.run(ask_fit(&plan));
}

rt::Async<Result<Fit>> YarnSubmitter::ask_fit(const job::Plan* plan) {
  auto fresh = co_await line_->applications().new_application(session_.soon());
  MUSTER_CO_TRY(rm::NewApplication application, std::move(fresh));
  auto asked = co_await ask_offer(plan, std::move(application.largest));
  MUSTER_CO_TRY(const ClusterOffer offer, std::move(asked));
  co_return fit_to(*plan, offer);
}

rt::Async<Result<ClusterOffer>> YarnSubmitter::ask_offer(const job::Plan* plan,
                                                         rm::Resource largest) {
  rm::ApplicationClient& applications = line_->applications();
  auto running = co_await applications.nodes({rm::NodeState::Running}, session_.soon());
  MUSTER_CO_TRY(std::vector<rm::NodeReport> nodes, std::move(running));
  ClusterOffer offer{
      .largest = std::move(largest), .nodes = std::move(nodes), .labels = {}, .queue = {}};
  if (!labels_of(plan->spec).empty()) {
    auto labels = co_await applications.node_labels(session_.soon());
    MUSTER_CO_TRY(offer.labels, std::move(labels));
    auto queue = co_await applications.queue(plan->spec.yarn.queue, session_.soon());
    if (queue.has_value()) {
      offer.queue = std::move(*queue);
    }
  }
  const auto placements = placements_of(plan->spec);
  if (!labels_of(plan->spec).empty() || (placements.has_value() && !placements->empty())) {
    co_await read_scheduler(line_, &offer, session_.soon());
  }
  co_return offer;
}

Status YarnSubmitter::add_secrets(const spec::Environment& entries, const std::string& prefix,
                                  hadoop::Credentials& credentials) {
  for (const auto& [name, value] : entries) {
    std::string secret;
    if (value.source == spec::EnvValue::Source::FromEnv) {
      const auto found = session_.options().environment.find(value.text);
      secret = found == session_.options().environment.end() ? std::string() : found->second;
    } else if (value.source == spec::EnvValue::Source::FromFile) {
      MUSTER_TRY(secret, files_.read(value.text));
      while (secret.ends_with('\n')) {
        secret.pop_back();
      }
    } else {
      continue;
    }
    credentials.add_secret(std::string(kEntrySecret) + prefix + name,
                           hadoop::Secret(std::move(secret)));
  }
  return {};
}

Result<hadoop::Credentials> YarnSubmitter::credentials_of(const spec::Spec& spec,
                                                          const std::string& secret) {
  hadoop::Credentials credentials = line_->site().credentials;
  credentials.add_secret(std::string(kJobSecret), hadoop::Secret(secret));
  MUSTER_TRY_STATUS(add_secrets(spec.env, "env.", credentials));
  for (const spec::Role& role : spec.roles) {
    MUSTER_TRY_STATUS(add_secrets(role.env, "roles." + role.name + ".env.", credentials));
  }
  return credentials;
}

Result<MasterPlace> YarnSubmitter::submit(const Submission& submission) {
  const JobFolder folder(submission.job_folder);
  // If others find this lock free, the client was ended before the cluster had the job.
  MUSTER_TRY(const std::unique_ptr<os::FileLock> submitting, files_.try_lock(folder.master_lock()));
  MUSTER_TRY(line_, session_.open());
  Prepared prepared;
  prepared.plan = submission.plan;
  prepared.followed = submission.followed;
  prepared.job_id = folder.id().value;
  MUSTER_TRY(const std::string plan_text, files_.read(folder.plan()));
  MUSTER_TRY(prepared.plan_file, eventlog::parse_plan_file(plan_text));
  MUSTER_TRY(prepared.spec, spec::parse_json(prepared.plan_file.spec_json));
  MUSTER_TRY(const std::string secret, files_.read(folder.secret()));
  prepared.secret = std::string(trim(secret));
  MUSTER_TRY(prepared.credentials, credentials_of(prepared.spec, prepared.secret));
  MUSTER_TRY(const std::string root, staging_root(session_, prepared.spec));
  Staging staging(*line_, root);
  prepared.staging = &staging;
  prepared.job_folder = staging.job_folder(prepared.job_id, prepared.plan_file.submitted);
  const std::filesystem::path packing = folder.work() / "packed";
  MUSTER_TRY_STATUS(files_.make_folders(packing, 0700));
  JobFiles job_files(files_, packing);
  MUSTER_TRY_STATUS(job_files.collect(prepared.spec));
  prepared.uploads = job_files.uploads();
  prepared.remotes = job_files.remotes();
  prepared.uploads.push_back({program_, std::string(kProgramName)});
  prepared.plan_file.spec_json = spec::to_json(prepared.spec);
  Result<rm::ApplicationReport> accepted = session_.run(submit_now(&prepared));
  (void)files_.remove_tree(packing);
  if (!accepted.has_value()) {
    (void)session_.run(staging.remove_job(prepared.job_folder));
    return std::move(accepted).error();
  }
  const ApplicationFile application{.application_id = to_string(accepted->id),
                                    .conf = session_.options().conf.string(),
                                    .folder = prepared.job_folder,
                                    .proxy_user = line_->site().identity.real_user.empty()
                                                      ? std::string()
                                                      : line_->site().identity.user};
  MUSTER_TRY_STATUS(files_.write(folder.application(), to_text(application), {.mode = 0600}));
  // Advice is made of it, which a job can do without.
  (void)files_.write(folder.sent(), to_text(prepared.sent()), {.mode = 0600});
  MUSTER_TRY_STATUS(files_.remove(folder.master_lock()));
  return MasterPlace{.address = {}, .application_id = application.application_id};
}

rt::Async<Status> YarnSubmitter::stage(Prepared* prepared) {
  Staging& staging = *prepared->staging;
  auto made = co_await staging.prepare(prepared->job_folder);
  MUSTER_CO_TRY_STATUS(std::move(made));
  for (const RemoteFile& remote : prepared->remotes) {
    auto found = co_await staging.find_remote(remote.address, remote.link);
    if (!found.has_value()) {
      co_return found.error().within(remote.address);
    }
    prepared->add(*std::move(found), remote.unpack);
  }
  auto kept = co_await staging.write(Staging::secret_file(prepared->job_folder),
                                     prepared->secret + "\n", "secret");
  MUSTER_CO_TRY(const StagedFile secret, std::move(kept));
  for (int i = 0; i < kStagingTries; ++i) {
    auto staged = co_await stage_files(prepared);
    if (staged.has_value() || staged.error().code != Errc::NotFound) {
      co_return staged;
    }
  }
  co_return cluster_error("files of the job disappear from " + staging.root() +
                          "/store as soon as they are uploaded; does something else clean it?");
}

/// NotFound if a file was removed before the job named it: `muster clean` was at work.
rt::Async<Status> YarnSubmitter::stage_files(Prepared* prepared) {
  Staging& staging = *prepared->staging;
  // Files that are elsewhere stay as they were found.
  const size_t elsewhere = prepared->remotes.size();
  prepared->staged.resize(elsewhere);
  std::set<std::string> taken;
  for (const Upload& upload : prepared->uploads) {
    auto stored = co_await staging.store(upload.file, upload.link, &taken);
    MUSTER_CO_TRY(StagedFile staged, std::move(stored));
    prepared->add(std::move(staged), upload.unpack);
  }
  if (spec::is_uri(prepared->spec.checkpoint.to)) {
    // The configuration with which agents find the checkpoints.
    auto sent = co_await staging.write(prepared->job_folder + "/hadoop.xml",
                                       line_->site().configuration.to_xml(),
                                       std::string(kConfigurationName));
    MUSTER_CO_TRY(StagedFile configuration, std::move(sent));
    prepared->staged.push_back(std::move(configuration));
  }
  JobPackage package{.job_id = prepared->job_id,
                     .application_id = to_string(prepared->application),
                     .user = line_->site().identity.user,
                     .folder = prepared->job_folder,
                     .plan_file = eventlog::to_text(prepared->plan_file),
                     .configuration_xml = line_->site().configuration.to_xml(),
                     .files = prepared->staged,
                     .hosts = prepared->hosts};
  auto written = co_await staging.write(prepared->job_folder + "/" + std::string(kPackageName),
                                        encode(package), std::string(kPackageName));
  MUSTER_CO_TRY(prepared->package, std::move(written));
  for (size_t i = elsewhere; i < prepared->staged.size(); ++i) {
    auto looked = co_await staging.is_there(prepared->staged[i]);
    MUSTER_CO_TRY(const bool there, std::move(looked));
    if (!there) {
      co_return Error{Errc::NotFound, Blame::Cluster,
                      prepared->staged[i].file.from.path + " has gone"};
    }
  }
  co_return Status();
}

rt::Async<Result<rm::ApplicationReport>> YarnSubmitter::submit_now(Prepared* prepared) {
  rm::ApplicationClient& applications = line_->applications();
  auto fresh = co_await applications.new_application(session_.soon());
  MUSTER_CO_TRY(const rm::NewApplication application, std::move(fresh));
  prepared->application = application.id;
  auto offered = co_await ask_offer(prepared->plan, application.largest);
  MUSTER_CO_TRY(const ClusterOffer offer, std::move(offered));
  prepared->hosts = rooms_for(*prepared->plan, offer);
  const Fit fit = fit_to(*prepared->plan, offer);
  if (const std::string* const never = fit.never()) {
    co_return user_error(*never, Errc::NeverFits);
  }
  auto staged = co_await stage(prepared);
  MUSTER_CO_TRY_STATUS(std::move(staged));
  auto tokens = co_await fetch_tokens(
      line_, file_systems_of(prepared->remotes, prepared->spec.checkpoint.to));
  MUSTER_CO_TRY(const hadoop::Credentials delegated, std::move(tokens));
  prepared->credentials.add_all(delegated);
  MUSTER_CO_TRY(const bool keeps_work, line_->site().configuration.flag(kKeepsWork));
  const spec::Spec& spec = prepared->spec;
  rm::LaunchContext master;
  for (const StagedFile& file : prepared->staged) {
    if (file.link == kProgramName) {
      master.files[file.link] = file.file;
    }
  }
  master.files[prepared->package.link] = prepared->package.file;
  master.tokens = hadoop::encode_credentials(prepared->credentials);
  master.environment = {{"HADOOP_USER_NAME", line_->site().identity.user},
                        {"MUSTER_HOME", "{{PWD}}"}};
  master.commands = {"exec ./" + std::string(kProgramName) + " master --on yarn" +
                         (prepared->followed ? " --followed" : ""),
                     "1><LOG_DIR>/master.stdout 2><LOG_DIR>/master.stderr"};
  master.view_acl = hadoop::to_text(hadoop::access_list_of(spec.yarn.acl_view));
  master.modify_acl = hadoop::to_text(hadoop::access_list_of(spec.yarn.acl_modify));
  rm::Submission asked{.id = application.id,
                       .name = spec.name,
                       .queue = spec.yarn.queue,
                       .type = spec.yarn.type.substr(0, kTypeMax),
                       .tags = {std::string(kTag), std::string(kJobTag) + prepared->job_id},
                       .priority = spec.yarn.priority,
                       .master = std::move(master),
                       .master_resources = master_share(spec.master),
                       .node_label = spec.yarn.node_label,
                       .attempts_max = static_cast<int32_t>(spec.master.attempts),
                       .keep_containers = spec.master.attempts > 1 && keeps_work};
  asked.attempts_window_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(spec.yarn.attempt_window).count();
  for (const std::string& tag : spec.yarn.tags) {
    asked.tags.push_back(tag_of(tag));
  }
  auto submitted =
      co_await applications.submit(std::move(asked), session_.loop().now() + kSubmitMax);
  co_return submitted;
}

}  // namespace muster::cluster::yarn
