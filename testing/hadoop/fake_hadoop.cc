#include "testing/hadoop/fake_hadoop.h"

#include "base/check.h"
#include "net/ready.h"
#include "net/tcp_dialer.h"

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <future>
#include <memory>
#include <sys/socket.h>
#include <utility>

namespace muster::testing {
namespace {

using Serve = std::function<void(std::unique_ptr<net::Stream> stream)>;

constexpr const char* kHost = "127.0.0.1";

net::Listening listen() {
  Result<net::Listening> listening = net::listen_on({.host = kHost});
  MUSTER_CHECK(listening.has_value(), "127.0.0.1 has a free port");
  return *std::move(listening);
}

rt::Async<> accept_all(rt::IoLoop* loop, int listening, Serve serve) {
  while (true) {
    co_await net::Ready(*loop, listening, rt::Interest::Read);
    rt::Fd socket(::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket.valid()) {
      net::disable_delay(socket.get());
      serve(net::tcp_stream(*loop, std::move(socket)));
    }
  }
}

hadoop::yarn::NodeReport node_report(uint16_t web_port) {
  constexpr int64_t kMemoryMb = 8192;
  constexpr int32_t kVcores = 8;
  return {.id = {.host = kHost, .port = 45454},
          .http_address = fmt::format("{}:{}", kHost, web_port),
          .used = {},
          .capacity = {.memory_mb = kMemoryMb, .vcores = kVcores},
          .state = hadoop::yarn::NodeState::Running,
          .health = {},
          .labels = {}};
}

}  // namespace

FakeHadoop::FakeHadoop()
    : name_node_port_(listen()),
      data_node_port_(listen()),
      manager_port_(listen()),
      web_port_(listen()),
      data_node(loop_, net_, 1),
      name_node({&data_node}),
      node(node_report(web_port_.port)),
      manager(loop_, {}),
      name_node_server_(loop_, {}),
      manager_server_(loop_, {}),
      web_(loop_, [this](net::HttpRequest request,
                         const std::string&) { return show(std::move(request)); }),
      accepting_(loop_) {
  manager.add(node);
  data_node.move_to({.host = kHost, .port = data_node_port_.port});
  name_node_server_.on_any([this](const RpcCall& call) { return answer_name_node(call); });
  manager_server_.on_any([this](const RpcCall& call) { return answer_client(call); });
  const auto serve = [this](const net::Listening& port, Serve server) {
    accepting_.spawn(accept_all(&loop_, port.fd.get(), std::move(server)));
  };
  serve(name_node_port_, [this](auto stream) { name_node_server_.serve(std::move(stream)); });
  serve(data_node_port_, [this](auto stream) { data_node.accept(std::move(stream)); });
  serve(manager_port_, [this](auto stream) { manager_server_.serve(std::move(stream)); });
  serve(web_port_, [this](auto stream) { web_.serve(std::move(stream)); });
  thread_ = std::thread([this] { loop_.run(); });
}

FakeHadoop::~FakeHadoop() {
  loop_.post([this] { loop_.stop(); });
  thread_.join();
}

void FakeHadoop::with(const std::function<void()>& work) {
  std::promise<void> done;
  loop_.post([&] {
    work();
    done.set_value();
  });
  done.get_future().wait();
}

void FakeHadoop::write_configuration(const std::filesystem::path& folder) const {
  const auto write = [&](const char* name, const std::map<std::string, std::string>& values) {
    std::ofstream file(folder / name);
    file << "<configuration>\n";
    for (const auto& [key, value] : values) {
      file << fmt::format("<property><name>{}</name><value>{}</value></property>\n", key, value);
    }
    file << "</configuration>\n";
  };
  const auto at = [](const net::Listening& port) { return fmt::format("{}:{}", kHost, port.port); };
  write("core-site.xml", {{"fs.defaultFS", "hdfs://" + at(name_node_port_)}});
  write("hdfs-site.xml", {{"dfs.replication", "1"}});
  write("yarn-site.xml", {{"yarn.resourcemanager.address", at(manager_port_)},
                          {"yarn.resourcemanager.webapp.address", at(web_port_)}});
}

int64_t FakeHadoop::wall_ms() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(loop_.wall_now().time_since_epoch())
      .count();
}

RpcReply FakeHadoop::answer_name_node(const RpcCall& call) {
  name_node.now_ms = wall_ms();
  FakeNameNode::Reply said = name_node.handle(call.method, call.request);
  return said.has_value() ? RpcReply{.bytes = *std::move(said)}
                          : rpc_throw(said.error().java_class, said.error().message);
}

RpcReply FakeHadoop::answer_client(const RpcCall& call) {
  Served served = manager.client_side().serve(call.method, call.request,
                                              {.user = call.user, .token_identifier = {}});
  return {.bytes = std::move(served.reply),
          .exception_class = std::move(served.exception_class),
          .message = std::move(served.message)};
}

rt::Async<net::HttpResponse> FakeHadoop::show(net::HttpRequest request) {
  co_return pages.answer(request.target);
}

}  // namespace muster::testing
