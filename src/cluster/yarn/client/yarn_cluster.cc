#include "cluster/yarn/client/yarn_cluster.h"

#include "base/text.h"
#include "cluster/folder_outputs.h"
#include "cluster/job_reading.h"
#include "cluster/yarn/client/application_end.h"
#include "cluster/yarn/client/hadoop_doctor.h"
#include "cluster/yarn/client/job_fetcher.h"
#include "cluster/yarn/client/node_probe.h"
#include "cluster/yarn/client/web_proxy.h"
#include "cluster/yarn/client/yarn_submitter.h"
#include "cluster/yarn/link/container_end.h"
#include "cluster/yarn/log/hdfs_host_memory.h"
#include "cluster/yarn/output/yarn_outputs.h"
#include "cluster/yarn/staging/cleaning_turn.h"
#include "cluster/yarn/staging/staging.h"
#include "cluster/yarn/staging/staging_cleaner.h"
#include "cluster/yarn/team/yarn_team_jobs.h"
#include "cluster/yarn/waiting/wait_look.h"
#include "cluster/yarn/waiting/wait_reasons.h"
#include "hadoop/krb5/exchanges.h"
#include "net/address.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <unistd.h>
#include <utility>

namespace muster::cluster::yarn {
namespace {

namespace rm = hadoop::yarn;

// The cluster starts masters on its own schedule.
constexpr std::chrono::hours kMasterPatience{24 * 365};

std::string words_of(const rm::ApplicationReport& report) {
  std::string words =
      rm::is_over(report.state) ? words_of_end(report.diagnostics) : short_wait(report.diagnostics);
  return words.empty() ? "the cluster gives no reason" : words;
}

JobReport report_from(const rm::ApplicationReport& report) {
  const std::string id = to_string(report.id);
  if (rm::is_over(report.state)) {
    std::string words =
        fmt::format("{} has ended ({}): {}", id, to_string(report.state), words_of(report));
    return Ended{.outcome = outcome_of(report, words), .words = words};
  }
  if (report.state != rm::ApplicationState::Running || report.rpc_port <= 0) {
    return Queued{fmt::format("{} waits in queue {}: {}", id, report.queue, words_of(report))};
  }
  const net::HostPort address{.host = report.host, .port = static_cast<uint16_t>(report.rpc_port)};
  return Running{{.address = net::to_string(address), .application_id = id}};
}

ListPlace place_of(const KnownJob& job) {
  return {.ended = false, .submitted = job.submitted, .id = job.id};
}
/// Its id is the folder in HDFS: the list continues from there.
ListPlace place_of(const JobPlace& job) {
  return {.ended = true, .submitted = job.modified, .id = job.folder};
}

}  // namespace

YarnCluster::YarnCluster(os::Files& files, Options options)
    : files_(files), options_(std::move(options)), session_(files, options_.client) {}

Traits YarnCluster::traits() const {
  // A job may wait in its queue for a long time; if its application is over, that is noticed.
  return {.remote = true,
          .hdfs = true,
          .sized = true,
          .proxies = true,
          .master_patience = kMasterPatience,
          .team_homes = "/user/{user}/.muster"};
}

Result<Fit> YarnCluster::fit(const job::Plan& plan) {
  return YarnSubmitter(session_, files_, options_.program).fit(plan);
}

Result<MasterPlace> YarnCluster::submit(const Submission& submission) {
  return YarnSubmitter(session_, files_, options_.program).submit(submission);
}

Result<JobDirectory*> YarnCluster::directory() {
  if (!directory_) {
    MUSTER_TRY(const spec::Spec defaults, options_.defaults());
    MUSTER_TRY(root_, staging_root(session_, defaults));
    directory_.emplace(session_, files_, root_);
  }
  return &*directory_;
}

Status YarnCluster::add_running(const JobsQuery& query, JobsPage& page) {
  std::optional<ListPlace> after;
  if (!query.after.empty()) {
    MUSTER_TRY(after, parse_list_place(query.after));
  }
  MUSTER_TRY(JobDirectory* const directory, this->directory());
  MUSTER_TRY(const std::vector<KnownJob> known, directory->known());
  MUSTER_TRY(Session* const session, session_.open());
  for (const KnownJob& job : known) {
    if (job.over || (after && place_of(job) <= *after)) {
      continue;
    }
    if (page.jobs.size() >= query.limit) {
      return {};
    }
    page.jobs.push_back(
        {.id = job.id,
         .application_id = job.application_id,
         .user = session->site().identity.user,
         .state = job.state == "running" ? ListedJob::State::Running : ListedJob::State::Queued,
         .submitted = job.submitted,
         .summary = {}});
    page.next = to_text(place_of(job));
  }
  if (!query.ended) {
    page.next.clear();
  }
  return {};
}

Status YarnCluster::add_ended(const JobsQuery& query, JobsPage& page) {
  std::optional<JobPlace> after;
  if (!query.after.empty()) {
    MUSTER_TRY(const ListPlace place, parse_list_place(query.after));
    if (place.ended) {
      after = JobPlace{.id = place.id.substr(place.id.rfind('/') + 1),
                       .folder = place.id,
                       .modified = place.submitted};
    }
  }
  const auto room = static_cast<uint32_t>(query.limit - page.jobs.size());
  MUSTER_TRY(JobDirectory* const directory, this->directory());
  MUSTER_TRY(Session* const session, session_.open());
  // Asking for one more than fits shows whether this is the last page.
  MUSTER_TRY(const std::vector<EndedJob> ended, directory->ended(room + 1, after));
  for (const EndedJob& job : ended) {
    if (page.jobs.size() >= query.limit) {
      return {};
    }
    page.jobs.push_back({.id = job.place.id,
                         .application_id = {},
                         .user = session->site().identity.user,
                         .state = ListedJob::State::Ended,
                         .submitted = job.place.modified,
                         .summary = job.summary});
    page.next = to_text(place_of(job.place));
  }
  page.next.clear();
  return {};
}

Result<JobsPage> YarnCluster::jobs(const JobsQuery& query) {
  JobsPage page;
  const bool behind_running = query.after.starts_with("1:");
  if (query.running && !behind_running) {
    MUSTER_TRY_STATUS(add_running(query, page));
  }
  if (query.ended && page.jobs.size() < query.limit) {
    MUSTER_TRY_STATUS(add_ended(query, page));
  }
  return page;
}

Result<JobFolder> YarnCluster::find(const std::string& id) {
  MUSTER_TRY(JobDirectory* const directory, this->directory());
  MUSTER_TRY(const KnownJob job, directory->find(id));
  MUSTER_TRY(std::filesystem::path folder,
             directory->adopt(job, options_.home.jobs_folder(), options_.client.conf.string()));
  return JobFolder(std::move(folder));
}

Result<JobReport> YarnCluster::report(const JobFolder& job) {
  MUSTER_TRY(const ApplicationFile application, session_.application_of(job));
  const Result<rm::ApplicationReport> report = session_.report_of(application);
  if (report) {
    return report_from(*report);
  }
  if (report.error().code == Errc::NotFound) {
    // The resource manager has forgotten it: it keeps only a limited number of finished ones.
    return JobReport(Ended{.outcome = outcome_of(rm::ApplicationReport(), report.error().message),
                           .words = report.error().message});
  }
  return report.error();
}

Result<JobReport> YarnCluster::fetch(const JobFolder& job, FetchUntil until) {
  MUSTER_TRY(const JobReport report, this->report(job));
  JobFetcher fetcher(session_, files_, options_.plan_of);
  const Ended* const ended = std::get_if<Ended>(&report);
  if (ended == nullptr && until == FetchUntil::Now) {
    MUSTER_TRY_STATUS(fetcher.bring_log(job));
    return Result<JobReport>(report);
  }
  const Status home = fetcher.bring_home(job);
  if (home || home.error().code != Errc::NotFound) {
    return home ? Result<JobReport>(report) : home.error();
  }
  (void)fetcher.bring_log(job);
  if (ended != nullptr) {
    MUSTER_TRY_STATUS(fetcher.close(job, ended->outcome));
  }
  return Result<JobReport>(report);
}

Status YarnCluster::fetch_samples(const JobFolder& job) {
  return JobFetcher(session_, files_, options_.plan_of).bring_samples(job);
}

Result<std::string> YarnCluster::host_lines() {
  MUSTER_TRY([[maybe_unused]] JobDirectory* const directory, this->directory());
  MUSTER_TRY(Session* const session, session_.open());
  return session_.run(read_host_memory(&session->files(), Staging::hosts_file(root_)));
}

Result<std::unique_ptr<Outputs>> YarnCluster::outputs(const JobFolder& job,
                                                      const LogFilter& filter) {
  MUSTER_TRY(const JobReading reading, read_job(files_, job, options_.plan_of));
  return std::make_unique<YarnOutputs>(
      YarnOutputs::Deps{.session = session_, .files = files_, .plan_of = options_.plan_of}, job,
      roles_of(reading.replayed.machine.plan()), filter);
}

Result<std::vector<WaitReason>> YarnCluster::why(const JobFolder& job, const WaitContext& context) {
  std::vector<WaitReason> reasons;
  for (const std::string& refused : context.refused) {
    reasons.push_back({.text = refused, .advice = std::string(advice_for(refused))});
  }
  if (context.complete) {
    return reasons;
  }
  MUSTER_TRY(const ApplicationFile application, session_.application_of(job));
  MUSTER_TRY(const WaitFacts facts, look_at_wait(session_, application, largest_ask(context.plan)));
  const std::vector<WaitReason> further = explain_wait(facts);
  reasons.insert(reasons.end(), further.begin(), further.end());
  return reasons;
}

Result<std::string> YarnCluster::page(const JobFolder& job) {
  MUSTER_TRY(const JobReport told, report(job));
  if (std::holds_alternative<Ended>(told)) {
    return place_in(told, job).error();
  }
  // While the job waits, there is the cluster's own page for it.
  MUSTER_TRY(const ApplicationFile application, session_.application_of(job));
  MUSTER_TRY(Session* const session, session_.open_for(application));
  MUSTER_TRY(const WebProxies proxies, web_proxies(session->site().configuration));
  return proxies.page_of(application.application_id);
}

Result<std::unique_ptr<TeamJobs>> YarnCluster::team_jobs(rt::IoLoop& loop,
                                                         const TeamOptions& team) {
  return YarnTeamJobs::open(loop, files_,
                            {.name = options_.name,
                             .client = {.conf = options_.client.conf,
                                        .environment = options_.client.environment,
                                        .on_wait = {}},
                             .patterns = team.homes,
                             .scratch = team.scratch,
                             .disk_max = team.disk_max,
                             .plan_of = options_.plan_of});
}

Status YarnCluster::kill(const JobFolder& job, const std::string& who) {
  MUSTER_TRY(const ApplicationFile application, session_.application_of(job));
  MUSTER_TRY(Session* const session, session_.open_for(application));
  MUSTER_TRY(const rm::ApplicationId id, rm::parse_application_id(application.application_id));
  const Status killed = session_.run(
      session->applications().kill(id, std::string(kStoppedBy) + who, session_.soon()));
  // What the resource manager has forgotten is over.
  return killed || killed.error().code == Errc::NotFound ? Status() : killed;
}

Result<Retained> YarnCluster::retain(const RetentionRules& rules) {
  if (rules.total_asked) {
    return unsupported(*this, "be cleaned down to a size (--over)",
                       "jobs share the files that take most of the room; use --older");
  }
  MUSTER_TRY(JobDirectory* const directory, this->directory());
  MUSTER_TRY(Session* const session, session_.open());
  Retained retained;
  retained.where = root_;
  if (rules.in_turn) {
    MUSTER_TRY(retained.due,
               session_.run(take_cleaning_turn(&session->files().name_node(), root_,
                                               scratch_path(root_, session->random()))));
  }
  if (!retained.due) {
    return retained;
  }
  StagingCleaner cleaner(session_, *directory, root_);
  MUSTER_TRY(StagingCleaned cleaned,
             cleaner.clean({.older_than = rules.older_than.value_or(Duration::zero()),
                            .dry_run = rules.dry_run}));
  retained.removed = std::move(cleaned.jobs);
  retained.files = cleaned.files.size();
  retained.freed_bytes = cleaned.freed_bytes;
  retained.troubles = std::move(cleaned.troubles);
  return retained;
}

Result<std::vector<Finding>> YarnCluster::examine(ExamineDepth depth) {
  std::map<std::string, std::string> environment = options_.client.environment;
  if (!options_.client.conf.empty()) {
    environment["HADOOP_CONF_DIR"] = options_.client.conf.string();
  }
  std::vector<Finding> findings =
      examine_hadoop(files_, {.environment = std::move(environment),
                              .uid = ::geteuid(),
                              .now = session_.loop().wall_now(),
                              .kerberos_helper = hadoop::krb5::shipped_helper()});
  const bool reachable = std::ranges::none_of(
      findings, [](const Finding& one) { return one.verdict == Finding::Verdict::Bad; });
  if (depth == ExamineDepth::Deep && reachable) {
    const std::vector<Finding> of_node =
        probe_node(options_.program, options_.client.environment, options_.name);
    findings.insert(findings.end(), of_node.begin(), of_node.end());
  }
  return findings;
}

}  // namespace muster::cluster::yarn
