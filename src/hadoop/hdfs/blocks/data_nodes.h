#pragma once

#include "base/result.h"
#include "base/time.h"
#include "hadoop/hdfs/blocks/block.h"
#include "hadoop/hdfs/blocks/data_stream.h"
#include "hadoop/hdfs/blocks/idle_streams.h"
#include "hadoop/rpc/proxy.h"
#include "net/stream.h"
#include "rt/async.h"
#include "rt/loop.h"

#include <chrono>
#include <functional>
#include <memory>

namespace muster::hadoop::hdfs {

struct DataNodeOptions {
  bool use_host_name = false;  ///< Dial by name instead of by address.
  Duration connect_timeout = std::chrono::seconds(20);
  /// How long a DataNode may be silent before it counts as dead.
  Duration patience = std::chrono::seconds(60);
  IdleStreamsOptions idle;
};

/// Makes a fresh connection to a DataNode fit for operations: does nothing, or performs the
/// handshake of a secured cluster.
class TransferSecurity {
 public:
  virtual ~TransferSecurity() = default;
  /// Performs the handshake on `stream`, if this cluster requires one. Unauthenticated if the node
  /// refuses the key or token.
  virtual rt::Async<Status> secure(DataStream* stream, Datanode node, Token token) = 0;
};

/// The DataNodes of one file system: connections for operations, and their RPC service.
class DataNodes {
 public:
  /// Makes a proxy for a DataNode's ClientDatanodeProtocol, with the block's token.
  using MakeProxy =
      std::function<std::unique_ptr<rpc::Proxy>(const Datanode& node, const Token& token)>;

  struct Deps {
    rt::Loop& loop;
    net::Dialer& dialer;
    TransferSecurity& security;
    MakeProxy make_proxy;
  };

  DataNodes(Deps deps, DataNodeOptions options);

  /// Connects to `node` for operations on a block with `token`. The error names the node.
  [[nodiscard]] rt::Async<Result<std::unique_ptr<DataStream>>> connect(Datanode node, Token token);

  /// Connections between operations: one that was read to its end may serve the next read.
  [[nodiscard]] IdleStreams& idle() { return idle_; }

  /// Asks `block`'s DataNodes how many bytes of it readers may see now. 0 if none of them knows it
  /// yet, because its writer has just begun.
  [[nodiscard]] rt::Async<Result<uint64_t>> visible_length(LocatedBlock block);

  [[nodiscard]] const DataNodeOptions& options() const { return options_; }

 private:
  [[nodiscard]] rt::Async<Result<std::unique_ptr<DataStream>>> dial(Datanode node, Token token);

  Deps deps_;
  DataNodeOptions options_;
  IdleStreams idle_;
};

}  // namespace muster::hadoop::hdfs
