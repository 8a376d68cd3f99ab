#pragma once

#include "base/result.h"
#include "hadoop/configuration.h"
#include "net/address.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::hadoop {

inline constexpr uint16_t kNameNodePort = 8020;

/// One NameNode; its id is empty where there is only one.
struct NameNode {
  std::string id;
  net::HostPort address;  ///< Of its RPC.
  bool operator==(const NameNode&) const = default;
};

/// What serves one HDFS: a NameNode, or several of which one is active.
struct NameService {
  /// What is in the URI: "cluster1" where `logical`, else "host:port".
  std::string name;
  bool logical = false;
  std::vector<NameNode> name_nodes;  ///< At least one, as configured.
  bool operator==(const NameService&) const = default;
};

/// A path in an HDFS.
struct HdfsPath {
  NameService service;
  std::string path;  ///< As written, from "/" on; empty: the user's home folder. Never decoded.
};

/// Finds the NameNodes behind "host", "host:port" or a logical name. An authority that is neither
/// logical nor an address is an error that lists the known name services.
[[nodiscard]] Result<NameService> name_service(const Configuration& configuration,
                                               std::string_view authority);

/// Splits "hdfs://authority/path", "hdfs:///path" and "/path" (both: fs.defaultFS), and paths
/// without a leading "/" (below the user's home folder, kept without it). Unsupported for other
/// schemes.
[[nodiscard]] Result<HdfsPath> hdfs_path(const Configuration& configuration, std::string_view text);

/// Returns the name service of fs.defaultFS; an error, with what to set, if that is not HDFS.
[[nodiscard]] Result<NameService> default_name_service(const Configuration& configuration);

}  // namespace muster::hadoop
