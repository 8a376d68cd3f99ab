#pragma once

#include "base/log.h"
#include "hadoop/hdfs/blocks/data_nodes.h"
#include "hadoop/hdfs/file_reader.h"
#include "hadoop/hdfs/file_writer.h"
#include "hadoop/hdfs/lease_keeper.h"
#include "hadoop/hdfs/names/name_node.h"
#include "testing/fake_loop.h"
#include "testing/hadoop/fake_data_node.h"
#include "testing/hadoop/fake_name_node.h"
#include "testing/memory_stream.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace muster::testing {

/// A whole HDFS in memory on virtual time, and a client for it.
class FakeHdfs {
 public:
  explicit FakeHdfs(int data_nodes);

  [[nodiscard]] hadoop::hdfs::FileDeps deps() {
    return {.loop = loop, .name_node = client, .data_nodes = data_nodes};
  }

  /// Reads a whole file or the range; the error's message goes to `error`.
  [[nodiscard]] std::string read(const std::string& path, hadoop::hdfs::ByteRange range = {});
  /// Makes a file, writes `bytes` in pieces of `piece_bytes` and closes it.
  [[nodiscard]] Status write(const std::string& path, std::string_view bytes,
                             hadoop::hdfs::WriterOptions options, size_t piece_bytes = 1000);
  /// Makes a file and opens it for writing.
  [[nodiscard]] std::unique_ptr<hadoop::hdfs::FileWriter> open(const std::string& path,
                                                               hadoop::hdfs::WriterOptions options);
  /// Runs a coroutine to its end.
  template <class T>
  T run(rt::Async<T> work);

  std::string error;  ///< Of the last read() that failed.
  FakeLoop loop;
  MemoryNet net;
  log::NullSink log;
  std::vector<std::unique_ptr<FakeDataNode>> nodes;
  FakeNameNode name_node;
  hadoop::hdfs::NameNode client;
  std::unique_ptr<hadoop::hdfs::TransferSecurity> security;
  hadoop::hdfs::DataNodes data_nodes;
  hadoop::hdfs::LeaseKeeper leases;
};

/// Returns bytes that differ from place to place, the same ones each time.
[[nodiscard]] std::string sample_bytes(size_t count);

}  // namespace muster::testing

#include "testing/run_async.h"

namespace muster::testing {

template <class T>
T FakeHdfs::run(rt::Async<T> work) {
  return run_async(loop, std::move(work)).value();
}

}  // namespace muster::testing
