#include "cluster/yarn/link/yarn_link.h"

#include "hadoop/yarn/fake_cluster_test.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <variant>

namespace muster::cluster::yarn {
namespace {

using namespace std::chrono_literals;

/// A master's link to a fake cluster of two nodes, on virtual time.
class YarnLinkTest : public hadoop::yarn::FakeClusterTest {
 public:
  YarnLinkTest() {
    plan_.roles.emplace_back().name = "worker";
    plan_.spec.roles.emplace_back().name = "worker";
    const auto submitted = submission();
    id = submitted.id;
    EXPECT_TRUE(run(client.submit(submitted, soon())).has_value());
  }

  void set_reports(int64_t interval_ms) {
    site_.configuration.set("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms",
                            std::to_string(interval_ms), "the test");
  }

  static HostRoom room(const std::string& host, int64_t memory_mb) {
    return {.node = {.host = host, .port = 45454},
            .rack = "/default-rack",
            .free = {.memory_mb = memory_mb, .vcores = 8}};
  }

  std::unique_ptr<YarnLink> link(std::vector<HostRoom> hosts) {
    LinkDeps deps{
        .loop = loop,
        .log = sink_,
        .site = site_,
        .call_manager =
            [this](const hadoop::yarn::Calling& calling) {
              return testing::direct_proxy(loop, cluster.master_side(), "",
                                           calling.target.find_token);
            },
        .dial_nodes =
            [](const hadoop::yarn::NodeDialSettings&) { return hadoop::yarn::NodeDialer(); },
        .address_of = [](std::string host) -> rt::Async<Result<std::string>> {
          co_return Result<std::string>(std::move(host));
        }};
    YarnLinkOptions options;
    options.plan = &plan_;
    options.hosts = std::move(hosts);
    options.master_token = cluster.master_token(id);
    options.master_address = [] { return std::string("edge:1"); };
    return std::make_unique<YarnLink>(std::move(deps), std::move(options));
  }

  /// Asks for four containers, two of them of a host that gives none; returns how long the last one
  /// takes.
  Duration time_to_four() {
    const auto made = link({room("h2", 4096), room("h3", 4096)});
    std::map<std::string, int> granted;
    EXPECT_TRUE(made->start({},
                            [&](job::Fact fact) {
                              if (const auto* grant = std::get_if<job::ContainerGranted>(&fact)) {
                                ++granted[grant->host.value];
                              }
                            })
                    .has_value());
    for (const uint32_t number : {1U, 2U, 3U, 4U}) {
      made->request({.request = job::RequestId{number},
                     .role = job::RoleIndex{0},
                     .resources = {.memory_bytes = 1U << 30U, .vcores = 1, .gpus = 0},
                     .node_label = {},
                     .avoid = {},
                     .prefer = {}});
    }
    const HostTime begun = loop.now();
    const auto count = [&] {
      int sum = 0;
      for (const auto& [host, containers] : granted) {
        sum += containers;
      }
      return sum;
    };
    EXPECT_TRUE(loop.run_until([&] { return count() >= 2; }));
    EXPECT_LT(loop.now() - begun, 2s) << "h2 gives what is asked of it";
    EXPECT_TRUE(loop.run_until([&] { return count() == 4; }));
    return loop.now() - begun;
  }

  log::NullSink sink_;
  Site site_;
  job::Plan plan_;
};

TEST_F(YarnLinkTest, AHostMayGiveNothingForTwoReportsAsTheClusterIsConfigured) {
  const Duration by_default = time_to_four();
  EXPECT_GE(by_default, 2s);
  EXPECT_LT(by_default, 4s);
}

TEST_F(YarnLinkTest, NodesThatReportRarelyAreWaitedForLonger) {
  set_reports(5000);
  const Duration rarely = time_to_four();
  EXPECT_GE(rarely, 10s);
  EXPECT_LT(rarely, 12s);
}

TEST_F(YarnLinkTest, ReportsThatNeverComeAreNotWaitedFor) {
  set_reports(3'600'000);
  EXPECT_LT(time_to_four(), 62s);
}

}  // namespace
}  // namespace muster::cluster::yarn
