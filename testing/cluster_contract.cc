#include "testing/cluster_contract.h"

#include "cluster/job_reading.h"
#include "eventlog/plan_file.h"
#include "eventlog/summary.h"
#include "framework/plan.h"
#include "rt/io_loop.h"
#include "spec/read/layers.h"
#include "spec/write/serialize.h"

#include <gmock/gmock.h>

#include <chrono>
#include <cstdlib>
#include <utility>
#include <variant>
#include <vector>

namespace muster::testing {

using cluster::Ended;
using cluster::FetchUntil;
using cluster::JobFolder;
using cluster::JobReport;
using cluster::ListedJob;
using cluster::Outputs;
using cluster::Queued;
using cluster::Running;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

ScratchFolder::ScratchFolder() {
  char name[] = "/tmp/cluster-contract-XXXXXX";
  path_ = ::mkdtemp(name);
}
ScratchFolder::~ScratchFolder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

Result<job::Plan> plan_of_spec(const std::string& spec_json, const std::string& job_id,
                               uint64_t seed) {
  MUSTER_TRY(const spec::Spec spec, spec::parse_json(spec_json));
  return framework::plan(spec, {.job = job::JobId{job_id}, .seed = seed});
}

Result<JobFolder> ClusterContract::try_submit(const std::string& id, const std::string& memory,
                                              bool followed) {
  MUSTER_TRY(const spec::Spec spec, spec::from_quick({.tasks = {},
                                                      .framework = {},
                                                      .name = {},
                                                      .roles = {"worker=1,memory=" + memory},
                                                      .command = {"true"}}));
  JobFolder folder(bed_->home().jobs_folder() / id);
  os::Files& files = bed_->files();
  for (const std::filesystem::path& path : {folder.logs(), folder.events(), folder.work()}) {
    MUSTER_TRY_STATUS(files.make_folders(path, 0700));
  }
  const eventlog::PlanFile file{.job_id = id,
                                .seed = 1,
                                .submitted = {},
                                .on = std::string(cluster_.name()),
                                .user = "alice",
                                .working_folder = {},
                                .python = {},
                                .spec_json = spec::to_json(spec)};
  MUSTER_TRY_STATUS(files.write(folder.secret(), std::string(64, 'a') + "\n", {.mode = 0600}));
  MUSTER_TRY_STATUS(files.write(folder.plan(), to_text(file)));
  MUSTER_TRY(const job::Plan plan, plan_of_spec(file.spec_json, id, file.seed));
  const Result<cluster::MasterPlace> place = cluster_.submit(
      {.plan = &plan, .job_folder = folder.root(), .working_folder = {}, .followed = followed});
  if (!place.has_value()) {
    // Like a client: a job that was not accepted leaves no folder.
    MUSTER_TRY_STATUS(files.remove_tree(folder.root()));
    return place.error();
  }
  return folder;
}

JobFolder ClusterContract::submit(const std::string& id) {
  const Result<JobFolder> job = try_submit(id);
  EXPECT_TRUE(job.has_value()) << job.error().message;
  return job.value_or(JobFolder(""));
}

std::vector<std::string> ClusterContract::listed(bool running, bool ended) {
  const auto page = cluster_.jobs({.running = running, .ended = ended, .limit = 100, .after = {}});
  EXPECT_TRUE(page.has_value()) << page.error().message;
  std::vector<std::string> ids;
  for (const ListedJob& job : page.has_value() ? page->jobs : std::vector<ListedJob>()) {
    ids.push_back(job.id);
  }
  return ids;
}

JobReport ClusterContract::report(const JobFolder& job) {
  const Result<JobReport> told = cluster_.report(job);
  EXPECT_TRUE(told.has_value()) << told.error().message;
  return told.value_or(JobReport(cluster::Lost{}));
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ClusterContract);

TEST_P(ClusterContract, ListsNothingBeforeTheFirstJob) {
  EXPECT_THAT(listed(true, true), IsEmpty());
}

TEST_P(ClusterContract, ListsWhatWasSubmittedAndWhatHasEnded) {
  const JobFolder one = submit("one-aaaaaa");
  (void)submit("two-aaaaaa");
  EXPECT_THAT(listed(true, false), UnorderedElementsAre("one-aaaaaa", "two-aaaaaa"));
  EXPECT_THAT(listed(false, true), IsEmpty());
  bed_->end(one);
  EXPECT_THAT(listed(true, false), ElementsAre("two-aaaaaa"));
  EXPECT_THAT(listed(false, true), ElementsAre("one-aaaaaa"));
  EXPECT_THAT(listed(true, true), ElementsAre("two-aaaaaa", "one-aaaaaa"));
}

TEST_P(ClusterContract, ListsTheSummaryOfWhatHasEnded) {
  bed_->end(submit("one-aaaaaa"));
  const auto page = cluster_.jobs({.running = false, .ended = true, .limit = 1, .after = {}});
  ASSERT_TRUE(page.has_value() && page->jobs.size() == 1);
  EXPECT_EQ(page->jobs[0].state, ListedJob::State::Ended);
  const auto summary = eventlog::parse_summary(page->jobs[0].summary);
  ASSERT_TRUE(summary.has_value());
  EXPECT_EQ(summary->job, "one-aaaaaa");
  EXPECT_EQ(summary->result, "succeeded");
}

TEST_P(ClusterContract, ListsPageByPageTheNewestFirst) {
  for (const char* id : {"a-aaaaaa", "b-aaaaaa", "c-aaaaaa", "d-aaaaaa", "e-aaaaaa"}) {
    const JobFolder job = submit(id);
    if (id[0] < 'c') {
      bed_->end(job);
    }
  }
  std::vector<std::string> ids;
  std::string after;
  size_t pages = 0;
  do {
    const auto page = cluster_.jobs({.running = true, .ended = true, .limit = 2, .after = after});
    ASSERT_TRUE(page.has_value()) << page.error().message;
    ASSERT_LE(page->jobs.size(), 2U);
    for (const ListedJob& job : page->jobs) {
      ids.push_back(job.id);
    }
    after = page->next;
    ++pages;
  } while (!after.empty() && pages < 10);
  EXPECT_EQ(pages, 3U);
  ASSERT_THAT(ids, SizeIs(5));
  EXPECT_THAT(std::vector(ids.begin(), ids.begin() + 3),
              ElementsAre("e-aaaaaa", "d-aaaaaa", "c-aaaaaa"));
  EXPECT_THAT(std::vector(ids.begin() + 3, ids.end()),
              UnorderedElementsAre("a-aaaaaa", "b-aaaaaa"));
}

TEST_P(ClusterContract, GoesOnBehindAJobThatIsGone) {
  const JobFolder one = submit("one-aaaaaa");
  (void)submit("two-aaaaaa");
  const auto page = cluster_.jobs({.running = true, .ended = false, .limit = 1, .after = {}});
  ASSERT_TRUE(page.has_value() && !page->next.empty());
  EXPECT_EQ(page->jobs[0].id, "two-aaaaaa");
  bed_->end(JobFolder(bed_->home().jobs_folder() / "two-aaaaaa"));
  const auto rest =
      cluster_.jobs({.running = true, .ended = false, .limit = 1, .after = page->next});
  ASSERT_TRUE(rest.has_value() && rest->jobs.size() == 1);
  EXPECT_EQ(rest->jobs[0].id, "one-aaaaaa");
  EXPECT_EQ(rest->next, "");
}

TEST_P(ClusterContract, RefusesAPlaceThatNoListHas) {
  const auto page = cluster_.jobs({.running = true, .ended = true, .limit = 1, .after = "x"});
  ASSERT_FALSE(page.has_value());
  EXPECT_EQ(page.error().code, Errc::InvalidArgument);
}

TEST_P(ClusterContract, KnowsNothingOfAnotherJob) {
  const JobFolder nobody(bed_->home().jobs_folder() / "nobody-zzzzzz");
  EXPECT_EQ(cluster_.report(nobody).error().code, Errc::NotFound);
  EXPECT_EQ(cluster_.fetch(nobody, FetchUntil::Now).error().code, Errc::NotFound);
  EXPECT_EQ(cluster_.outputs(nobody, {}).error().code, Errc::NotFound);
  EXPECT_EQ(cluster_.page(nobody).error().code, Errc::NotFound);
  EXPECT_EQ(cluster_.kill(nobody, "alice").error().code, Errc::NotFound);
  const auto found = cluster_.find("nobody-zzzzzz");
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().code, Errc::NotFound);
  EXPECT_THAT(found.error().message, HasSubstr("nobody-zzzzzz"));
}

