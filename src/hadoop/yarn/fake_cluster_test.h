#pragma once

#include "hadoop/yarn/application_client.h"
#include "hadoop/yarn/application_master.h"
#include "hadoop/yarn/container_starter.h"
#include "testing/fake_loop.h"
#include "testing/hadoop/fake_node_manager.h"
#include "testing/hadoop/fake_resource_manager.h"
#include "testing/run_async.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

namespace muster::hadoop::yarn {

/// A fake cluster of two nodes on virtual time, with a client and a way to become the master of an
/// application, outside the cluster.
class FakeClusterTest : public ::testing::Test {
 public:
  explicit FakeClusterTest(
      testing::FakeResourceManager::Options options = {.masters_outside = true})
      : cluster(loop, std::move(options)) {
    cluster.add(first);
    cluster.add(second);
  }

  static NodeReport node(const std::string& host) {
    return {.id = {host, 45454},
            .http_address = host + ":8042",
            .capacity = {.memory_mb = 4096, .vcores = 4}};
  }

  /// Runs `work` to its end on virtual time.
  template <class T>
  T run(rt::Async<T> work) {
    return testing::run_async(loop, std::move(work)).value();
  }
  HostTime soon() { return loop.now() + std::chrono::seconds(30); }

  Submission submission() {
    auto fresh = run(client.new_application(soon()));
    return {.id = fresh.value().id,
            .name = "digits",
            .type = "MUSTER",
            .tags = {"muster"},
            .master = {.commands = {"exec ./muster master"}},
            .master_resources = {.memory_mb = 256, .vcores = 1},
            .attempts_max = 2};
  }

  /// Submits an application and registers as its master.
  void become_master(Submission submitted) {
    id = submitted.id;
    ASSERT_TRUE(run(client.submit(std::move(submitted), soon())).has_value());
    connect();
    ASSERT_TRUE(run(master->register_self({.host = "edge"}, soon())).has_value());
  }
  void become_master() { become_master(submission()); }

  /// Makes a fresh connection with the current attempt's token, as a new master would.
  void connect() {
    token = std::make_unique<HeldToken>(cluster.master_token(id));
    proxy = testing::direct_proxy(loop, cluster.master_side(), "", token->finder());
    master = std::make_unique<ApplicationMaster>(loop, *proxy, *token);
  }

  Heartbeat beat() {
    auto heartbeat = run(master->heartbeat(soon()));
    EXPECT_TRUE(heartbeat.has_value()) << heartbeat.error().message;
    connections.learn(heartbeat->node_tokens);
    return *heartbeat;
  }

  static ContainerRequest want(int64_t allocation, int32_t count = 1) {
    return {.allocation = AllocationId(allocation),
            .count = count,
            .each = {.memory_mb = 1024, .vcores = 1}};
  }

  /// Asks for one container, gets it and starts it.
  Grant started(int64_t allocation) {
    master->book().ask(want(allocation));
    (void)beat();
    const auto grant = beat().harvest.granted.at(0);
    const auto status = run(starter.start(grant, {.commands = {"sleep 9"}}, soon()));
    EXPECT_TRUE(status.has_value()) << status.error().message;
    return grant;
  }

  testing::FakeLoop loop;
  testing::FakeNodeManager first{node("h1")};
  testing::FakeNodeManager second{node("h2")};
  testing::FakeResourceManager cluster;
  std::unique_ptr<rpc::Proxy> client_proxy =
      testing::direct_proxy(loop, cluster.client_side(), "alice");
  ApplicationClient client{loop, *client_proxy};
  ApplicationId id;
  std::unique_ptr<HeldToken> token;
  std::unique_ptr<rpc::Proxy> proxy;
  std::unique_ptr<ApplicationMaster> master;
  NodeConnections connections{loop, [this](const NodeId& at, rpc::TokenFinder find_token) {
                                return testing::direct_proxy(loop, *cluster.node(at), "",
                                                             std::move(find_token));
                              }};
  ContainerStarter starter{loop, connections};
};

}  // namespace muster::hadoop::yarn
