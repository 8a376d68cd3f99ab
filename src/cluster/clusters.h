#pragma once

#include "base/result.h"
#include "cluster/cluster.h"
#include "cluster/job_folder.h"

#include <string>
#include <vector>

namespace muster::cluster {

/// A program that has started this process and provides executors.
struct Driver {
  int link_fd = -1;         ///< The socket to it; -1: there is none.
  std::string listen_host;  ///< The numeric IP address that the executors reach this host by.
};

/// On whose behalf a cluster is asked, beyond what the environment says.
struct Asker {
  std::string proxy_user;  ///< On whose behalf; empty: one's own.
  Driver driver;
};

/// The clusters that this program knows. They live as long as this does.
class Clusters {
 public:
  virtual ~Clusters() = default;
  /// Returns the cluster of that name, one of this program's own or of the site file; empty: this
  /// machine. InvalidArgument for an unknown name. Contacts no cluster.
  virtual Result<Cluster*> named(const std::string& name, const Asker& asker) = 0;
  /// The names to offer for a cluster: this program's own, then those of the site file, each
  /// sorted. Only the former if the site file is wrong, which commands that use it report.
  [[nodiscard]] virtual std::vector<std::string> names() const = 0;
  /// The cluster that a job of this host runs on.
  virtual Cluster& of(const JobFolder& job) = 0;
  /// The cluster to look at in addition to this machine if the user named none; nullptr for none.
  virtual Cluster* configured() = 0;
  /// The clusters that `muster doctor` looks at, `name` among them if it is not empty.
  virtual Result<std::vector<Cluster*>> to_examine(const std::string& name) = 0;
};

}  // namespace muster::cluster