TEST_P(ClusterContract, FindsAJobByItsIdItsBeginningAndTheLast) {
  (void)submit("one-aaaaaa");
  (void)submit("one-bbbbbb");
  (void)submit("two-aaaaaa");
  EXPECT_EQ(cluster_.find("one-aaaaaa")->id().value, "one-aaaaaa");
  EXPECT_EQ(cluster_.find("tw")->id().value, "two-aaaaaa");
  EXPECT_EQ(cluster_.find("last")->id().value, "two-aaaaaa");
  const auto ambiguous = cluster_.find("one");
  ASSERT_FALSE(ambiguous.has_value());
  EXPECT_NE(ambiguous.error().code, Errc::NotFound);
  EXPECT_THAT(ambiguous.error().message, HasSubstr("one-bbbbbb"));
}

TEST_P(ClusterContract, TellsWhereTheMasterOfARunningJobIs) {
  const JobFolder job = submit("one-aaaaaa");
  const JobReport told = report(job);
  ASSERT_TRUE(std::holds_alternative<Running>(told));
  EXPECT_THAT(std::get<Running>(told).place.address, HasSubstr(":"));
  EXPECT_EQ(locate(cluster_, job)->address, std::get<Running>(told).place.address);
  EXPECT_THAT(cluster_.page(job).value_or(""), HasSubstr("http"));
}

