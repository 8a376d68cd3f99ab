#pragma once

#include "base/result.h"
#include "base/time.h"
#include "hadoop/configuration.h"
#include "hadoop/credentials.h"
#include "hadoop/rpc/options.h"

#include <filesystem>
#include <map>
#include <string>
#include <utility>

namespace muster::cluster::yarn {

/// Which user to ask as.
struct HadoopLogin {
  hadoop::rpc::Identity identity;
  hadoop::Credentials credentials;
};

/// Asks the masters of a cluster one harmless question each. Blocks for at most `patience`.
class HadoopMasters {
 public:
  HadoopMasters(std::filesystem::path kerberos_helper,
                std::map<std::string, std::string> environment, Duration patience)
      : kerberos_helper_(std::move(kerberos_helper)),
        environment_(std::move(environment)),
        patience_(patience) {}

  /// Returns "hdfs://ns1 responds to alice"; NotFound if the default file system is not HDFS.
  [[nodiscard]] Result<std::string> ask_file_system(const hadoop::Configuration& configuration,
                                                    const HadoopLogin& login) const;
  /// Returns "rm.example:8032 responds to alice: 12 of 12 nodes are active".
  [[nodiscard]] Result<std::string> ask_resource_manager(const hadoop::Configuration& configuration,
                                                         const HadoopLogin& login) const;
  /// Returns "alice may submit to 2 of 3 queues: default, ml"; PermissionDenied if there is none.
  [[nodiscard]] Result<std::string> ask_queues(const hadoop::Configuration& configuration,
                                               const HadoopLogin& login) const;
  /// Writes a small file below the user's home in HDFS, and removes it again.
  [[nodiscard]] Result<std::string> try_to_write(const hadoop::Configuration& configuration,
                                                 const HadoopLogin& login) const;

 private:
  std::filesystem::path kerberos_helper_;
  std::map<std::string, std::string> environment_;
  Duration patience_;
};

}  // namespace muster::cluster::yarn
