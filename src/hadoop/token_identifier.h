#pragma once

#include "base/result.h"
#include "base/time.h"
#include "hadoop/secret.h"
#include "hadoop/token.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::hadoop {

/// An application attempt of YARN; to_string gives YARN's own "appattempt_..." name.
struct AttemptName {
  int64_t cluster_timestamp = 0;
  int32_t application = 0;
  int32_t attempt = 0;
  bool operator==(const AttemptName&) const = default;
};
[[nodiscard]] std::string to_string(const AttemptName& attempt);

/// Of HDFS, WebHDFS, KMS, ResourceManager and timeline delegation tokens.
struct DelegationIdentifier {
  std::string owner;
  std::string renewer;    ///< Who may extend its life; empty: nobody.
  std::string real_user;  ///< Who got it on behalf of `owner`; empty: the owner.
  WallTime issued{};
  WallTime ends{};  ///< It cannot be renewed beyond this; without renewals it ends sooner.
  int32_t sequence = 0;
  int32_t key_id = 0;
  bool operator==(const DelegationIdentifier&) const = default;
};

/// Of an application master's token for the ResourceManager.
struct AmRmIdentifier {
  AttemptName attempt;
  int32_t key_id = -1;  ///< Changes when the ResourceManager rolls its key.
  bool operator==(const AmRmIdentifier&) const = default;
};

/// Of an application master's token for one NodeManager.
struct NodeManagerIdentifier {
  AttemptName attempt;
  std::string host;
  int32_t port = 0;
  std::string submitter;
  int32_t key_id = -1;
  bool operator==(const NodeManagerIdentifier&) const = default;
};

/// For the permission to start one container.
struct ContainerIdentifier {
  AttemptName attempt;
  int64_t container = 0;     ///< Its number; the upper 24 bits are the ResourceManager's epoch.
  std::string node_address;  ///< "host:port" of its NodeManager.
  std::string submitter;
  int64_t memory_mb = 0;
  int32_t vcores = 0;
  WallTime expires{};  ///< The container must have been started by then.
  int32_t key_id = -1;
  int64_t resource_manager = 0;
  bool operator==(const ContainerIdentifier&) const = default;
};

/// For the permission to read or write one block.
struct BlockIdentifier {
  WallTime expires{};
  int32_t key_id = 0;
  std::string user;
  std::string pool;
  int64_t block = 0;
  std::vector<std::string> modes;  ///< "READ", "WRITE", "COPY", "REPLACE".
  Secret handshake_secret;         ///< Empty: none.
  bool operator==(const BlockIdentifier&) const = default;
};

/// Each reads the identifier of a token of its kind; Corrupt if it is damaged.
[[nodiscard]] Result<DelegationIdentifier> decode_delegation_identifier(const Token& token);
[[nodiscard]] Result<AmRmIdentifier> decode_am_rm_identifier(std::string_view identifier);
[[nodiscard]] Result<NodeManagerIdentifier> decode_node_manager_identifier(
    std::string_view identifier);
[[nodiscard]] Result<ContainerIdentifier> decode_container_identifier(std::string_view identifier);
/// Both the older and the protobuf form.
[[nodiscard]] Result<BlockIdentifier> decode_block_identifier(std::string_view identifier);

/// Describes a token in one line, for messages and doctor; never its password:
/// "HDFS_DELEGATION_TOKEN for ha-hdfs:ns1 of alice, renewed by yarn, issued 2 h ago, ends in 6 d".
[[nodiscard]] std::string describe(const Token& token, WallTime now);

}  // namespace muster::hadoop
