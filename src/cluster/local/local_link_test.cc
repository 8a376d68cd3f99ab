#include "cluster/local/local_link.h"

#include "cluster/local/local_cluster.h"
#include "os/file/local_files.h"
#include "testing/recording_sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace muster::cluster::local {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr uint64_t kGib = 1ULL << 30;

/// Goal: check that grants, launches and ends arrive as facts. The stub is played by a shell
/// script, which inherits the claim as the keeper does.
class Link : public ::testing::Test {
 protected:
  Link() : root_(make_root()) {
    plan_.job.value = "job-1";
    plan_.barrier = spec::Barrier::Gang;
    plan_.roles.resize(1);
    plan_.roles[0].name = "worker";
    plan_.roles[0].tasks = plan_.roles[0].tasks_min = 4;
    plan_.spec.local.hosts = 2;
    fs::create_directories(root_ / "job-1");
    set_stub("exec sleep 1000");
  }
  ~Link() override {
    link_.reset();
    fs::remove_all(root_);
  }

  static fs::path make_root() {
    char name[] = "/tmp/local-link-XXXXXX";
    return ::mkdtemp(name);
  }
  void set_stub(const std::string& body) const {
    std::ofstream(root_ / "stub") << "#!/bin/sh\n" << body << "\n";
    fs::permissions(root_ / "stub", fs::perms(0755));
  }

  /// Counts the claim files that exist, whether held or not.
  [[nodiscard]] int claim_files() const {
    int count = 0;
    for (const fs::path& folder : ClaimFolder(root_ / "claims").folders()) {
      for (const auto& entry : fs::directory_iterator(folder)) {
        count += entry.path().filename() == "lock" ? 0 : 1;
      }
    }
    return count;
  }

  std::unique_ptr<LocalLink> make_link(std::vector<job::ContainerId> known = {}) {
    LocalLinkOptions options;
    options.plan = &plan_;
    options.folder = JobFolder(root_ / "job-1");
    options.program = root_ / "stub";
    options.claims = root_ / "claims";
    options.capacity = Capacity{.memory_bytes = 8 * kGib, .cores = 2};
    auto link = std::make_unique<LocalLink>(loop_, *files_, sink_, std::move(options));
    EXPECT_TRUE(link->start(std::move(known),
                            [this](job::Fact fact) { facts_.push_back(std::move(fact)); }));
    return link;
  }

  static job::RequestContainer ask(uint32_t request, uint64_t memory = kGib) {
    job::RequestContainer wanted;
    wanted.request = job::RequestId{request};
    wanted.resources.memory_bytes = memory;
    wanted.resources.vcores = 1;
    return wanted;
  }
  static LaunchOrder order(const job::ContainerId& container) {
    return {container,     job::HostName{"h1"}, job::JobId{"job-1"},
            job::Epoch{1}, "127.0.0.1:1",       "00"};
  }

  template <class Fact>
  std::vector<Fact> all() const {
    std::vector<Fact> found;
    for (const job::Fact& fact : facts_) {
      if (const auto* wanted = std::get_if<Fact>(&fact)) {
        found.push_back(*wanted);
      }
    }
    return found;
  }
  template <class Condition>
  bool run_until(Condition done) {
    const HostTime end = loop_.now() + seconds(20);
    while (!done() && loop_.now() < end) {
      loop_.run_until(loop_.now() + milliseconds(5));
    }
    return done();
  }
  /// Asks for one container, has it launched and returns its id.
  job::ContainerId launched() {
    link_->request(ask(1));
    EXPECT_TRUE(run_until([&] { return all<job::ContainerGranted>().size() == 1; }));
    const job::ContainerId id = all<job::ContainerGranted>()[0].container;
    link_->launch(order(id));
    return id;
  }

  fs::path root_;
  job::Plan plan_;
  rt::IoLoop loop_;
  std::unique_ptr<os::Files> files_ = os::make_local_files(&loop_);
  ::muster::testing::RecordingSink sink_;
  std::vector<job::Fact> facts_;
  std::unique_ptr<LocalLink> link_ = make_link();
};

TEST_F(Link, GrantsAGangOverAllHosts) {
  for (uint32_t i = 1; i <= 4; ++i) {
    link_->request(ask(i));
    link_->request(ask(i));
  }
  ASSERT_TRUE(run_until([&] { return all<job::ContainerGranted>().size() == 4; }));
  std::map<std::string, int> by_host;
  for (const auto& granted : all<job::ContainerGranted>()) {
    ++by_host[granted.host.value];
  }
  EXPECT_EQ(by_host, (std::map<std::string, int>{{"h1", 2}, {"h2", 2}}));
}

