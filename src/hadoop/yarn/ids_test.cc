#include "hadoop/yarn/ids.h"

#include "hadoop/yarn/resource.h"

#include <gtest/gtest.h>

namespace muster::hadoop::yarn {
namespace {

constexpr ApplicationId kApplication{.cluster_timestamp = 1700000000000, .number = 7};
constexpr AttemptId kAttempt{.application = kApplication, .number = 2};

TEST(Ids, TakeTheFormsThatTheClusterShows) {
  EXPECT_EQ(to_string(kApplication), "application_1700000000000_0007");
  EXPECT_EQ(to_string(ContainerId{.attempt = kAttempt, .number = 3}),
            "container_1700000000000_0007_02_000003");
  EXPECT_EQ(to_string(ContainerId{.attempt = kAttempt, .number = (int64_t{17} << 40) | 3}),
            "container_e17_1700000000000_0007_02_000003");
  EXPECT_EQ(to_string(NodeId{.host = "h1", .port = 45454}), "h1:45454");
}

TEST(Ids, AreReadBack) {
  EXPECT_EQ(parse_application_id("application_1700000000000_0007").value(), kApplication);
  EXPECT_EQ(parse_application_id("application_1700000000000_12345").value().number, 12345);
  const ContainerId with_epoch{.attempt = kAttempt, .number = (int64_t{2} << 40) | 1000001};
  EXPECT_EQ(parse_container_id(to_string(with_epoch)).value(), with_epoch);
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
}

TEST(Resource, IsToldInTheClustersUnits) {
  const Resource resource{.memory_mb = 2048, .vcores = 1, .others = {{std::string(kGpu), {2, ""}}}};
  EXPECT_EQ(to_string(resource), "2048 MB, 1 vcores, yarn.io/gpu 2");
}

}  // namespace
}  // namespace muster::hadoop::yarn
