#pragma once

#include "base/result.h"
#include "hadoop/configuration.h"
#include "hadoop/hdfs/file_system.h"
#include "hadoop/rpc/client.h"
#include "hadoop/rpc/proxy.h"
#include "rt/async.h"

#include <memory>
#include <string>
#include <vector>

namespace muster::hadoop::hdfs {

/// Who is in which groups, according to the NameNode's mapping of its users: what `hdfs groups`
/// prints. One loop's thread; must outlive its calls.
class UserGroups {
 public:
  /// Nothing is connected yet. Fails if the configuration is wrong.
  [[nodiscard]] static Result<std::unique_ptr<UserGroups>> open(rpc::Client& client,
                                                                const Configuration& configuration,
                                                                const FileSystem::Login& login);

  /// Returns an empty list for a user that the NameNode does not know. Errors are those of
  /// NameNode.
  [[nodiscard]] rt::Async<Result<std::vector<std::string>>> groups_of(std::string user);

 private:
  explicit UserGroups(std::unique_ptr<rpc::Proxy> proxy) : proxy_(std::move(proxy)) {}

  std::unique_ptr<rpc::Proxy> proxy_;
};

}  // namespace muster::hadoop::hdfs