TEST_F(Link, AvoidsAHostWhileThereIsAnother) {
  auto wanted = ask(1);
  wanted.avoid = {job::HostName{"h1"}};
  link_->request(wanted);
  ASSERT_TRUE(run_until([&] { return all<job::ContainerGranted>().size() == 1; }));
  EXPECT_EQ(all<job::ContainerGranted>()[0].host.value, "h2");
}

TEST_F(Link, RefusesWhatCanNeverFitWithTheNumbers) {
  link_->request(ask(1, 9 * kGib));
  ASSERT_TRUE(run_until([&] { return all<job::RequestRefused>().size() == 1; }));
  EXPECT_EQ(all<job::RequestRefused>()[0].kind, job::RefusalKind::NeverFits);
  EXPECT_THAT(all<job::RequestRefused>()[0].reason, HasSubstr("this machine has 8"));
}

TEST_F(Link, WaitsForAnotherJobAndIsWokenByItsEnd) {
  const ClaimFolder claims(root_ / "claims");
  const Wanted other{"other-1", "c1", {7 * kGib, 1, 0}};
  auto held = claims.take({.memory_bytes = 8 * kGib, .cores = 2}, {&other, 1});
  ASSERT_TRUE(held.has_value());
  link_->request(ask(1));
  link_->request(ask(2));
  ASSERT_TRUE(run_until([&] { return !link_->waits_for().empty(); }));
  EXPECT_THAT(link_->waits_for(), HasSubstr("other-1 has 7"));
  EXPECT_TRUE(all<job::ContainerGranted>().empty()) << "half a gang is not granted";
  held->clear();
  EXPECT_TRUE(run_until([&] { return all<job::ContainerGranted>().size() == 2; }));
  EXPECT_EQ(link_->waits_for(), "");
}

TEST_F(Link, TellsHowAContainerEnded) {
  set_stub("echo 'cannot begin' >&2; exit 70");
  const job::ContainerId id = launched();
  ASSERT_TRUE(run_until([&] { return all<job::ContainerEnded>().size() == 1; }));
  const job::ContainerEnded ended = all<job::ContainerEnded>()[0];
  EXPECT_EQ(ended.container, id);
  EXPECT_EQ(ended.exit_code, 70);
  EXPECT_EQ(ended.diagnostics, "cannot begin");
  EXPECT_TRUE(link_->known_dead(id));
}

TEST_F(Link, ContainerEndsWhenNobodyHoldsItsClaim) {
  set_stub("setsid sleep 0.3 & exit 0");
  const HostTime start = loop_.now();
  launched();
  ASSERT_TRUE(run_until([&] { return all<job::ContainerEnded>().size() == 1; }));
  EXPECT_GE(loop_.now() - start, milliseconds(300));
  EXPECT_EQ(claim_files(), 0);
}

TEST_F(Link, ReleasesWithTermAndThenKill) {
  set_stub("trap '' TERM; while :; do sleep 0.05; done");
  const job::ContainerId id = launched();
  EXPECT_FALSE(link_->known_dead(id));
  link_->release(id, Confirm::No);
  link_->release(id, Confirm::No);
  ASSERT_TRUE(run_until([&] { return all<job::ContainerEnded>().size() == 1; }));
  EXPECT_EQ(all<job::ContainerEnded>()[0].kind, job::ContainerEndKind::Released);
}

TEST_F(Link, ReleasesWhatWasNeverLaunched) {
  link_->request(ask(1));
  ASSERT_TRUE(run_until([&] { return all<job::ContainerGranted>().size() == 1; }));
  link_->release(all<job::ContainerGranted>()[0].container, Confirm::No);
  ASSERT_TRUE(run_until([&] { return all<job::ContainerEnded>().size() == 1; }));
  EXPECT_EQ(claim_files(), 0);
}

TEST_F(Link, ANewMasterTakesContainersOver) {
  const job::ContainerId id = launched();
  ASSERT_TRUE(run_until([&] { return !link_->known_dead(id); }));
  link_.reset();
  facts_.clear();
  link_ = make_link({id, job::ContainerId{"c9"}});
  ASSERT_TRUE(run_until([&] { return all<job::ContainerEnded>().size() == 1; }));
  EXPECT_EQ(all<job::ContainerEnded>()[0].container.value, "c9");
  link_->request(ask(2));
  ASSERT_TRUE(run_until([&] { return all<job::ContainerGranted>().size() == 1; }));
  EXPECT_NE(all<job::ContainerGranted>()[0].container, id) << "an id is never used twice";
  link_->release(id, Confirm::No);
  ASSERT_TRUE(run_until([&] { return all<job::ContainerEnded>().size() == 2; }));
}

TEST_F(Link, FinishesWhenAllIsGone) {
  launched();
  bool done = false;
  link_->finish({}, [&] { done = true; });
  EXPECT_TRUE(run_until([&] { return done; }));
  EXPECT_EQ(all<job::ContainerEnded>().size(), 1U);
}

