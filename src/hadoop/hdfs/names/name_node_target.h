#pragma once

#include "hadoop/configuration.h"
#include "hadoop/hdfs/file_system.h"
#include "hadoop/hdfs_settings.h"
#include "hadoop/name_service.h"
#include "hadoop/rpc/client.h"
#include "hadoop/rpc/proxy.h"
#include "hadoop/security_settings.h"

#include <memory>
#include <string_view>

/// How the servers of an HDFS are reached as one user.
namespace muster::hadoop::hdfs {

inline constexpr std::string_view kClientProtocol =
    "org.apache.hadoop.hdfs.protocol.ClientProtocol";

/// What is the same for NameNodes and DataNodes.
[[nodiscard]] rpc::Target secured_target(const SecuritySettings& security, rpc::Identity identity);

/// The NameNodes of a service, for calls of `protocol`.
[[nodiscard]] Result<rpc::Target> name_node_target(const Configuration& configuration,
                                                   const SecuritySettings& security,
                                                   const NameService& service,
                                                   std::string_view protocol,
                                                   const FileSystem::Login& login);

/// A name service is tried for as long as a failover may take, as by Hadoop's clients.
[[nodiscard]] std::unique_ptr<rpc::Proxy> name_node_proxy(rpc::Client& client, rpc::Target target,
                                                          const rpc::ConnectionOptions& connection,
                                                          const HdfsSettings& settings);

}  // namespace muster::hadoop::hdfs
