#pragma once

#include "net/http_server.h"
#include "net/socket.h"
#include "rt/io_loop.h"
#include "rt/scope.h"
#include "testing/hadoop/fake_data_node.h"
#include "testing/hadoop/fake_name_node.h"
#include "testing/hadoop/fake_node_manager.h"
#include "testing/hadoop/fake_node_pages.h"
#include "testing/hadoop/fake_resource_manager.h"
#include "testing/hadoop/rpc_server.h"
#include "testing/memory_stream.h"

#include <filesystem>
#include <functional>
#include <thread>

namespace muster::testing {

/// A Hadoop cluster of one node for clients that block: its daemons listen on free ports of
/// 127.0.0.1 and run on their own thread and loop, over the fakes of this folder. The resource
/// manager has no web service, and there is nothing for masters to connect to: calls of
/// `manager.master_side()` play the masters.
///
/// After the constructor only the daemons' thread may touch the fakes: in with(), and in their
/// callbacks.
class FakeHadoop {
 public:
  FakeHadoop();
  FakeHadoop(FakeHadoop&&) = delete;
  ~FakeHadoop();

  /// Writes the configuration of its clients into a folder.
  void write_configuration(const std::filesystem::path& folder) const;
  /// Runs `work` between two calls of clients; returns when it is done.
  void with(const std::function<void()>& work);

 private:
  [[nodiscard]] int64_t wall_ms() const;
  [[nodiscard]] RpcReply answer_name_node(const RpcCall& call);
  [[nodiscard]] RpcReply answer_client(const RpcCall& call);
  [[nodiscard]] rt::Async<net::HttpResponse> show(net::HttpRequest request);

  rt::IoLoop loop_;
  MemoryNet net_{loop_};
  net::Listening name_node_port_;
  net::Listening data_node_port_;
  net::Listening manager_port_;
  net::Listening web_port_;

 public:
  FakeDataNode data_node;
  FakeNameNode name_node;
  FakeNodeManager node;
  FakeNodePages pages;
  FakeResourceManager manager;

 private:
  RpcServer name_node_server_;
  RpcServer manager_server_;
  net::HttpServer web_;
  rt::Scope accepting_;  ///< It uses the servers.
  std::thread thread_;   ///< Last: it runs the loop.
};

}  // namespace muster::testing
