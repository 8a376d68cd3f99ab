#include "testing/fake_cluster.h"

#include "base/text.h"
#include "cluster/folder_outputs.h"
#include "cluster/job_reading.h"
#include "eventlog/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

namespace muster::testing {
namespace {

namespace fs = std::filesystem;
using cluster::JobFolder;

/// Output that lies on a host, and is copied here when it is requested.
class CopiedOutputs final : public cluster::Outputs {
 public:
  CopiedOutputs(os::Files& files, fs::path host, const JobFolder& job,
                std::vector<std::string> roles, cluster::LogFilter filter)
      : files_(files),
        host_(std::move(host)),
        here_(job.logs()),
        streams_(files, here_, std::move(roles), std::move(filter)) {}

  Result<Gaps> refresh() override {
    const Result<std::vector<os::FolderEntry>> entries = files_.list(host_);
    if (!entries) {
      return entries.error().code == Errc::NotFound ? Result<Gaps>(Gaps()) : entries.error();
    }
    MUSTER_TRY_STATUS(files_.make_folders(here_, 0700));
    for (const os::FolderEntry& entry : *entries) {
      MUSTER_TRY(const std::string text, files_.read(host_ / entry.name));
      MUSTER_TRY_STATUS(files_.write(here_ / entry.name, text));
    }
    return Gaps();
  }
  Result<std::vector<cluster::LogStream>> streams() override { return streams_.streams(); }
  Result<std::string> read(const cluster::LogStream& stream, uint64_t from,
                           uint64_t limit) override {
    return streams_.read(stream, from, limit);
  }
  [[nodiscard]] std::optional<fs::path> watched() const override { return std::nullopt; }
  Status take(const cluster::OutputPiece&) override {
    MUSTER_TRY([[maybe_unused]] const Gaps gaps, refresh());
    return {};
  }

