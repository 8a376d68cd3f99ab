#include "cluster/spark/spark_cluster.h"

#include "cluster/local/local_cluster.h"
#include "testing/cluster_contract.h"
#include "testing/machine_bed.h"

#include <gmock/gmock.h>

#include <chrono>
#include <memory>

namespace muster::cluster::spark {
namespace {

using ::testing::HasSubstr;

class SparkBed final : public testing::MachineBed {
 public:
  SparkBed()
      : launcher_(files(), {.program = program(), .environment = {{"PATH", "/usr/bin:/bin"}}}),
        cluster_(std::make_unique<local::LocalCluster>(files(), host()),
                 [this](const Submission& submission) -> Result<MasterPlace> {
                   MUSTER_TRY(std::string address, launcher_.start(submission, {}));
                   return MasterPlace{.address = std::move(address), .application_id = {}};
                 }) {}
  ~SparkBed() override { end_all(); }
  Cluster& cluster() override { return cluster_; }
  [[nodiscard]] bool has_limits() const override { return false; }

  /// Returns the options of the cluster on the driver's machine.
  [[nodiscard]] local::LocalCluster::Options host() const {
    return {.name = "spark",
            .home = home(),
            .program = program(),
            .environment = {},
            .plan_of = testing::plan_of_spec,
            .check_checkpoints = {},
            .hardware = {},
            .claims = folder() / "claims",
            .now = [] { return WallTime(std::chrono::seconds(1)); }};
  }

 private:
  local::MasterLauncher launcher_;
  SparkCluster cluster_;
};

TEST(SparkCluster, TakesNoJobsWithoutADriver) {
  SparkBed bed;
  SparkCluster cluster(std::make_unique<local::LocalCluster>(bed.files(), bed.host()), {});
  const auto fit = cluster.fit({});
  ASSERT_FALSE(fit.has_value());
  EXPECT_EQ(fit.error().code, Errc::Unsupported);
  EXPECT_THAT(fit.error().message, HasSubstr("started by a Spark program"));
}

using testing::ClusterContract;
INSTANTIATE_TEST_SUITE_P(Spark, ClusterContract,
                         ::testing::Values([] { return std::make_unique<SparkBed>(); }));

}  // namespace
}  // namespace muster::cluster::spark
