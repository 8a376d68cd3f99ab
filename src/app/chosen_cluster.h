#pragma once

#include "app/options.h"
#include "app/session.h"
#include "app/yarn_client.h"
#include "cluster/local/local_cluster.h"
#include "cluster/spark/spark_cluster.h"
#include "spec/layers.h"

#include <map>
#include <memory>
#include <string>

namespace muster::app {

/// The cluster that a job goes to, and what it stands on.
struct ChosenCluster {
  std::unique_ptr<cluster::local::LocalCluster> local;  ///< Also starts the masters of `spark`.
  std::unique_ptr<cluster::spark::SparkCluster> spark;
  std::unique_ptr<YarnClient> yarn;

  [[nodiscard]] cluster::Cluster& cluster() const;
};

/// Tells whether `--on` names a cluster that jobs can be sent to. `from_spark`: by a Spark
/// application's driver, which offers its executors.
[[nodiscard]] Status check_cluster(const SpecOptions& options, const spec::Loaded& loaded,
                                   bool from_spark);

/// Makes the client's side of it; check_cluster() has passed. Asks nobody yet.
[[nodiscard]] ChosenCluster choose_cluster(Session& session, const SpecOptions& options,
                                           const spec::Loaded& loaded,
                                           const SparkOptions& spark = {});

/// The environment that a job of this machine, and its master, get.
[[nodiscard]] std::map<std::string, std::string> client_environment(const Session& session);

}  // namespace muster::app
