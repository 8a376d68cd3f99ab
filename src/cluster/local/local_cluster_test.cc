#include "cluster/local/local_cluster.h"

#include "testing/cluster_contract.h"
#include "testing/machine_bed.h"

#include <chrono>
#include <memory>

namespace muster::cluster::local {
namespace {

class LocalBed final : public testing::MachineBed {
 public:
  ~LocalBed() override { end_all(); }
  Cluster& cluster() override { return cluster_; }

 private:
  LocalCluster cluster_{
      files(),
      {.home = home(),
       .program = program(),
       .environment = {{"PATH", "/usr/bin:/bin"}},
       .plan_of = testing::plan_of_spec,
       .check_checkpoints = {},
       .hardware = os::Hardware{.memory_bytes = uint64_t{8} << 30, .cores = 8, .gpus = {}},
       .claims = folder() / "claims",
       .now = [] { return WallTime(std::chrono::hours(24 * 365 * 200)); }}};
};

using testing::ClusterContract;
INSTANTIATE_TEST_SUITE_P(Local, ClusterContract,
                         ::testing::Values([] { return std::make_unique<LocalBed>(); }));

}  // namespace
}  // namespace muster::cluster::local
