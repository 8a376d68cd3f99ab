#pragma once

#include "hadoop/hdfs/blocks/data_nodes.h"
#include "hadoop/hdfs/names/name_node.h"
#include "hadoop/security_settings.h"
#include "rt/loop.h"

#include <memory>

namespace muster::hadoop::hdfs {

struct TransferSecurityDeps {
  rt::Loop& loop;
  rt::Random& random;
  NameNode& name_node;
};

/// What data connections of this cluster need, by Hadoop's rules in this order: encryption where
/// the NameNode asks for it (dfs.encrypt.data.transfer), nothing without Kerberos, nothing to a
/// privileged port, SASL with the block token where dfs.data.transfer.protection is set, else
/// nothing.
[[nodiscard]] std::unique_ptr<TransferSecurity> make_transfer_security(
    TransferSecurityDeps deps, const SecuritySettings& settings);

}  // namespace muster::hadoop::hdfs
