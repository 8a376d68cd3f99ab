#include "framework/plan.h"

#include "framework/tensorboard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::framework {
namespace {

using ::testing::HasSubstr;

spec::Role role(std::string name, uint32_t tasks = 1) {
  spec::Role made;
  made.name = std::move(name);
  made.tasks = tasks;
  made.command = "true";
  return made;
}

spec::Spec job_of(spec::Framework framework, std::vector<spec::Role> roles) {
  spec::Spec made;
  made.name = "digits";
  made.framework = framework;
  made.roles = std::move(roles);
  return made;
}

Result<job::Plan> planned(const spec::Spec& spec) {
  return plan(spec, {.job = job::JobId("digits-1"), .seed = 7});
}

job::Plan must_plan(const spec::Spec& spec) {
  Result<job::Plan> made = planned(spec);
  EXPECT_TRUE(made.has_value()) << (made ? "" : made.error().message);
  return made.value_or(job::Plan{});
}

std::string refusal(const spec::Spec& spec) {
  const Result<job::Plan> made = planned(spec);
  EXPECT_FALSE(made.has_value());
  if (made) {
    return "";
  }
  EXPECT_EQ(made.error().blame, Blame::User);
  return made.error().message;
}

struct Policies {
  spec::Membership membership;
  spec::Success success;
  spec::Failure failure;
  bool ranked;
  bool operator==(const Policies&) const = default;
};

Policies policies(const job::Plan& plan, std::string_view name) {
  const job::RolePlan& found = plan.role(plan.find_role(name).value());
  return {found.membership, found.success, found.failure, found.ranked};
}

using enum spec::Membership;
using spec::Failure;
using spec::Framework;
using spec::Success;

constexpr Policies kCompanion = {Independent, Success::Ignored, Failure::Ignored, false};

TEST(Horovod, HasNoElasticRanks) {
  spec::Role worker = role("worker", 4);
  worker.min = 2;
  worker.max = 4;
  worker.membership = spec::Membership::Elastic;
  EXPECT_THAT(refusal(job_of(spec::Framework::Horovod, {worker})),
              HasSubstr("roles.worker.membership: elastic does not work with horovod"));
  worker.membership = spec::Membership::Static;
  EXPECT_TRUE(planned(job_of(spec::Framework::Horovod, {worker})).has_value());
}

TEST(Plan, TakesWhatTheSpecSaysAsItIs) {
  spec::Spec spec = job_of(Framework::Generic, {role("worker", 3)});
  spec.roles[0].memory = 2ULL << 30;
  spec.roles[0].vcores = 2;
  spec.roles[0].gpus = 1;
  spec.roles[0].ports = {"http"};
  spec.restart.process = 5;
  spec.deadlines.run = std::chrono::hours(2);
  const job::Plan plan = must_plan(spec);
  EXPECT_EQ(plan.job.value, "digits-1");
  EXPECT_EQ(plan.seed, 7U);
  EXPECT_EQ(plan.framework, "generic");
  EXPECT_EQ(plan.barrier, spec::Barrier::Gang);
  EXPECT_EQ(plan.roles[0].tasks_min, 3U);
  EXPECT_EQ(plan.roles[0].resources.memory_bytes, 2ULL << 30);
  EXPECT_EQ(plan.roles[0].resources.vcores, 2U);
  EXPECT_EQ(plan.roles[0].resources.gpus, 1U);
  EXPECT_EQ(plan.roles[0].restart.process, 5U);
  EXPECT_EQ(plan.deadlines.run, std::chrono::hours(2));
  EXPECT_EQ(plan.liveness.orphan, std::chrono::minutes(15));
  EXPECT_EQ(plan.spec, spec);
}

TEST(Plan, LetsARoleHaveItsOwnRestarts) {
  spec::Spec spec = job_of(Framework::Generic, {role("worker"), role("ps")});
  spec.roles[1].restart =
      spec::Restart{.process = 0, .backoff = {.low = Duration(5), .high = Duration(9)}};
  const job::Plan plan = must_plan(spec);
  EXPECT_EQ(plan.roles[0].restart.process, 3U);
  EXPECT_EQ(plan.roles[0].restart.container, 3U);
  EXPECT_FALSE(plan.roles[0].restart.container_for_program);
  EXPECT_EQ(plan.roles[1].restart.process, 0U);
  EXPECT_EQ(plan.roles[1].restart.backoff_high, Duration(9));
}

TEST(Plan, FindsTheChief) {
  spec::Spec spec = job_of(Framework::Generic, {role("ps"), role("worker", 2), role("chief")});
  EXPECT_EQ(must_plan(spec).chief, (job::TaskId{job::RoleIndex(2), 0}));
  spec.roles[1].chief = true;
  EXPECT_EQ(must_plan(spec).chief, (job::TaskId{job::RoleIndex(1), 0}));
  spec.roles = {role("ps"), role("worker", 2)};
  EXPECT_EQ(must_plan(spec).chief, (job::TaskId{job::RoleIndex(1), 0}));
  spec.roles = {role("db")};
  EXPECT_EQ(must_plan(spec).chief, std::nullopt);
}

TEST(Plan, ResolvesTheOrderOfRoles) {
  spec::Spec spec = job_of(Framework::Generic, {role("db"), role("worker")});
  spec.roles[1].after = {{.role = "db", .condition = spec::Condition::Running}};
  spec.roles[1].deadline_after = {
      {.roles = {"db"}, .in = Duration(10), .then = spec::DeadlineAction::Ignore}};
  const job::Plan plan = must_plan(spec);
  EXPECT_EQ(plan.roles[1].after[0].role.value, 0);
  EXPECT_EQ(plan.roles[1].after[0].condition, spec::Condition::Running);
  EXPECT_EQ(plan.roles[1].deadline_after->roles[0].value, 0);
  spec.roles[1].after[0].role = "cache";
  EXPECT_EQ(refusal(spec), "roles.worker.after: there is no role cache");
}

TEST(Plan, ProposesACoordinatorForParameterServers) {
  const job::Plan plan = must_plan(job_of(
      Framework::Tensorflow, {role("chief"), role("worker", 2), role("ps"), role("evaluator")}));
  EXPECT_EQ(policies(plan, "chief"), (Policies{Static, Success::EndsJob, Failure::FailsJob, true}));
  EXPECT_EQ(policies(plan, "worker"),
            (Policies{Rejoin, Success::Ignored, Failure::FailsJob, true}));
  EXPECT_EQ(policies(plan, "ps"), (Policies{Static, Success::Ignored, Failure::FailsJob, false}));
  EXPECT_EQ(policies(plan, "evaluator"), kCompanion);
  EXPECT_FALSE(plan.gives_new_ports_on_restart);
}

TEST(Plan, WaitsForTheWorkersOfServersWithoutACoordinator) {
  const job::Plan plan = must_plan(job_of(Framework::Tensorflow, {role("worker", 2), role("ps")}));
  EXPECT_EQ(policies(plan, "worker"),
            (Policies{Rejoin, Success::Required, Failure::FailsJob, true}));
}

TEST(Plan, ProposesOneGangForMirroredTraining) {
  const job::Plan plan = must_plan(
      job_of(Framework::Tensorflow, {role("chief"), role("worker"), role("tensorboard")}));
  const Policies gang = {Static, Success::Required, Failure::FailsJob, true};
  EXPECT_EQ(policies(plan, "chief"), gang);
  EXPECT_EQ(policies(plan, "worker"), gang);
  EXPECT_EQ(policies(plan, "tensorboard"), kCompanion);
  EXPECT_TRUE(plan.gives_new_ports_on_restart);
}

TEST(Plan, ProposesOneGangForCollectiveFrameworks) {
  for (const Framework framework : {Framework::Pytorch, Framework::Jax}) {
    spec::Spec spec = job_of(framework, {role("worker", 4), role("logger")});
    spec.roles[1].success = Success::Ignored;
    const job::Plan plan = must_plan(spec);
    EXPECT_EQ(policies(plan, "worker"),
              (Policies{Static, Success::Required, Failure::FailsJob, true}));
    EXPECT_EQ(policies(plan, "logger"),
              (Policies{Independent, Success::Ignored, Failure::FailsJob, false}));
  }
}

TEST(Plan, WaitsForTheWorkersOfAnMxnetJob) {
  const job::Plan plan = must_plan(
      job_of(spec::Framework::Mxnet, {role("scheduler"), role("server", 2), role("worker", 2)}));
  const Policies aside = {spec::Membership::Static, spec::Success::Ignored, spec::Failure::FailsJob,
                          false};
  EXPECT_EQ(policies(plan, "scheduler"), aside);
  EXPECT_EQ(policies(plan, "server"), aside);
  EXPECT_EQ(policies(plan, "worker"), (Policies{spec::Membership::Static, spec::Success::Required,
                                                spec::Failure::FailsJob, true}));
}

TEST(Plan, RefusesAnMxnetJobThatLacksARoleOrHasAnother) {
  using spec::Framework;
  EXPECT_THAT(refusal(job_of(Framework::Mxnet, {role("scheduler"), role("worker")})),
              HasSubstr("needs a role server"));
  EXPECT_THAT(
      refusal(job_of(Framework::Mxnet, {role("scheduler", 2), role("server"), role("worker")})),
      HasSubstr("roles.scheduler.tasks: must be 1 with mxnet, not 2"));
  EXPECT_THAT(refusal(job_of(Framework::Mxnet,
                             {role("scheduler"), role("server"), role("worker"), role("chief")})),
              HasSubstr("roles.chief: the roles of an mxnet job are"));
  spec::Spec apart = job_of(Framework::Mxnet, {role("scheduler"), role("server"), role("worker")});
  apart.barrier = spec::Barrier::AsGranted;
  EXPECT_THAT(refusal(apart), HasSubstr("as_granted does not work with mxnet"));
  apart.barrier.reset();
  apart.roles[2].membership = spec::Membership::Rejoin;
  EXPECT_THAT(refusal(apart), HasSubstr("rejoin does not work with mxnet"));
}

TEST(Plan, LeavesStandaloneTasksToThemselves) {
  const job::Plan plan = must_plan(job_of(Framework::Standalone, {role("worker", 2)}));
  EXPECT_EQ(plan.barrier, spec::Barrier::AsGranted);
  EXPECT_EQ(policies(plan, "worker"),
            (Policies{Independent, Success::Required, Failure::FailsJob, true}));
  EXPECT_TRUE(plan.roles[0].ports.empty());
  EXPECT_EQ(plan.gang.hold, std::nullopt);
}

TEST(Plan, TakesWhichFailuresEndTheJob) {
  spec::Spec spec = job_of(Framework::Generic, {role("worker", 2)});
  EXPECT_FALSE(must_plan(spec).stop_on_first_failure);
  EXPECT_FALSE(must_plan(spec).chief_failure_fails_job);
  spec.stop_on_first_failure = true;
  EXPECT_TRUE(must_plan(spec).stop_on_first_failure);
  spec.chief_failure_fails_job = true;
  EXPECT_TRUE(must_plan(spec).chief_failure_fails_job);
}

TEST(Plan, LetsTheUserHaveTheLastWord) {
  spec::Spec spec = job_of(Framework::Tensorflow, {role("worker"), role("ps"), role("evaluator")});
  spec.barrier = spec::Barrier::AsGranted;
  spec.roles[0].membership = Static;
  spec.roles[0].failure = Failure::Tolerated;
  spec.roles[2].success = Success::Required;
  const job::Plan plan = must_plan(spec);
  EXPECT_EQ(plan.barrier, spec::Barrier::AsGranted);
  EXPECT_EQ(policies(plan, "worker"),
            (Policies{Static, Success::Required, Failure::Tolerated, true}));
  EXPECT_EQ(policies(plan, "evaluator"),
            (Policies{Independent, Success::Required, Failure::FailsJob, false}));
}

TEST(Plan, MakesARangeElastic) {
  spec::Spec spec = job_of(Framework::Generic, {role("worker", 4)});
  spec.roles[0].min = 2;
  spec.roles[0].max = 4;
  const job::Plan plan = must_plan(spec);
  EXPECT_EQ(plan.roles[0].membership, Elastic);
  EXPECT_EQ(plan.roles[0].tasks, 4U);
  EXPECT_EQ(plan.roles[0].tasks_min, 2U);
}

TEST(Plan, KeepsARangeTogetherWhereTheFrameworkNeedsIt) {
  for (const Framework framework : {Framework::Tensorflow, Framework::Pytorch, Framework::Jax}) {
    spec::Spec spec = job_of(framework, {role("worker", 4)});
    spec.roles[0].min = 2;
    spec.roles[0].max = 4;
    const job::Plan plan = must_plan(spec);
    EXPECT_EQ(plan.roles[0].membership, Static);
    EXPECT_EQ(plan.roles[0].tasks_min, 2U);
  }
}

TEST(Plan, WantsAChiefForTensorboard) {
  spec::Spec spec = job_of(Framework::Generic, {role("db")});
  spec.tensorboard = spec::Tensorboard{.logdir = "logs"};
  const auto refused = plan(spec, {});
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("`chief: true`"), std::string::npos);
  spec.roles[0].chief = true;
  EXPECT_TRUE(plan(spec, {}).has_value());
}

