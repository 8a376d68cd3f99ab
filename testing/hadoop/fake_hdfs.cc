#include "testing/hadoop/fake_hdfs.h"

#include <utility>

namespace muster::testing {

namespace hdfs = hadoop::hdfs;

namespace {

class Plain final : public hdfs::TransferSecurity {
 public:
  rt::Async<Status> secure(hdfs::DataStream*, hdfs::Datanode, hadoop::Token) override {
    co_return Status();
  }
};

std::vector<std::unique_ptr<FakeDataNode>> make_nodes(rt::Loop& loop, MemoryNet& net, int count) {
  std::vector<std::unique_ptr<FakeDataNode>> nodes;
  for (int i = 1; i <= count; ++i) {
    nodes.push_back(std::make_unique<FakeDataNode>(loop, net, i));
  }
  return nodes;
}

std::vector<FakeDataNode*> pointers(const std::vector<std::unique_ptr<FakeDataNode>>& nodes) {
  std::vector<FakeDataNode*> all;
  all.reserve(nodes.size());
  for (const auto& node : nodes) {
    all.push_back(node.get());
  }
  return all;
}

rt::Async<Result<std::string>> read_all(hdfs::FileDeps deps, std::string path,
                                        hdfs::ByteRange range) {
  MUSTER_CO_TRY(const auto reader, co_await hdfs::FileReader::open(deps, std::move(path), range,
                                                                   hdfs::ReaderOptions()));
  std::string bytes;
  while (true) {
    MUSTER_CO_TRY(const std::string_view piece, co_await reader->next());
    if (piece.empty()) {
      co_return bytes;
    }
    bytes += piece;
  }
}

rt::Async<Status> write_all(hdfs::FileWriter* writer, std::string_view bytes, size_t piece_bytes) {
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, piece_bytes);
    bytes.remove_prefix(piece.size());
    MUSTER_CO_TRY_STATUS(co_await writer->write(piece));
  }
  co_return co_await writer->close();
}

}  // namespace

FakeHdfs::FakeHdfs(int count)
    : net(loop),
      nodes(make_nodes(loop, net, count)),
      name_node(pointers(nodes)),
      client(loop, name_node.proxy(), {.client_name = "client"}),
      security(std::make_unique<Plain>()),
      data_nodes({.loop = loop,
                  .dialer = net,
                  .security = *security,
                  .make_proxy =
                      [this](const hdfs::Datanode& node, const hadoop::Token&) {
                        for (const auto& each : nodes) {
                          if (each->node().uuid == node.uuid) {
                            return each->proxy();
                          }
                        }
                        return nodes.front()->proxy();
                      }},
                 hdfs::DataNodeOptions()),
      leases(loop, client, log::Logger(log)) {}

std::string FakeHdfs::read(const std::string& path, hdfs::ByteRange range) {
  Result<std::string> bytes = run(read_all(deps(), path, range));
  if (!bytes.has_value()) {
    error = bytes.error().message;
    return "(error)";
  }
  return *std::move(bytes);
}

std::unique_ptr<hdfs::FileWriter> FakeHdfs::open(const std::string& path,
                                                 hdfs::WriterOptions options) {
  hdfs::CreateOptions create;
  create.replication = options.replication;
  create.block_bytes = options.block_bytes;
  const Result<hdfs::FileStatus> made = run(client.create(path, create));
  const hdfs::FileWriter::Deps all{.file = deps(), .leases = leases, .log = log::Logger(log)};
  return std::make_unique<hdfs::FileWriter>(all, hdfs::OpenFile{path, made->file_id}, options);
}

Status FakeHdfs::write(const std::string& path, std::string_view bytes, hdfs::WriterOptions options,
                       size_t piece_bytes) {
  const auto writer = open(path, options);
  return run(write_all(writer.get(), bytes, piece_bytes));
}

std::string sample_bytes(size_t count) {
  std::string bytes(count, '\0');
  uint32_t state = 7;
  for (char& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<char>(state >> 24);
  }
  return bytes;
}

}  // namespace muster::testing
