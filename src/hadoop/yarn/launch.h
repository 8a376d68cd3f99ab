#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace muster::hadoop::yarn {

/// A file's location in YARN's terms. Without a port, as with an HA name service, `port` is -1.
struct Location {
  std::string scheme;
  std::string host;
  int32_t port = -1;
  std::string path;

  bool operator==(const Location&) const = default;
};

enum class LocalResourceType : uint8_t {
  Archive,  ///< Unpacked according to its suffix, into a folder named like the link.
  File,
};

/// A file that the node manager places next to the process, under the name of its key. All
/// applications of the user share the copy on a node.
struct LocalResource {
  Location from;
  int64_t size = 0;         ///< Bytes; not verified by the cluster.
  int64_t modified_ms = 0;  ///< Must equal the file's modification time exactly.
  LocalResourceType type = LocalResourceType::File;

  bool operator==(const LocalResource&) const = default;
};

/// What runs in a container, with everything it needs.
///
/// The cluster quotes nothing: commands and the values of environment variables pass through bash
/// (commands twice). `<LOG_DIR>` and `{{NAME}}` are replaced by the node manager.
struct LaunchContext {
  std::map<std::string, LocalResource> files;  ///< By link name, which may contain folders.
  std::string tokens;                          ///< A credentials stream; "" for none.
  std::map<std::string, std::string> environment;
  std::vector<std::string> commands;  ///< Joined by one blank.
  std::string view_acl;               ///< "user1,user2 group1"; "" only owner and admins.
  std::string modify_acl;

  bool operator==(const LaunchContext&) const = default;
};

}  // namespace muster::hadoop::yarn