 private:
  os::Files& files_;
  fs::path host_;
  fs::path here_;
  cluster::FolderOutputs streams_;
};

cluster::ListedJob::State listed_state(const cluster::JobReport& report) {
  using State = cluster::ListedJob::State;
  struct Visitor {
    State operator()(const cluster::Queued&) const { return State::Queued; }
    State operator()(const cluster::Running&) const { return State::Running; }
    State operator()(const cluster::Ended&) const { return State::Ended; }
    State operator()(const cluster::Lost&) const { return State::Lost; }
  };
  return std::visit(Visitor{}, report);
}

}  // namespace

cluster::Running FakeCluster::running(const std::string& id) const {
  return {.place = {.address = "127.0.0.1:1", .application_id = options_.name + "_" + id}};
}

void FakeCluster::hold_queue(bool hold) {
  held_ = hold;
  for (auto& [id, job] : jobs_) {
    if (!hold && std::holds_alternative<cluster::Queued>(job.report)) {
      job.report = running(id);
    }
  }
}

void FakeCluster::write(const JobFolder& job, std::string_view stream, std::string_view text) {
  const fs::path host = host_of(job.id().value);
  if (files_.make_folders(host, 0700)) {
    const auto file = files_.open_append(host / std::string(stream), 0600);
    if (file) {
      (void)(*file)->append(text);
    }
  }
}

void FakeCluster::end(const JobFolder& job, job::Outcome outcome) {
  Known& known = jobs_.at(job.id().value);
  known.report = cluster::Ended{.outcome = std::move(outcome), .words = {}};
  known.ended = options_.now();
}

void FakeCluster::lose(const JobFolder& job) { jobs_.at(job.id().value).report = cluster::Lost{}; }

Result<FakeCluster::Known*> FakeCluster::known(const JobFolder& job) {
  const auto found = jobs_.find(job.id().value);
  if (found == jobs_.end()) {
    return user_error("no such job: " + printable(job.id().value), Errc::NotFound);
  }
  return &found->second;
}

Result<cluster::Fit> FakeCluster::fit(const job::Plan& plan) {
  cluster::Fit fit;
  fit.capacity = format_bytes(options_.memory_bytes);
  for (const job::RolePlan& role : plan.roles) {
    cluster::RoleFit one;
    one.role = role.name;
    one.containers = role.tasks;
    one.each = role.resources;
    one.fits_ever = one.fits_now = role.resources.memory_bytes <= options_.memory_bytes;
    if (!one.fits_ever) {
      one.reason = fmt::format("{} asks for {}; the largest container has {}", role.name,
                               format_bytes(role.resources.memory_bytes), fit.capacity);
    }
    fit.roles.push_back(std::move(one));
  }
  return fit;
}

Result<cluster::MasterPlace> FakeCluster::submit(const cluster::Submission& submission) {
  MUSTER_TRY(const cluster::Fit fits, fit(*submission.plan));
  if (const std::string* const never = fits.never()) {
    return user_error(*never, Errc::NeverFits);
  }
  const JobFolder job(submission.job_folder);
  const std::string id = job.id().value;
  Known known;
  MUSTER_TRY(known.plan_json, files_.read(job.plan()));
  known.submitted = options_.now();
  known.report = held_ ? cluster::JobReport(cluster::Queued{.reason = "the queue is held"})
                       : cluster::JobReport(running(id));
  jobs_[id] = std::move(known);
  return running(id).place;
}

Result<cluster::JobsPage> FakeCluster::jobs(const cluster::JobsQuery& query) {
  std::map<cluster::ListPlace, const Known*> ordered;
  for (const auto& [id, job] : jobs_) {
    const cluster::ListedJob::State state = listed_state(job.report);
    const bool over =
        state == cluster::ListedJob::State::Ended || state == cluster::ListedJob::State::Lost;
    if (over ? query.ended : query.running) {
      ordered[{.ended = over, .submitted = job.submitted, .id = id}] = &job;
    }
  }
  if (!query.after.empty()) {
    MUSTER_TRY(const cluster::ListPlace after, cluster::parse_list_place(query.after));
    ordered.erase(ordered.begin(), ordered.upper_bound(after));
  }
  cluster::JobsPage page;
  for (const auto& [place, job] : ordered) {
    if (page.jobs.size() == query.limit) {
      return page;
    }
    const JobFolder folder(options_.home.jobs_folder() / place.id);
    if (place.ended) {
      MUSTER_TRY([[maybe_unused]] const cluster::JobReport report,
                 fetch(folder, cluster::FetchUntil::Now));
    }
    page.jobs.push_back({.id = place.id,
                         .application_id = running(place.id).place.application_id,
                         .user = "alice",
                         .state = listed_state(job->report),
                         .submitted = job->submitted,
                         .summary = files_.read(folder.summary()).value_or("")});
    page.next = to_text(place);
  }
  page.next.clear();
  return page;
}

Result<JobFolder> FakeCluster::find(const std::string& id) {
  std::vector<std::string> matches;
  std::string newest;
  for (const auto& [known_id, job] : jobs_) {
    if (known_id == id || running(known_id).place.application_id == id) {
      matches = {known_id};
      break;
    }
    if (!id.empty() && known_id.starts_with(id)) {
      matches.push_back(known_id);
    }
    newest = newest.empty() || job.submitted > jobs_.at(newest).submitted ? known_id : newest;
  }
  if (id == "last" && !newest.empty()) {
    matches = {newest};
  }
  if (matches.size() != 1) {
    return matches.empty() ? user_error("no such job: " + printable(id), Errc::NotFound)
                           : user_error(fmt::format("{} jobs begin with \"{}\": {}", matches.size(),
                                                    printable(id), join(matches, ", ")));
  }
  JobFolder folder(options_.home.jobs_folder() / matches.front());
  if (!files_.exists(folder.plan())) {
    MUSTER_TRY_STATUS(files_.make_folders(folder.root(), 0700));
    MUSTER_TRY_STATUS(files_.write(folder.plan(), jobs_.at(matches.front()).plan_json));
  }
  return folder;
}

Result<cluster::JobReport> FakeCluster::report(const JobFolder& job) {
  MUSTER_TRY(const Known* const known, this->known(job));
  return known->report;
}

Result<cluster::JobReport> FakeCluster::fetch(const JobFolder& job, cluster::FetchUntil) {
  MUSTER_TRY(const Known* const known, this->known(job));
  const auto* const ended = std::get_if<cluster::Ended>(&known->report);
  if (ended != nullptr && !files_.exists(job.summary())) {
    MUSTER_TRY(const cluster::JobReading reading, cluster::read_job(files_, job, options_.plan_of));
    const job::State closed =
        eventlog::closed_state(reading.state(), ended->outcome, reading.replayed.last_at);
    MUSTER_TRY_STATUS(
        files_.write(job.summary(), eventlog::summary_json(reading.replayed.machine.plan(), closed,
                                                           cluster::status_context(job, reading))));
  }
  return known->report;
}

Status FakeCluster::fetch_samples(const JobFolder& job) {
  const os::Path from = host_of(job.id().value) / "metrics";
  const Result<std::vector<os::FolderEntry>> files = files_.list(from);
  for (const os::FolderEntry& file : files ? *files : std::vector<os::FolderEntry>()) {
    MUSTER_TRY(const std::string bytes, files_.read(from / file.name));
    MUSTER_TRY_STATUS(files_.make_folders(job.metrics()));
    MUSTER_TRY_STATUS(files_.write(job.metrics() / file.name, bytes));
  }
  return {};
}

Result<std::unique_ptr<cluster::Outputs>> FakeCluster::outputs(const JobFolder& job,
                                                               const cluster::LogFilter& filter) {
  MUSTER_TRY([[maybe_unused]] const Known* const known, this->known(job));
  MUSTER_TRY(const cluster::JobReading reading, cluster::read_job(files_, job, options_.plan_of));
  return std::make_unique<CopiedOutputs>(files_, host_of(job.id().value), job,
                                         cluster::roles_of(reading.replayed.machine.plan()),
                                         filter);
}

Result<std::vector<cluster::WaitReason>> FakeCluster::why(const JobFolder& job,
                                                          const cluster::WaitContext& context) {
  MUSTER_TRY(const Known* const known, this->known(job));
  std::vector<cluster::WaitReason> reasons;
  for (const std::string& refused : context.refused) {
    reasons.push_back({.text = refused, .advice = {}});
  }
  if (const auto* const queued = std::get_if<cluster::Queued>(&known->report)) {
    reasons.push_back({.text = queued->reason, .advice = "let the queue go"});
  }
  return reasons;
}

Result<std::string> FakeCluster::page(const JobFolder& job) {
  MUSTER_TRY(const Known* const known, this->known(job));
  MUSTER_TRY([[maybe_unused]] const cluster::MasterPlace place, place_in(known->report, job));
  return "http://fake/" + job.id().value;
}

Result<std::unique_ptr<cluster::TeamJobs>> FakeCluster::team_jobs(rt::IoLoop&,
                                                                  const cluster::TeamOptions&) {
  return cluster::unsupported(*this, "list the jobs of all users", "it has one user");
}

Status FakeCluster::kill(const JobFolder& job, const std::string& who) {
  MUSTER_TRY(const Known* const known, this->known(job));
  if (!std::holds_alternative<cluster::Ended>(known->report)) {
    end(job, cluster::stopped_outcome("stopped by " + who));
  }
  return {};
}

Result<cluster::Retained> FakeCluster::retain(const cluster::RetentionRules& rules) {
  if (rules.total_asked) {
    return unsupported(*this, "be cleaned down to a size", "it does not know what its jobs take");
  }
  cluster::Retained retained;
  retained.where = options_.hosts.string();
  const WallTime now = options_.now();
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    const bool over = std::holds_alternative<cluster::Ended>(job->second.report);
    const bool old = !rules.older_than || now - job->second.ended > *rules.older_than;
    if (!over || !old) {
      ++job;
      continue;
    }
    retained.removed.push_back(job->first);
    if (rules.dry_run) {
      ++job;
      continue;
    }
    (void)files_.remove_tree(host_of(job->first));
    job = jobs_.erase(job);
  }
  return retained;
}

Result<std::vector<cluster::Finding>> FakeCluster::examine(cluster::ExamineDepth) {
  return std::vector<cluster::Finding>{{.verdict = cluster::Finding::Verdict::Good,
                                        .subject = options_.name,
                                        .text = fmt::format("{} jobs are known", jobs_.size()),
                                        .advice = {}}};
}

}  // namespace muster::testing
