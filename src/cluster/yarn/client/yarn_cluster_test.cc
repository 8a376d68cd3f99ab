// The contract of clusters on YARN: the client's real side, over TCP, against fakes of Hadoop's
// daemons. The bed plays the jobs' masters: it writes what they write into HDFS.
#include "cluster/yarn/client/yarn_cluster.h"

#include "cluster/yarn/staging/staged_file.h"
#include "cluster/yarn/staging/staging.h"
#include "eventlog/log_file.h"
#include "eventlog/plan_file.h"
#include "eventlog/segment_store.h"
#include "eventlog/summary.h"
#include "job/machine.h"
#include "os/file/local_files.h"
#include "testing/cluster_contract.h"
#include "testing/hadoop/fake_application_master.h"
#include "testing/hadoop/fake_hadoop.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace muster::cluster::yarn {
namespace {

namespace rm = hadoop::yarn;

constexpr uint64_t kBlockBytes = 128U << 20;
const job::AttemptId kAttempt{.task = {.role = job::RoleIndex(0), .index = 0}, .number = 1};

/// A job's master without a process: its log, its summary, and what it tells the cluster.
class PlayedMaster {
 public:
  PlayedMaster(testing::FakeHadoop& hadoop, std::string folder, const rm::ContainerId& self,
               const rm::NodeId& node)
      : hdfs_(hadoop.name_node), folder_(std::move(folder)), self_(hadoop.manager, self) {
    const auto package =
        decode_package(hdfs_.content(folder_ + "/" + std::string(kPackageName))).value();
    const auto plan_file = eventlog::parse_plan_file(package.plan_file).value();
    machine_.emplace(
        testing::plan_of_spec(plan_file.spec_json, plan_file.job_id, plan_file.seed).value());
    eventlog::Header header;
    header.format = eventlog::kFormat;
    header.machine_version = job::kMachineVersion;
    header.muster_version = "test";
    header.job_id = plan_file.job_id;
    header.epoch = job::Epoch(1);
    header.seed = plan_file.seed;
    header.plan_json = plan_file.spec_json;
    segment_ = eventlog::encode_header(header);
    rm::ContainerId task = self;
    task.number = self.number + 1;
    container_ = to_string(task);
    const job::ContainerId container(container_);
    enter(job::JobStarted{});
    enter(job::ContainerGranted{job::RequestId(1), container, job::HostName(to_string(node))});
    enter(job::AgentJoined{container, "127.0.0.1:4712"});
    enter(job::AttemptJoined{kAttempt, {"127.0.0.1", 4713, {}}});
    enter(job::AttemptStarted{kAttempt, 99});
    write_log();
    self_.begin("127.0.0.1", 4711);
  }

  /// Returns the container of the task.
  [[nodiscard]] const std::string& container() const { return container_; }

  /// The task succeeds, and with it the job.
  void end() {
    enter(job::AttemptEnded{kAttempt, {.exit_code = 0}});
    enter(
        job::ContainerEnded{job::ContainerId(container_), job::ContainerEndKind::Released, 0, ""});
    write_log();
    hdfs_.add_file(Staging::summary_file(folder_),
                   eventlog::summary_json(machine_->plan(), machine_->state(), {}), kBlockBytes);
    self_.end(rm::FinalStatus::Succeeded);
  }

