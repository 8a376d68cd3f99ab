#include "cluster/local/local_cluster.h"

#include "base/text.h"
#include "cluster/folder_host_memory.h"
#include "cluster/folder_outputs.h"
#include "cluster/job_reading.h"
#include "cluster/local/container_record.h"
#include "cluster/local/home_cleaner.h"
#include "cluster/local/job_lock.h"
#include "cluster/local/local_team_jobs.h"
#include "cluster/local/machine_capacity.h"
#include "cluster/local/machine_examination.h"
#include "cluster/local/master_process.h"
#include "cluster/master_place_file.h"
#include "control/page_keys.h"
#include "eventlog/summary.h"
#include "os/host/interfaces.h"
#include "spec/check/file_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <utility>

namespace muster::cluster::local {
namespace {

constexpr uint64_t kPlaceBytesMax = 16U << 10;
constexpr uint64_t kSecretBytesMax = 4096;

Result<MasterPlaceFile> read_place(os::Files& files, const JobFolder& job) {
  MUSTER_TRY(const std::string text, files.read(job.master_place(), kPlaceBytesMax));
  return parse_master_place(text);
}

/// Reported for a job between two masters.
constexpr std::string_view kNextMaster = "another master: its agents are starting one";

ListedJob::State state_of(const JobReport& report) {
  struct State {
    ListedJob::State operator()(const Queued&) const { return ListedJob::State::Queued; }
    ListedJob::State operator()(const Running&) const { return ListedJob::State::Running; }
    ListedJob::State operator()(const Ended&) const { return ListedJob::State::Ended; }
    ListedJob::State operator()(const Lost&) const { return ListedJob::State::Lost; }
  };
  return std::visit(State{}, report);
}

ListPlace place_of(const JobEntry& entry) {
  return {.ended = entry.ended, .submitted = entry.submitted, .id = entry.folder.id().value};
}

}  // namespace

LocalCluster::LocalCluster(os::Files& files, Options options)
    : files_(files),
      options_(std::move(options)),
      launcher_(files, {.program = options_.program, .environment = options_.environment}) {}

const os::Hardware& LocalCluster::hardware() {
  if (!options_.hardware) {
    options_.hardware = this_machine();
  }
  return *options_.hardware;
}

Result<Fit> LocalCluster::fit(const job::Plan& plan) {
  if (const std::string& to = plan.spec.checkpoint.to;
      options_.check_checkpoints && spec::is_uri(to) && !to.starts_with("file:")) {
    MUSTER_TRY_STATUS(options_.check_checkpoints(to));
  }
  if (const std::string& interface = plan.spec.network.interface; !interface.empty()) {
    MUSTER_TRY_STATUS(os::address_of_interface(interface));
  }
  const ClaimFolder claims(options_.claims);
  const Capacity capacity = capacity_of(hardware(), plan.spec.local.strict_vcores);
  MUSTER_TRY(const std::vector<Held> held, claims.list(capacity));
  return fit_plan(plan, hardware(), held);
}

Result<MasterPlace> LocalCluster::submit(const Submission& submission) {
  MUSTER_TRY(const Fit fits, fit(*submission.plan));
  if (const std::string* const never = fits.never(); never != nullptr) {
    return Error{Errc::NeverFits, Blame::User, "the job can never fit on this machine: " + *never};
  }
  MUSTER_TRY(std::string address, launcher_.start(submission, {}));
  return MasterPlace{.address = std::move(address), .application_id = {}};
}

/// Returns what the list shows for a job; nullopt for one that is another cluster's, or not asked
/// for.
Result<std::optional<ListedJob>> LocalCluster::listed(const JobEntry& entry,
                                                      const JobsQuery& query) {
  MUSTER_TRY(const std::string text, files_.read(entry.folder.plan()));
  MUSTER_TRY(const eventlog::PlanFile plan, eventlog::parse_plan_file(text));
  if (plan.on != options_.name) {
    return std::optional<ListedJob>();
  }
  MUSTER_TRY(const JobReport report, this->report(entry.folder));
  ListedJob job{.id = entry.folder.id().value,
                .application_id = {},
                .user = plan.user,
                .state = state_of(report),
                .submitted = entry.submitted,
                .summary = {}};
  const bool over = job.state == ListedJob::State::Ended || job.state == ListedJob::State::Lost;
  if (over ? !query.ended : !query.running) {
    return std::optional<ListedJob>();
  }
  if (job.state == ListedJob::State::Ended) {
    MUSTER_TRY(job.summary, files_.read(entry.folder.summary()));
  }
  return std::optional(std::move(job));
}

Result<JobsPage> LocalCluster::jobs(const JobsQuery& query) {
  MUSTER_TRY(std::vector<JobEntry> entries, options_.home.jobs());
  std::ranges::sort(entries, {}, place_of);
  if (!query.after.empty()) {
    MUSTER_TRY(const ListPlace after, parse_list_place(query.after));
    std::erase_if(entries, [&](const JobEntry& entry) { return place_of(entry) <= after; });
  }
  JobsPage page;
  std::string last;
  for (const JobEntry& entry : entries) {
    Result<std::optional<ListedJob>> job = listed(entry, query);
    if (!job) {
      page.troubles.push_back(entry.folder.id().value + ": " + job.error().message);
      continue;
    }
    if (!*job) {
      continue;
    }
    if (page.jobs.size() >= std::max(query.limit, 1U)) {
      // One more than fits: this is not the last page.
      page.next = last;
      return page;
    }
    page.jobs.push_back(**std::move(job));
    last = to_text(place_of(entry));
  }
  return page;
}

Result<JobFolder> LocalCluster::find(const std::string& id) {
  MUSTER_TRY(const JobEntry entry, options_.home.find(id));
  return entry.folder;
}

Result<JobReport> LocalCluster::report(const JobFolder& job) {
  if (!files_.exists(job.plan())) {
    return user_error("no such job: " + printable(job.id().value), Errc::NotFound);
  }
  // The order matters: a lock file is created locked, a container takes the lock for the next
  // master before it ends, and a master releases it after writing the summary.
  const bool had_master = files_.exists(job.master_lock());
  bool has_master = job_lock_is_held(job.master_lock());
  bool has_container = false;
  if (!has_master && !files_.exists(job.summary())) {
    has_container = any_container_lives(files_, job.containers());
    has_master = job_lock_is_held(job.master_lock());
  }
  if (files_.exists(job.summary())) {
    MUSTER_TRY(const std::string text, files_.read(job.summary()));
    MUSTER_TRY(const eventlog::Summary summary, eventlog::parse_summary(text));
    return JobReport(Ended{.outcome = eventlog::outcome_of(summary), .words = {}});
  }
  if (!has_master && had_master) {
    // While any container of the job lives, its agents start another master.
    return has_container ? JobReport(Queued{.reason = std::string(kNextMaster)})
                         : JobReport(Lost{});
  }
  const Result<MasterPlaceFile> place = read_place(files_, job);
  if (!place && place.error().code == Errc::NotFound) {
    return JobReport(Queued{.reason = "its master is being started"});
  }
  if (!place) {
    return place.error();
  }
  return JobReport(Running{.place = {.address = place->address, .application_id = {}}});
}

Status LocalCluster::fetch_samples(const JobFolder& job) {
  // Masters tell their clients about the end before they write the last samples, which takes a
  // second at most.
  constexpr Duration kLastSamplesMax = std::chrono::seconds(1);
  if (const Result<os::FileStat> summary = files_.stat(job.summary())) {
    // Counted from the end, however long notices or followers keep the master: a page asks often.
    const Duration left = kLastSamplesMax - (options_.now() - summary->modified);
    (void)wait_for_job_lock(job.master_lock(), std::clamp(left, Duration::zero(), kLastSamplesMax));
  }
  return {};
}

Result<std::string> LocalCluster::host_lines() {
  return read_host_memory(files_, options_.home.root() / kHostMemoryName);
}

Result<std::unique_ptr<Outputs>> LocalCluster::outputs(const JobFolder& job,
                                                       const LogFilter& filter) {
  MUSTER_TRY(const JobReading reading, read_job(files_, job, options_.plan_of));
  return std::make_unique<FolderOutputs>(files_, job.logs(),
                                         roles_of(reading.replayed.machine.plan()), filter);
}

Result<std::vector<WaitReason>> LocalCluster::why(const JobFolder& job,
                                                  const WaitContext& context) {
  // What the machine lacks is reported by the job's master itself.
  std::vector<WaitReason> reasons;
  MUSTER_TRY(const JobReport report, this->report(job));
  if (const auto* const queued = std::get_if<Queued>(&report)) {
    reasons.push_back({.text = queued->reason, .advice = "it will continue by itself"});
  }
  for (const std::string& refused : context.refused) {
    reasons.push_back({.text = refused,
                       .advice = "fix what it says (`df` shows full disks, `ulimit -a` limits); "
                                 "Muster tries again by itself"});
  }
  return reasons;
}

Result<std::string> LocalCluster::page(const JobFolder& job) {
  MUSTER_TRY(const MasterPlace place, locate(*this, job));
  MUSTER_TRY(const std::string text, files_.read(job.secret(), kSecretBytesMax));
  MUSTER_TRY(const control::Secret secret, control::parse_key(trim(text)));
  return control::page_link(place.address, secret);
}

Result<std::unique_ptr<TeamJobs>> LocalCluster::team_jobs(rt::IoLoop&, const TeamOptions& team) {
  return std::make_unique<LocalTeamJobs>(options_.name, team.homes, options_.plan_of);
}

Status LocalCluster::kill(const JobFolder& job, const std::string&) {
  MUSTER_TRY(const JobReport report, this->report(job));
  if (!std::holds_alternative<Running>(report)) {
    return {};
  }
  MUSTER_TRY(const MasterPlaceFile place, read_place(files_, job));
  if (!is_master_of(files_, place.pid, job)) {
    return cluster_error("the job's master cannot be found among this machine's processes",
                         Errc::NotFound);
  }
  // A master takes the signal as a request to stop its job.
  if (::kill(place.pid, SIGTERM) != 0 && errno != ESRCH) {
    return system_error(errno, fmt::format("cannot end the job's master, process {}", place.pid));
  }
  return {};
}

Result<Retained> LocalCluster::retain(const RetentionRules& rules) {
  return clean_home(files_, options_.home, rules, options_.now());
}

Result<std::vector<Finding>> LocalCluster::examine(ExamineDepth) {
  return examine_machine(files_, {.home = options_.home.root(),
                                  .claims_folder = options_.claims,
                                  .environment = options_.environment});
}

}  // namespace muster::cluster::local