TEST_P(ClusterContract, TellsTheMasterWhetherTheJobIsFollowed) {
  const JobFolder alone = submit("one-aaaaaa");
  const Result<JobFolder> followed = try_submit("two-aaaaaa", "64m", true);
  ASSERT_TRUE(followed.has_value()) << followed.error().message;
  const std::optional<bool> told = bed_->is_told_of_follower(alone);
  if (!told) {
    GTEST_SKIP() << "this bed does not see how masters are started";
  }
  EXPECT_FALSE(*told);
  EXPECT_EQ(bed_->is_told_of_follower(*followed), true);
}

TEST_P(ClusterContract, TellsHowAJobEnded) {
  const JobFolder job = submit("one-aaaaaa");
  bed_->end(job);
  const JobReport told = report(job);
  ASSERT_TRUE(std::holds_alternative<Ended>(told));
  EXPECT_EQ(std::get<Ended>(told).outcome.result, job::JobResult::Succeeded);
  EXPECT_EQ(locate(cluster_, job).error().code, Errc::NotFound);
  EXPECT_EQ(cluster_.page(job).error().code, Errc::NotFound);
}

TEST_P(ClusterContract, TellsThatAJobIsLost) {
  const JobFolder job = submit("one-aaaaaa");
  if (!bed_->lose(job)) {
    GTEST_SKIP() << "this cluster starts masters again";
  }
  EXPECT_TRUE(std::holds_alternative<cluster::Lost>(report(job)));
  EXPECT_EQ(locate(cluster_, job).error().code, Errc::NotFound);
  EXPECT_THAT(listed(true, false), IsEmpty());
  EXPECT_THAT(listed(false, true), ElementsAre("one-aaaaaa"));
}

TEST_P(ClusterContract, TellsWhyAJobIsQueued) {
  if (!bed_->hold_queue(true)) {
    GTEST_SKIP() << "this cluster has no queue";
  }
  const JobFolder job = submit("one-aaaaaa");
  const JobReport told = report(job);
  ASSERT_TRUE(std::holds_alternative<Queued>(told));
  EXPECT_THAT(std::get<Queued>(told).reason, Not(IsEmpty()));
  EXPECT_EQ(locate(cluster_, job).error().code, Errc::Unavailable);
  const auto plan = plan_of_spec(
      cluster::read_job(bed_->files(), job, plan_of_spec)->plan_file.spec_json, "one-aaaaaa", 1);
  ASSERT_TRUE(plan.has_value());
  const auto reasons = cluster_.why(job, {.plan = *plan, .refused = {}, .complete = false});
  ASSERT_TRUE(reasons.has_value()) << reasons.error().message;
  EXPECT_THAT(*reasons, Not(IsEmpty()));
  bed_->hold_queue(false);
  EXPECT_TRUE(std::holds_alternative<Running>(report(job)));
}

