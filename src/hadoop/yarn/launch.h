#pragma once

#include "hadoop/yarn/ids.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace muster::hadoop::yarn {

/// A file's place in the words of YARN. Without a port, as with an HA name service, `port` is -1.
struct Location {
  std::string scheme;
  std::string host;
  int32_t port = -1;
  std::string path;
  std::string user;

  bool operator==(const Location&) const = default;
};

enum class LocalResourceType : uint8_t {
  Archive,  ///< Unpacked by its name's ending, into a folder of the link's name.
  File,
  Pattern,  ///< An archive of which the entries that match `pattern` are unpacked.
};

/// Whom a downloaded copy on a node serves.
enum class Visibility : uint8_t {
  Public,   ///< All users; every folder above must be open to all.
  Private,  ///< All applications of the user.
  Application,
};

/// A file that the node manager places beside the process, under the name of its key.
struct LocalResource {
  Location from;
  int64_t size = 0;         ///< Bytes; not verified by the cluster.
  int64_t modified_ms = 0;  ///< Must equal the file's modification time exactly.
  LocalResourceType type = LocalResourceType::File;
  Visibility visibility = Visibility::Application;
  std::string pattern;

  bool operator==(const LocalResource&) const = default;
};

enum class RetryPolicy : uint8_t { Never, OnAllErrors, OnListedErrors };

/// Lets the node manager itself start the process again, in the same container.
struct ContainerRetry {
  RetryPolicy policy = RetryPolicy::Never;
  std::vector<int32_t> exit_codes;
  int32_t retries_max = 0;  ///< -1: no limit.
  int32_t interval_ms = 0;
  int64_t window_ms = -1;  ///< Failures older than that are forgotten; -1: never.

  bool operator==(const ContainerRetry&) const = default;
};

/// What runs in a container, with all that it needs.
///
/// Nothing is quoted by the cluster: commands and values of the environment pass through bash
/// (commands twice). `<LOG_DIR>` and `{{NAME}}` are replaced by the node manager.
struct LaunchContext {
  std::map<std::string, LocalResource> files;  ///< By link name, which may hold folders.
  std::string tokens;                          ///< A credentials stream; "" for none.
  std::map<std::string, std::string> service_data;
  std::map<std::string, std::string> environment;
  std::vector<std::string> commands;  ///< Joined by one blank.
  std::string view_acl;               ///< "user1,user2 group1"; "" only owner and admins.
  std::string modify_acl;
  ContainerRetry retry;

  bool operator==(const LaunchContext&) const = default;
};

/// Which of a container's log files are kept by the cluster. Regular expressions on file names.
struct LogAggregation {
  std::string include;
  std::string exclude;
  std::string rolled_include;  ///< Uploaded while the container runs, too.
  std::string rolled_exclude;
  std::string policy_class;
  std::string policy_parameters;

  bool operator==(const LogAggregation&) const = default;
};

}  // namespace muster::hadoop::yarn
