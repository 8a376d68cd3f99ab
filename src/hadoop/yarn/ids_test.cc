#include "hadoop/yarn/ids.h"

#include "hadoop/yarn/request.h"
#include "hadoop/yarn/resource.h"

#include <gtest/gtest.h>

namespace muster::hadoop::yarn {
namespace {

constexpr ApplicationId kApplication{.cluster_timestamp = 1700000000000, .number = 7};
constexpr AttemptId kAttempt{.application = kApplication, .number = 2};

TEST(Ids, TakeTheFormsThatTheClusterShows) {
  EXPECT_EQ(to_string(kApplication), "application_1700000000000_0007");
  EXPECT_EQ(to_string(kAttempt), "appattempt_1700000000000_0007_000002");
  EXPECT_EQ(to_string(ContainerId{.attempt = kAttempt, .number = 3}),
            "container_1700000000000_0007_02_000003");
  EXPECT_EQ(to_string(ContainerId{.attempt = kAttempt, .number = (int64_t{17} << 40) | 3}),
            "container_e17_1700000000000_0007_02_000003");
  EXPECT_EQ(to_string(NodeId{.host = "h1", .port = 45454}), "h1:45454");
}

TEST(Ids, AreReadBack) {
  EXPECT_EQ(parse_application_id("application_1700000000000_0007").value(), kApplication);
  EXPECT_EQ(parse_application_id("application_1700000000000_12345").value().number, 12345);
  EXPECT_EQ(parse_attempt_id("appattempt_1700000000000_0007_000002").value(), kAttempt);
  const ContainerId with_epoch{.attempt = kAttempt, .number = (int64_t{2} << 40) | 1000001};
  EXPECT_EQ(parse_container_id(to_string(with_epoch)).value(), with_epoch);
  EXPECT_EQ(parse_node_id("h1:45454").value(), (NodeId{.host = "h1", .port = 45454}));
}

TEST(Ids, WhatIsNoneIsNamed) {
  for (const auto* const text :
       {"", "application", "application_1_", "application_1_x", "application_-1_1", "job_1_2",
        "application_1_2_3", "application_99999999999999999999_1"}) {
    const auto parsed = parse_application_id(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_EQ(parsed.error().code, Errc::InvalidArgument);
    EXPECT_NE(parsed.error().message.find(text), std::string::npos);
  }
  EXPECT_FALSE(parse_container_id("container_x17_1_1_1_1").has_value());
  EXPECT_FALSE(parse_container_id("container_1_1_1").has_value());
  EXPECT_FALSE(parse_attempt_id("appattempt_1_1").has_value());
  EXPECT_FALSE(parse_node_id("h1").has_value());
  EXPECT_FALSE(parse_node_id(":1").has_value());
  EXPECT_FALSE(parse_node_id("h1:70000").has_value());
}

TEST(Resource, IsToldInTheClustersUnits) {
  const Resource resource{.memory_mb = 2048, .vcores = 1, .others = {{std::string(kGpu), {2, ""}}}};
  EXPECT_EQ(to_string(resource), "2048 MB, 1 vcores, yarn.io/gpu 2");
}

TEST(Resource, NamesTypesThatTheClusterWouldDrop) {
  const Resource asked{.others = {{std::string(kGpu), {2, ""}}, {"fpga", {0, ""}}}};
  EXPECT_EQ(unknown_types(asked, {{"memory-mb", "Mi"}}), std::vector{std::string(kGpu)});
  EXPECT_TRUE(unknown_types(asked, {{std::string(kGpu), ""}}).empty());
}

std::vector<std::pair<std::string, bool>> places(const ContainerRequest& request) {
  std::vector<std::pair<std::string, bool>> places;
  for (const auto& row : rows_of(request)) {
    places.emplace_back(row.place, row.relax_locality);
  }
  return places;
}

using Places = std::vector<std::pair<std::string, bool>>;

TEST(Rows, OneForAnywhere) {
  EXPECT_EQ(places({.allocation = AllocationId(1)}), (Places{{"*", true}}));
}

TEST(Rows, AHostCountsOnlyBesideItsRack) {
  EXPECT_EQ(places({.allocation = AllocationId(1), .hosts = {"h1"}}),
            (Places{{"h1", true}, {"/default-rack", true}, {"*", true}}));
  EXPECT_EQ(
      places({.allocation = AllocationId(1), .hosts = {"h1"}, .racks = {"/r"}, .only_there = true}),
      (Places{{"h1", true}, {"/r", false}, {"*", false}}));
}

TEST(Rows, ARackAloneIsWishedForItself) {
  EXPECT_EQ(places({.allocation = AllocationId(1), .racks = {"/r"}, .only_there = true}),
            (Places{{"/r", true}, {"*", false}}));
}

TEST(Rows, ALabelStandsOnTheRowForAnywhereAlone) {
  const auto rows = rows_of({.allocation = AllocationId(1), .hosts = {"h1"}, .node_label = "gpu"});
  EXPECT_EQ(rows.front().node_label, "");
  EXPECT_EQ(rows.back().node_label, "gpu");
}

}  // namespace
}  // namespace muster::hadoop::yarn
