#include "app/chosen_cluster.h"

#include "app/program.h"
#include "base/text.h"
#include "cluster/local/local_master_starter.h"

#include <fmt/format.h>

#include <utility>

namespace muster::app {

std::map<std::string, std::string> client_environment(const Session& session) {
  std::map<std::string, std::string> environment(session.environment.all().begin(),
                                                 session.environment.all().end());
  environment["MUSTER_HOME"] = session.home.root().string();
  return environment;
}

Status check_cluster(const SpecOptions& options, const spec::Loaded& loaded, bool from_spark) {
  if (options.on.empty() || options.on == "local" || options.on == "yarn" ||
      (options.on == "spark" && from_spark)) {
    return {};
  }
  const auto entry = loaded.clusters.find(options.on);
  const bool named = entry != loaded.clusters.end();
  if (options.on == "spark" || (named && entry->second.type == spec::ClusterType::Spark)) {
    return user_error(fmt::format(
        "--on {}: jobs on Spark are started by a Spark program: call muster.spark.run() or "
        "tensorflowonspark.TFCluster.run() in it",
        printable(options.on)));
  }
  if (named) {
    return {};
  }
  return user_error(fmt::format(
      "--on {}: there is no such cluster; known are local, yarn and those of the site file",
      printable(options.on)));
}

namespace {

/// The executors of a Spark application whose driver's Python started this process.
std::unique_ptr<cluster::spark::SparkCluster> make_spark_cluster(
    cluster::local::LocalCluster& local, const SparkOptions& spark) {
  auto start = [&local,
                spark](const cluster::Submission& submission) -> Result<cluster::MasterPlace> {
    const std::string fd = std::to_string(cluster::local::kMasterLinkFd);
    MUSTER_TRY(std::string address,
               local.start_master(submission, {.words = {"--spark-link-fd", fd, "--spark-listen",
                                                         spark.listen_host},
                                               .fd = spark.link_fd}));
    return cluster::MasterPlace{std::move(address), ""};
  };
  auto locate = [&local](const std::filesystem::path& folder) { return local.locate(folder); };
  return std::make_unique<cluster::spark::SparkCluster>(
      cluster::spark::SparkCluster::Options{.start_master = start, .locate = locate});
}

}  // namespace

cluster::Cluster& ChosenCluster::cluster() const {
  if (yarn) {
    return yarn->cluster();
  }
  return spark ? static_cast<cluster::Cluster&>(*spark) : *local;
}

ChosenCluster choose_cluster(Session& session, const SpecOptions& options,
                             const spec::Loaded& loaded, const SparkOptions& spark) {
  const auto entry = loaded.clusters.find(options.on);
  const bool named = entry != loaded.clusters.end();
  ChosenCluster chosen;
  if (options.on == "yarn" || (named && entry->second.type == spec::ClusterType::Yarn)) {
    chosen.yarn = std::make_unique<YarnClient>(
        session, options.on, named ? entry->second.conf : std::string(), options.proxy_user);
    return chosen;
  }
  cluster::local::LocalCluster::Options local;
  local.program = own_program();
  local.environment = client_environment(session);
  chosen.local = std::make_unique<cluster::local::LocalCluster>(*session.files, std::move(local));
  if (spark.link_fd >= 0) {
    chosen.spark = make_spark_cluster(*chosen.local, spark);
  }
  return chosen;
}

}  // namespace muster::app