TEST_P(ClusterContract, AQueuedJobCanBeKilled) {
  if (!bed_->hold_queue(true)) {
    GTEST_SKIP() << "this cluster has no queue";
  }
  const JobFolder job = submit("one-aaaaaa");
  EXPECT_TRUE(cluster_.kill(job, "alice").has_value());
  bed_->hold_queue(false);
  const JobReport told = report(job);
  ASSERT_TRUE(std::holds_alternative<Ended>(told));
  EXPECT_EQ(std::get<Ended>(told).outcome.result, job::JobResult::Stopped);
}

TEST_P(ClusterContract, PassesOnWhatWasRefusedFirst) {
  const JobFolder job = submit("one-aaaaaa");
  const auto reading = cluster::read_job(bed_->files(), job, plan_of_spec);
  ASSERT_TRUE(reading.has_value());
  const auto reasons = cluster_.why(job, {.plan = reading->replayed.machine.plan(),
                                          .refused = {"worker: no such label"},
                                          .complete = true});
  ASSERT_TRUE(reasons.has_value()) << reasons.error().message;
  ASSERT_THAT(*reasons, SizeIs(1));
  EXPECT_EQ(reasons->front().text, "worker: no such label");
}

TEST_P(ClusterContract, MakesAJobThatHasEndedReadable) {
  const JobFolder job = submit("one-aaaaaa");
  EXPECT_TRUE(std::holds_alternative<Running>(*cluster_.fetch(job, FetchUntil::Now)));
  EXPECT_FALSE(bed_->files().exists(job.summary()));
  bed_->end(job);
  // A second time changes nothing.
  for (int i = 0; i < 2; ++i) {
    const auto fetched = cluster_.fetch(job, FetchUntil::End);
    ASSERT_TRUE(fetched.has_value()) << fetched.error().message;
    const auto reading = cluster::read_job(bed_->files(), job, plan_of_spec);
    ASSERT_TRUE(reading.has_value()) << reading.error().message;
    EXPECT_EQ(reading->state().phase, job::JobPhase::Ended);
    EXPECT_EQ(reading->state().outcome->result, job::JobResult::Succeeded);
  }
}

TEST_P(ClusterContract, ReadsOutputByRangeWhileAJobRunsAndAfter) {
  const JobFolder job = submit("one-aaaaaa");
  const auto outputs = cluster_.outputs(job, {});
  ASSERT_TRUE(outputs.has_value()) << outputs.error().message;
  Outputs& output = **outputs;
  bed_->write(job, "one\ntwo\n");
  EXPECT_THAT(*output.refresh(), IsEmpty());
  auto streams = output.streams();
  ASSERT_TRUE(streams.has_value());
  ASSERT_THAT(*streams, SizeIs(1));
  EXPECT_EQ(streams->front().role, "worker");
  EXPECT_EQ(*output.read(streams->front(), 4, 3), "two");
  EXPECT_EQ(*output.read(streams->front(), 8, 100), "");
  bed_->write(job, "three\n");
  EXPECT_THAT(*output.refresh(), IsEmpty());
  EXPECT_EQ(*output.read(streams->front(), 8, 100), "three\n");
  bed_->end(job);
  ASSERT_TRUE(cluster_.fetch(job, FetchUntil::End).has_value());
  const auto after = cluster_.outputs(job, {});
  ASSERT_TRUE(after.has_value());
  EXPECT_TRUE((*after)->refresh().has_value());
  streams = (*after)->streams();
  ASSERT_TRUE(streams.has_value() && streams->size() == 1);
  EXPECT_EQ(*(*after)->read(streams->front(), 0, 100), "one\ntwo\nthree\n");
}

TEST_P(ClusterContract, FollowsOutputByItsFolderOrByPieces) {
  const JobFolder job = submit("one-aaaaaa");
  const auto outputs = cluster_.outputs(job, {});
  ASSERT_TRUE(outputs.has_value());
  bed_->write(job, "one\n");
  if (const auto folder = (*outputs)->watched()) {
    EXPECT_TRUE(bed_->files().exists(*folder));
  } else {
    // What is sent follows what was written before it.
    ASSERT_TRUE((*outputs)
                    ->take({.role = "worker",
                            .index = 0,
                            .attempt = 1,
                            .is_err = false,
                            .offset = 0,
                            .bytes = "one\n"})
                    .has_value());
  }
  const auto streams = (*outputs)->streams();
  ASSERT_TRUE(streams.has_value() && streams->size() == 1);
  EXPECT_EQ(*(*outputs)->read(streams->front(), 0, 100), "one\n");
}

