#include "cluster/yarn/link/role_placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::cluster::yarn {
namespace {

namespace rm = hadoop::yarn;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

spec::Role role(const std::string& name, const std::string& constraint = "") {
  spec::Role made;
  made.name = name;
  made.constraint = constraint;
  return made;
}

spec::Spec job(std::vector<spec::Role> roles) {
  spec::Spec spec;
  spec.roles = std::move(roles);
  return spec;
}

TEST(RolePlacement, AJobWithoutConstraintsAsksPlainly) {
  EXPECT_TRUE(placements_of(job({role("ps"), role("worker")})).value().empty());
}

TEST(RolePlacement, ARolesNameIsItsTagUnlessItHasOthers) {
  const auto placements =
      placements_of(job({role("ps"), role("worker", "notin,node,ps"), role("chief")})).value();
  ASSERT_EQ(placements.size(), 2U);
  EXPECT_THAT(placements.at("ps").tags, ElementsAre("ps"));
  EXPECT_FALSE(placements.at("ps").constraint.has_value());
  EXPECT_THAT(placements.at("worker").tags, ElementsAre("worker"));
  EXPECT_TRUE(placements.at("worker").constraint.has_value());
}

TEST(RolePlacement, TagsAloneAreAskedForToo) {
  spec::Role tagged = role("worker");
  tagged.allocation_tags = {"a", "b"};
  const auto placements = placements_of(job({tagged})).value();
  EXPECT_THAT(placements.at("worker").tags, ElementsAre("a", "b"));
}

TEST(RolePlacement, ATagThatNobodyHasIsRefused) {
  spec::Role tagged = role("ps");
  tagged.allocation_tags = {"train"};
  const auto placements = placements_of(job({tagged, role("worker", "in,node,ps")}));
  ASSERT_FALSE(placements.has_value());
  EXPECT_EQ(placements.error().message,
            "roles.worker.constraint: no role of this job has the tag ps; tags are their "
            "allocation_tags, or their names: train, worker");
  // Nothing is known here about other jobs' tags.
  EXPECT_TRUE(placements_of(job({role("worker", "notin,node,all/hbase")})).has_value());
}

TEST(RolePlacement, WrongNotationNamesRoleAndColumn) {
  const auto placements = placements_of(job({role("worker", "notin,host,worker")}));
  ASSERT_FALSE(placements.has_value());
  EXPECT_EQ(placements.error().message,
            "roles.worker.constraint: notin,host,worker: column 7: the scope must be `node` or "
            "`rack`, not host");
  EXPECT_EQ(placements.error().code, Errc::InvalidArgument);
}

TEST(RolePlacement, ALabelOfTheRoleIsPartOfTheConstraint) {
  spec::Role labelled = role("worker", "notin,node,worker");
  labelled.node_label = "gpu";
  const auto placements = placements_of(job({labelled})).value();
  const auto& targets = placements.at("worker").constraint->simple->targets;
  ASSERT_EQ(targets.size(), 2U);
  EXPECT_EQ(targets[1], (rm::PlacementTarget{.kind = rm::TargetKind::NodeAttribute,
                                             .key = "yarn_node_partition/",
                                             .values = {"gpu"}}));
  // The job's own label applies to every container that names none.
  spec::Spec same = job({labelled});
  same.yarn.node_label = "gpu";
  EXPECT_EQ(placements_of(same).value().at("worker").constraint->simple->targets.size(), 1U);
}

TEST(RolePlacement, ALabelBesideSeveralConstraintsIsRefused) {
  spec::Role labelled = role("worker", "and(notin,node,worker:notin,rack,worker)");
  labelled.node_label = "gpu";
  const auto placements = placements_of(job({labelled}));
  ASSERT_FALSE(placements.has_value());
  EXPECT_THAT(placements.error().message, HasSubstr("with a node_label the cluster accepts"));
}

}  // namespace
}  // namespace muster::cluster::yarn
