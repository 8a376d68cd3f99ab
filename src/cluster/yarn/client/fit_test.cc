#include "cluster/yarn/client/fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::cluster::yarn {
namespace {

using ::testing::HasSubstr;
using ::testing::IsNull;
using ::testing::NotNull;

job::Plan plan_with(const std::string& label) {
  job::Plan plan;
  plan.spec.yarn.queue = "default";
  plan.spec.master.memory = 256ULL << 20;
  plan.spec.master.vcores = 1;
  job::RolePlan role;
  role.name = "worker";
  role.tasks = 4;
  role.tasks_per_container = 4;
  role.resources = {.memory_bytes = 1ULL << 30, .vcores = 1, .gpus = 1};
  role.node_label = label;
  plan.roles.push_back(role);
  return plan;
}

ClusterOffer offer() {
  ClusterOffer offer{.largest = {.memory_mb = 16384, .vcores = 16},
                     .nodes = {},
                     .labels = {"gpu"},
                     .queue = hadoop::yarn::QueueInfo{}};
  offer.largest.others["yarn.io/gpu"] = {.value = 4, .unit = {}};
  return offer;
}

TEST(Fit, AWholeHostContainerAsksForAllItsTasks) {
  const Fit fit = fit_to(plan_with(""), offer());
  EXPECT_THAT(fit.never(), IsNull());
  EXPECT_EQ(fit.roles[0].containers, 1U);
  EXPECT_EQ(fit.roles[0].each.gpus, 4U);
}

TEST(Fit, MoreGpusThanAnyHostHasAreRefused) {
  job::Plan plan = plan_with("");
  plan.roles[0].resources.gpus = 2;
  const Fit fit = fit_to(plan, offer());
  ASSERT_THAT(fit.never(), NotNull());
  EXPECT_THAT(*fit.never(), HasSubstr("8 yarn.io/gpu are requested in one container"));
}

TEST(Fit, AnUnknownResourceTypeIsRefused) {
  job::Plan plan = plan_with("");
  plan.roles[0].resources.other["fpga"] = 1;
  const Fit fit = fit_to(plan, offer());
  ASSERT_THAT(fit.never(), NotNull());
  EXPECT_THAT(*fit.never(), HasSubstr("the cluster has no resource type fpga"));
}

TEST(Fit, AnUnknownLabelIsRefusedAndThoseThereAreNamed) {
  const Fit fit = fit_to(plan_with("tpu"), offer());
  ASSERT_THAT(fit.never(), NotNull());
  EXPECT_EQ(*fit.never(), "roles.worker.node_label: the cluster has no node label tpu; it has gpu");
}

TEST(Fit, TheFairSchedulerHasNoLabels) {
  ClusterOffer fair = offer();
  fair.fair_scheduler = true;
  EXPECT_EQ(*fit_to(plan_with("gpu"), fair).never(),
            "roles.worker.node_label: the cluster runs the Fair Scheduler, which has no node "
            "labels; leave gpu out");
  EXPECT_THAT(fit_to(plan_with(""), fair).never(), IsNull());
}

TEST(Fit, ConstraintsThatTheClusterDoesNotTakeAreRefused) {
  job::Plan plan = plan_with("");
  spec::Role role;
  role.name = "worker";
  role.constraint = "notin,node,worker";
  plan.spec.roles = {role};
  ClusterOffer some = offer();
  some.placement_handler = "scheduler";
  EXPECT_THAT(fit_to(plan, some).never(), IsNull());
  some.fair_scheduler = true;
  EXPECT_THAT(*fit_to(plan, some).never(),
              HasSubstr("the cluster's Fair Scheduler does not accept placement constraints"));
  some.placement_handler = "placement-processor";
  EXPECT_THAT(fit_to(plan, some).never(), IsNull());
  some.placement_handler = "disabled";
  EXPECT_THAT(
      *fit_to(plan, some).never(),
      HasSubstr("roles.worker.constraint: the cluster does not accept placement constraints"));
  // If nothing is known, the resource manager decides.
  some.placement_handler = "";
  EXPECT_THAT(fit_to(plan, some).never(), IsNull());
}

TEST(Fit, TensorboardBesideTheChiefIsCounted) {
  job::Plan plan = plan_with("");
  const uint64_t before = container_share(plan, plan.roles[0]).memory_bytes;
  plan.spec.tensorboard = spec::Tensorboard{.logdir = "logs"};
  plan.chief = job::TaskId{.role = job::RoleIndex(0), .index = 0};
  EXPECT_EQ(container_share(plan, plan.roles[0]).memory_bytes, before + (1ULL << 30));
}

TEST(Fit, ALabelThatTheQueueMayNotUseIsRefused) {
  ClusterOffer none = offer();
  EXPECT_THAT(*fit_to(plan_with("gpu"), none).never(),
              HasSubstr("the queue default may not use the node label gpu"));
  none.queue->labels = {"gpu"};
  EXPECT_THAT(fit_to(plan_with("gpu"), none).never(), IsNull());
  none.queue->labels = {"*"};
  EXPECT_THAT(fit_to(plan_with("gpu"), none).never(), IsNull());
}

}  // namespace
}  // namespace muster::cluster::yarn