TEST_P(ClusterContract, ShowsOnlyTheOutputThatIsAskedFor) {
  const JobFolder job = submit("one-aaaaaa");
  bed_->write(job, "one\n");
  for (const auto& [role, streams_wanted] : {std::pair("worker", 1U), std::pair("ps", 0U)}) {
    const auto outputs = cluster_.outputs(
        job, {.tasks = {{.role = role, .index = {}}}, .attempt = {}, .is_err = {}});
    ASSERT_TRUE(outputs.has_value());
    EXPECT_TRUE((*outputs)->refresh().has_value());
    EXPECT_EQ((*outputs)->streams()->size(), streams_wanted) << role;
  }
}

TEST_P(ClusterContract, KillsOnceAndForAll) {
  const JobFolder job = submit("one-aaaaaa");
  for (int i = 0; i < 3; ++i) {
    const Status killed = cluster_.kill(job, "alice on pts/3");
    ASSERT_TRUE(killed.has_value()) << killed.error().message;
  }
  JobReport told = report(job);
  for (int i = 0; i < 1000 && !std::holds_alternative<Ended>(told); ++i) {
    told = report(job);
    rt::IoLoop loop;
    loop.run_until(loop.now() + std::chrono::milliseconds(10));
  }
  ASSERT_TRUE(std::holds_alternative<Ended>(told));
  EXPECT_EQ(std::get<Ended>(told).outcome.result, job::JobResult::Stopped);
  EXPECT_TRUE(cluster_.kill(job, "alice").has_value());
}

TEST_P(ClusterContract, RefusesWhatCanNeverFitBeforeAnythingStarts) {
  if (!bed_->has_limits()) {
    GTEST_SKIP() << "this cluster takes every plan";
  }
  const auto job = try_submit("big-aaaaaa", "900t");
  ASSERT_FALSE(job.has_value());
  EXPECT_EQ(job.error().code, Errc::NeverFits);
  EXPECT_THAT(listed(true, false), IsEmpty());
}

TEST_P(ClusterContract, RemovesNothingThatMayStillRun) {
  (void)submit("one-aaaaaa");
  const JobFolder over = submit("two-aaaaaa");
  bed_->end(over);
  cluster::RetentionRules rules;
  rules.dry_run = true;
  const auto tried = cluster_.retain(rules);
  if (!tried.has_value()) {
    EXPECT_EQ(tried.error().code, Errc::Unsupported);
    EXPECT_EQ(tried.error().blame, Blame::User);
    EXPECT_THAT(tried.error().message, HasSubstr(std::string(cluster_.name()) + " cannot"));
    EXPECT_THAT(tried.error().message, HasSubstr(": "));
    return;
  }
  EXPECT_THAT(tried->removed, ElementsAre("two-aaaaaa"));
  EXPECT_THAT(listed(false, true), ElementsAre("two-aaaaaa"));
  rules.dry_run = false;
  EXPECT_THAT(cluster_.retain(rules)->removed, ElementsAre("two-aaaaaa"));
  EXPECT_THAT(listed(true, true), ElementsAre("one-aaaaaa"));
}

TEST_P(ClusterContract, KeepsToATotalOrRefusesIt) {
  bed_->end(submit("one-aaaaaa"));
  cluster::RetentionRules rules;
  rules.older_than = std::chrono::hours(24 * 365);
  rules.total_max_bytes = 0;
  rules.total_asked = true;
  const auto kept = cluster_.retain(rules);
  if (kept.has_value()) {
    EXPECT_THAT(kept->removed, ElementsAre("one-aaaaaa"));
    return;
  }
  EXPECT_EQ(kept.error().code, Errc::Unsupported);
  EXPECT_EQ(kept.error().blame, Blame::User);
  EXPECT_THAT(listed(false, true), ElementsAre("one-aaaaaa"));
}

TEST_P(ClusterContract, FindsSomethingOrSaysWhyNot) {
  const auto findings = cluster_.examine(cluster::ExamineDepth::Shallow);
  if (findings.has_value()) {
    EXPECT_THAT(*findings, Not(IsEmpty()));
    return;
  }
  EXPECT_EQ(findings.error().code, Errc::Unsupported);
  EXPECT_THAT(findings.error().message, HasSubstr(std::string(cluster_.name()) + " cannot"));
}

}  // namespace muster::testing
