#pragma once

#include "hadoop/hdfs/blocks/block.h"
#include "hadoop/hdfs/blocks/data_stream.h"
#include "hadoop/rpc/proxy.h"
#include "rt/scope.h"
#include "testing/memory_stream.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace muster::testing {

/// A DataNode in memory: reads, writes through pipelines of such nodes, recovery, visible lengths.
/// Strict: it refuses whatever Hadoop's would refuse. Faults are fields, which are set before or
/// while it serves.
class FakeDataNode {
 public:
  struct Replica {
    uint64_t generation = 0;
    std::string bytes;
    bool finalized = false;
  };
  struct Faults {
    bool refuse_writes = false;        ///< Answers every write with an error.
    std::optional<int> die_at_packet;  ///< Dies after this many packets of one block.
    bool die_at_last_packet = false;   ///< Dies on the packet that ends a block.
    bool die_at_recovery = false;      ///< Dies when a broken pipeline is opened again through it.
    bool refuse_copies = false;        ///< Does not copy a block to another node.
    bool restart_at_packet_2 = false;  ///< Says OOB_RESTART on its third packet, once.
    bool damage = false;               ///< Flips a bit of what it returns, below the checksum.
    std::optional<size_t> die_after_read;  ///< Dies when it has returned this many bytes.
    bool silent = false;                   ///< Takes requests and answers none.
    int stale_tokens = 0;                  ///< Refuses this many over their block tokens.
    bool restarted = false;                ///< Shows none of its data until a recovery.
  };

  FakeDataNode(rt::Loop& loop, MemoryNet& net, int index);
  FakeDataNode(FakeDataNode&&) = delete;

  /// Tells clients to move to `server`, whose connections accept() gets.
  void move_to(const net::HostPort& server);
  /// Serves one connection.
  void accept(std::unique_ptr<net::Stream> stream);

  /// Stops listening and breaks every connection; replicas stay.
  void die();
  void live();
  [[nodiscard]] bool alive() const { return alive_; }

  [[nodiscard]] const hadoop::hdfs::Datanode& node() const { return node_; }
  /// For ClientDatanodeProtocol.
  [[nodiscard]] std::unique_ptr<hadoop::rpc::Proxy> proxy();

  Faults faults;
  /// How a block reaches another node when this one is told to copy it.
  std::function<void(const hadoop::hdfs::Datanode& to, uint64_t id, const Replica& replica)>
      copy_to;
  std::map<uint64_t, Replica> replicas;           ///< By block id.
  Duration keep_alive = std::chrono::seconds(4);  ///< For the next read on a connection.
  int connections = 0;
  int reads = 0;
  int verdicts = 0;  ///< Reads whose reader said that all checksums were right.
  int writes = 0;
  int heartbeats = 0;

 private:
  struct Write;

  static constexpr Duration kPatience = std::chrono::minutes(2);

  rt::Async<> serve(std::unique_ptr<hadoop::hdfs::DataStream> stream);
  rt::Async<Status> serve_op(hadoop::hdfs::DataStream* stream, bool* reusable);
  rt::Async<Status> read_block(hadoop::hdfs::DataStream* stream, std::string message);
  rt::Async<Status> write_block(hadoop::hdfs::DataStream* stream, std::string message);
  rt::Async<Status> copy_block(hadoop::hdfs::DataStream* stream, std::string message);
  rt::Async<Status> open_next(Write* write, std::string message);
  bool prepare(Write& write);
  rt::Async<Status> receive(Write* write);
  rt::Async<Status> take_packet(Write* write, bool* last);
  rt::Async<Status> acknowledge(Write* write, int64_t sequence, bool last);

  rt::Loop* loop_;
  MemoryNet* net_;
  hadoop::hdfs::Datanode node_;
  bool alive_ = false;
  rt::Scope serving_;
};

}  // namespace muster::testing