TEST(Plan, FillsInTheCheckpointFolderOfTensorboard) {
  EXPECT_EQ(logdir_of({.logdir = "$MUSTER_CHECKPOINT_DIR/logs"}, "/c"), "/c/logs");
  EXPECT_EQ(logdir_of({.logdir = "logs"}, "/c"), "logs");
}

TEST(Plan, GivesTheChiefAPortForTensorboard) {
  spec::Spec spec = job_of(Framework::Pytorch, {role("worker", 2)});
  EXPECT_EQ(must_plan(spec).roles[0].ports, std::vector<std::string>{"tensorboard"});
  spec.roles.push_back(role("tensorboard"));
  EXPECT_TRUE(must_plan(spec).roles[0].ports.empty());
  EXPECT_EQ(must_plan(spec).roles[1].ports, std::vector<std::string>{"tensorboard"});
}

TEST(Plan, RefusesARangeOfPortsThatNoHostCanDoWith) {
  spec::Spec spec = job_of(Framework::Generic, {role("worker", 4)});
  spec.roles[0].tasks_per_container = 2;
  spec.roles[0].ports = {"http"};
  spec.network.port_range = {.low = 20000, .high = 20007};
  EXPECT_EQ(must_plan(spec).roles[0].ports.size(), 2U);  // Those for http and TensorBoard.
  spec.network.port_range->high = 20006;
  EXPECT_EQ(refusal(spec),
            "network.port_range: 20000-20006 has 7 ports, and the master and a container of worker "
            "need 8: one each, and 3 for each task of the container");
}

