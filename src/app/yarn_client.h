#pragma once

#include "app/session.h"
#include "base/log.h"
#include "client/home.h"
#include "cluster/job_folder.h"
#include "cluster/yarn/yarn_cluster.h"

#include <filesystem>
#include <memory>
#include <string>

namespace muster::app {

/// The client's side of a YARN cluster, as commands use it.
class YarnClient {
 public:
  /// `name`: as the user calls the cluster; `conf`: the folder that the site file names for it.
  /// `proxy_user`: on whose behalf; empty: as the environment says.
  YarnClient(Session& session, const std::string& name, std::filesystem::path conf,
             const std::string& proxy_user = {});

  [[nodiscard]] cluster::yarn::YarnCluster& cluster() { return cluster_; }

 private:
  log::NullSink quiet_;
  cluster::yarn::YarnCluster cluster_;
};

/// Tells whether the job was submitted to YARN: its folder then knows the application.
[[nodiscard]] bool is_on_yarn(Session& session, const cluster::JobFolder& folder);

/// Makes the client of the cluster that a job of is_on_yarn() runs on.
[[nodiscard]] std::unique_ptr<YarnClient> yarn_client_of(Session& session,
                                                         const cluster::JobFolder& folder);

/// "application_1700000000000_0007"; "" if the job is on no YARN cluster.
[[nodiscard]] std::string application_id_of(Session& session, const cluster::JobFolder& folder);

/// The folder of the Hadoop configuration that the job was submitted with; "" as Hadoop looks for
/// it, and for a job on no YARN cluster.
[[nodiscard]] std::string hadoop_conf_of(Session& session, const cluster::JobFolder& folder);

}  // namespace muster::app