 private:
  void enter(job::Fact fact) {
    const Time at = Time(std::chrono::milliseconds(10 * next_));
    (void)machine_->apply(at, fact);
    segment_ += eventlog::encode_record(
        {next_++, at, WallTime(std::chrono::days(20'000)) + at.time_since_epoch(),
         std::move(fact)});
  }
  void write_log() {
    hdfs_.add_file(Staging::events_folder(folder_) + "/" + eventlog::segment_name(job::Epoch(1)),
                   segment_, kBlockBytes);
  }

  testing::FakeNameNode& hdfs_;
  std::string folder_;  ///< The job's folder in HDFS.
  testing::FakeApplicationMaster self_;
  std::string container_;
  std::optional<job::Machine> machine_;
  std::string segment_;
  uint64_t next_ = 0;
};

class YarnBed final : public testing::ClusterBed {
 public:
  YarnBed() {
    std::filesystem::create_directories(conf());
    hadoop_.write_configuration(conf());
    std::ofstream(program()) << "#!/bin/sh\n";
    hadoop_.with([this] {
      hadoop_.manager.on_master = [this](const rm::ContainerId& id, const rm::NodeId& node,
                                         const auto& context) {
        const std::filesystem::path package = testing::localized_path(context, kPackageName);
        const std::filesystem::path folder = package.parent_path();
        masters_.try_emplace(folder.filename(), hadoop_, folder.string(), id, node);
        commands_[folder.filename()] = context.command(0);
      };
    });
    cluster_ = std::make_unique<YarnCluster>(
        *files_, YarnCluster::Options{
                     .name = "yarn",
                     .client = {.conf = conf(),
                                .environment = {{"HADOOP_USER_NAME", "alice"}, {"HOME", "/"}},
                                .on_wait = {}},
                     .program = program(),
                     .home = home(),
                     .plan_of = testing::plan_of_spec,
                     .defaults = [] { return spec::Spec(); }});
  }

  Cluster& cluster() override { return *cluster_; }
  os::Files& files() override { return *files_; }
  [[nodiscard]] Home home() const override { return Home(scratch_.path() / "home"); }

  void write(const JobFolder& job, std::string_view text) override {
    hadoop_.with([&] {
      hadoop_.pages.append(masters_.at(job.id().value).container(), "worker-0.1.stdout", text);
    });
  }
  void end(const JobFolder& job) override {
    hadoop_.with([&] { masters_.at(job.id().value).end(); });
  }
  [[nodiscard]] std::optional<bool> is_told_of_follower(const JobFolder& job) override {
    std::optional<bool> told;
    hadoop_.with([&] { told = commands_.at(job.id().value).ends_with(" --followed"); });
    return told;
  }
  /// The node of the job's task removes its logs, before they are listed for the nth time.
  void remove_logs_at(const JobFolder& job, int listing) {
    hadoop_.with(
        [&] { hadoop_.pages.remove_at(masters_.at(job.id().value).container(), listing); });
  }
  bool hold_queue(bool hold) override {
    hadoop_.with([&] { hadoop_.manager.hold_masters(hold); });
    return true;
  }

 private:
  [[nodiscard]] std::filesystem::path conf() const { return scratch_.path() / "conf"; }
  [[nodiscard]] std::filesystem::path program() const { return scratch_.path() / "muster"; }

  testing::ScratchFolder scratch_;
  std::unique_ptr<os::Files> files_ = os::make_local_files(nullptr);
  std::map<std::string, PlayedMaster> masters_;  ///< By job; only the daemons' thread uses it.
  std::map<std::string, std::string> commands_;  ///< The same.
  testing::FakeHadoop hadoop_;
  std::unique_ptr<YarnCluster> cluster_;
};

using testing::ClusterContract;
INSTANTIATE_TEST_SUITE_P(Yarn, ClusterContract,
                         ::testing::Values([] { return std::make_unique<YarnBed>(); }));

class YarnLogs : public ClusterContract {};
INSTANTIATE_TEST_SUITE_P(Yarn, YarnLogs,
                         ::testing::Values([] { return std::make_unique<YarnBed>(); }));

// Between the look into HDFS, where they were not yet, and the look at their node.
TEST_P(YarnLogs, ThatANodeRemovesAreNotTakenForAll) {
  for (const int listing : {1, 2}) {
    const JobFolder job = submit(fmt::format("one-aaaaa{}", listing));
    bed_->write(job, "one\n");
    bed_->end(job);
    ASSERT_TRUE(cluster_.fetch(job, FetchUntil::End).has_value());
    dynamic_cast<YarnBed&>(*bed_).remove_logs_at(job, listing);
    const auto outputs = cluster_.outputs(job, {});
    ASSERT_TRUE(outputs.has_value()) << outputs.error().message;
    EXPECT_THAT(*(*outputs)->refresh(),
                ::testing::ElementsAre(::testing::HasSubstr("is removing its logs")))
        << listing;
  }
}

}  // namespace
}  // namespace muster::cluster::yarn
