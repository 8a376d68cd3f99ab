#include "testing/fake_cluster.h"

#include "os/file/local_files.h"
#include "testing/cluster_contract.h"

#include <chrono>
#include <memory>
#include <string_view>

namespace muster::testing {
namespace {

class FakeBed final : public ClusterBed {
 public:
  cluster::Cluster& cluster() override { return cluster_; }
  os::Files& files() override { return *files_; }
  [[nodiscard]] cluster::Home home() const override { return cluster::Home(scratch_.path()); }
  void write(const cluster::JobFolder& job, std::string_view text) override {
    cluster_.write(job, "worker-0.1.stdout", text);
  }
  void end(const cluster::JobFolder& job) override { cluster_.end(job, {}); }
  bool lose(const cluster::JobFolder& job) override {
    cluster_.lose(job);
    return true;
  }
  bool hold_queue(bool hold) override {
    cluster_.hold_queue(hold);
    return true;
  }

 private:
  ScratchFolder scratch_;
  std::unique_ptr<os::Files> files_ = os::make_local_files(nullptr);
  int64_t seconds_ = 1'700'000'000;
  FakeCluster cluster_{*files_,
                       {.home = cluster::Home(scratch_.path()),
                        .hosts = scratch_.path() / "hosts",
                        .plan_of = plan_of_spec,
                        .now = [this] { return WallTime(std::chrono::seconds(++seconds_)); }}};
};

INSTANTIATE_TEST_SUITE_P(Fake, ClusterContract,
                         ::testing::Values([] { return std::make_unique<FakeBed>(); }));

}  // namespace
}  // namespace muster::testing