TEST(Plan, RefusesContradictions) {
  spec::Spec spec = job_of(Framework::Generic, {role("worker", 2)});
  spec.roles[0].success = Success::Ignored;
  spec.roles[0].failure = Failure::Tolerated;
  EXPECT_THAT(refusal(spec), HasSubstr("roles.worker: `failure: tolerated` counts failures"));

  spec = job_of(Framework::Generic, {role("worker", 2)});
  spec.roles[0].membership = Elastic;
  EXPECT_EQ(refusal(spec), "roles.worker.membership: elastic needs a min that is less than max");
  spec.roles[0].min = 1;
  spec.roles[0].max = 2;
  spec.roles[0].membership = Rejoin;
  EXPECT_EQ(refusal(spec),
            "roles.worker: min and max need membership elastic or static, not rejoin; use `tasks` "
            "instead");
}

TEST(Plan, RefusesWhatTheFrameworkCannotDo) {
  spec::Spec spec = job_of(Framework::Tensorflow, {role("worker", 2)});
  spec.roles[0].min = 1;
  spec.roles[0].max = 2;
  spec.roles[0].membership = Elastic;
  EXPECT_THAT(refusal(spec), HasSubstr("elastic does not work with tensorflow"));

  spec = job_of(Framework::Pytorch, {role("worker", 2)});
  spec.roles[0].membership = Rejoin;
  EXPECT_THAT(refusal(spec), HasSubstr("rejoin does not work with pytorch"));
  spec.roles[0].membership = std::nullopt;
  spec.barrier = spec::Barrier::AsGranted;
  EXPECT_THAT(refusal(spec), HasSubstr("barrier: as_granted does not work with pytorch"));
}