TEST(FitPlan, GangsMustFitTogetherAndStagesNot) {
  const os::Hardware machine{.memory_bytes = 8 * kGib, .cores = 2, .gpus = {}};
  job::Plan plan;
  plan.roles.resize(2);
  plan.roles[0].name = "first";
  plan.roles[0].resources = {.memory_bytes = 5 * kGib, .vcores = 4};
  plan.roles[1].name = "second";
  plan.roles[1].resources = {.memory_bytes = 5 * kGib, .vcores = 1};
  const Fit together = fit_plan(plan, machine, {});
  ASSERT_NE(together.never(), nullptr);
  EXPECT_THAT(*together.never(), HasSubstr("all tasks start together (1 first of 5"));
  EXPECT_THAT(together.warnings,
              ::testing::ElementsAre("5 vcores on a machine with 2 cores: tasks share them"));
  plan.roles[1].after = {{job::RoleIndex{0}, spec::Condition::Ended}};
  EXPECT_EQ(fit_plan(plan, machine, {}).never(), nullptr);
}

TEST(FitPlan, CountsThePortsOfAllThatStartsTogether) {
  const os::Hardware machine{.memory_bytes = 8 * kGib, .cores = 2, .gpus = {}};
  job::Plan plan;
  plan.roles.resize(2);
  plan.roles[0].name = "worker";
  plan.roles[0].tasks = plan.roles[0].tasks_min = 3;
  plan.roles[0].tasks_per_container = 2;
  plan.roles[0].ports = {"http"};
  plan.roles[1].name = "later";
  plan.roles[1].after = {{job::RoleIndex{0}, spec::Condition::Ended}};
  // The master's port, one for each of two containers, and two for each task.
  plan.spec.network.port_range = spec::PortRange{.low = 20000, .high = 20008};
  EXPECT_EQ(fit_plan(plan, machine, {}).never(), nullptr);
  plan.spec.network.port_range->high = 20007;
  const Fit fit = fit_plan(plan, machine, {});
  ASSERT_NE(fit.never(), nullptr);
  EXPECT_THAT(*fit.never(), HasSubstr("20000-20007 has 8 ports, and the master, the containers and "
                                      "their tasks that start together need 9"));
}

TEST(FitPlan, SaysWhatATaskGetsThatAsksForNothing) {
  os::Hardware machine{.memory_bytes = 8 * kGib, .cores = 8, .gpus = {{}, {}}};
  job::Plan plan;
  plan.roles.resize(2);
  plan.roles[0].name = "worker";
  plan.roles[0].tasks = plan.roles[0].tasks_min = 3;
  plan.roles[0].shares_gpus = true;
  plan.roles[1].name = "ps";
  plan.roles[1].resources = {.memory_bytes = kGib};
  plan.spec.local.share_gpus = true;
  const Fit fit = fit_plan(plan, machine, {});
  EXPECT_THAT(fit.assumed, ::testing::ElementsAre(
                               "no memory limit but the machine's 8 GiB for worker",
                               "2 cores per task", "the machine's 2 GPUs, shared for worker"));
  EXPECT_THAT(fit.warnings, ::testing::IsEmpty());
  EXPECT_EQ(fit.roles[0].each.memory_bytes, job::kAgentMemoryBytes);
}

TEST(FitPlan, WarnsOfGpusThatNobodyAsksFor) {
  const os::Hardware machine{.memory_bytes = 8 * kGib, .cores = 2, .gpus = {{}}};
  job::Plan plan;
  plan.roles.resize(1);
  plan.spec.roles.resize(1);
  EXPECT_THAT(
      fit_plan(plan, machine, {}).warnings,
      ::testing::ElementsAre(HasSubstr("this machine has 1 GPU, and no role asks for any")));
  plan.spec.roles[0].gpus = 0;
  EXPECT_THAT(fit_plan(plan, machine, {}).warnings, ::testing::IsEmpty());
}

TEST(FitPlan, SaysThatTasksRunOutsideOfTheirImage) {
  job::Plan plan;
  plan.roles.resize(1);
  plan.spec.roles.resize(1);
  plan.spec.roles[0].name = "worker";
  plan.spec.roles[0].docker = spec::Docker{.image = "ml/tf:2.15", .mounts = {}};
  const os::Hardware machine{.memory_bytes = 8 * kGib, .cores = 2, .gpus = {}};
  EXPECT_THAT(
      fit_plan(plan, machine, {}).warnings,
      ::testing::ElementsAre("roles.worker.docker.image has no effect on this machine: only "
                             "YARN starts tasks in Docker images; elsewhere they run "
                             "without one"));
}

}  // namespace
}  // namespace muster::cluster::local
