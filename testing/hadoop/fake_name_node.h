#pragma once

#include "hadoop/hdfs/blocks/block.h"
#include "hadoop/rpc/proxy.h"
#include "testing/hadoop/fake_data_node.h"

#include <deque>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::testing {

/// A NameNode in memory over FakeDataNodes: names, blocks, leases, pipelines. As strict as Hadoop's
/// where that is strict. A test may have as many proxies to it as it likes.
class FakeNameNode {
 public:
  struct File {
    hadoop::hdfs::FileStatus status;
    std::vector<hadoop::hdfs::Block> blocks;
    std::string holder;  ///< Who is writing it; empty if it is closed.
  };
  /// What the next calls of a method get instead of an answer.
  struct Refusal {
    std::string java_class;
    std::string message;
  };

  using Reply = std::expected<std::string, Refusal>;

  explicit FakeNameNode(std::vector<FakeDataNode*> nodes);

  [[nodiscard]] std::unique_ptr<hadoop::rpc::Proxy> proxy();

  /// Answers one call with the reply's bytes, or the reason for refusing it.
  [[nodiscard]] Reply handle(std::string_view method, const std::string& request);

  std::map<std::string, File> files;                    ///< By path; includes folders.
  std::map<std::string, std::deque<Refusal>> refusals;  ///< By method.
  std::map<std::string, int> calls;                     ///< By method.
  int64_t now_ms = 0;          ///< Its own clock, which only a test moves: when folders are made.
  size_t page_entries = 3;     ///< In a listing.
  int complete_refusals = 0;   ///< How often complete() says "not yet".
  bool erasure_coded = false;  ///< Every file.
  bool encrypted = false;      ///< Every file.
  std::vector<std::string> damaged_on;  ///< DataNodes reported for damaged replicas.
  std::vector<uint64_t> synced_bytes;   ///< Lengths reported by fsync.

  /// Returns the bytes of a closed or open file, from the first current replica of each block.
  [[nodiscard]] std::string content(const std::string& path) const;
  /// Makes a closed file with a replica of each block on every node.
  void add_file(const std::string& path, std::string_view bytes, uint64_t block_bytes);
  void add_folder(const std::string& path);
  /// Returns how many DataNodes hold the current generation of a block.
  [[nodiscard]] size_t replicas_of(const hadoop::hdfs::Block& block) const;

 private:
  Reply handle_names(std::string_view method, const std::string& request);
  Reply handle_blocks(std::string_view method, const std::string& request);
  Reply set_times(const std::string& request);
  Reply get_listing(const std::string& request);
  Reply create(const std::string& request);
  Reply add_block(const std::string& request);
  Reply complete(const std::string& request);
  Reply rename(const std::string& request);
  Reply remove(const std::string& request);
  Reply locate(const std::string& request);
  Reply update_pipeline(const std::string& request);
  Reply additional_datanode(const std::string& request);
  hadoop::hdfs::LocatedBlock located(const hadoop::hdfs::Block& block, uint64_t offset) const;
  File* open_file(const std::string& path, const std::string& holder);
  FakeDataNode* find(const std::string& uuid) const;

  std::vector<FakeDataNode*> nodes_;
  uint64_t last_id_ = 1000;
  uint64_t last_generation_ = 100;
};

}  // namespace muster::testing