TEST(Plan, RefusesMoreTasksThanAVariableCanName) {
  spec::Spec spec = job_of(Framework::Tensorflow, {role("worker", 4096)});
  EXPECT_TRUE(planned(spec).has_value());
  spec.roles[0].tasks = 4097;
  EXPECT_EQ(
      refusal(spec),
      "roles: 4097 tasks are too many for tensorflow, which reads all addresses from the variable "
      "TF_CONFIG; the kernel limits a variable to 128 KiB, which holds at most 4096 tasks");
  spec.framework = Framework::Pytorch;
  EXPECT_TRUE(planned(spec).has_value());
}

TEST(Plan, RefusesASecondChiefOfTensorflow) {
  for (const std::string name : {"chief", "evaluator"}) {
    EXPECT_EQ(refusal(job_of(Framework::Tensorflow, {role(name, 2), role("worker")})),
              "roles." + name + ".tasks: tensorflow allows at most one " + name +
                  ", not 2; rename the role if these are workers");
    EXPECT_TRUE(planned(job_of(Framework::Pytorch, {role(name, 2), role("worker")})).has_value());
  }
  EXPECT_TRUE(
      planned(job_of(Framework::Tensorflow, {role("chief"), role("worker", 2)})).has_value());
}

}  // namespace
}  // namespace muster::framework
