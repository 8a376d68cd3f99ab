#include "cluster/yarn/staging/staged_file.h"

#include <gtest/gtest.h>

namespace muster::cluster::yarn {
namespace {

JobPackage package() {
  return {
      .job_id = "digits-7f3k2q",
      .user = "alice",
      .folder = "/user/alice/.muster/jobs/digits-7f3k2q",
      .plan_file = "{\"schema\":\"muster.plan/1\"}",
      .configuration_xml = "<configuration/>",
      .files = {{.link = "files/0/train.py",
                 .file = {.from = {.scheme = "hdfs", .host = "nn", .port = 8020, .path = "/a b"},
                          .size = 12,
                          .modified_ms = 1'700'000'000'123}},
                {.link = "files/1/env.tgz",
                 .file = {.from = {.scheme = "hdfs", .host = "other", .port = -1, .path = "/env"},
                          .size = 1,
                          .modified_ms = 1,
                          .type = hadoop::yarn::LocalResourceType::Archive}}},
      .hosts = {{.node = {.host = "n1", .port = 45454},
                 .rack = "/r1",
                 .free = {.memory_mb = 4096,
                          .vcores = 7,
                          .others = {{"yarn.io/gpu", {.value = 2, .unit = {}}}}}},
                {.node = {.host = "n2", .port = 45454},
                 .rack = {},
                 .free = {.memory_mb = 512, .vcores = -1, .others = {}}}}};
}

TEST(JobPackage, IsReadBackAsItWasWritten) {
  const auto back = decode_package(encode(package()));
  ASSERT_TRUE(back.has_value()) << back.error().message;
  EXPECT_EQ(*back, package());
}

TEST(JobPackage, DamageIsTold) {
  const std::string text = encode(package());
  for (size_t size = 0; size < text.size(); ++size) {
    EXPECT_EQ(decode_package(std::string_view(text).substr(0, size)).error().code, Errc::Corrupt);
  }
  EXPECT_EQ(decode_package("[]").error().code, Errc::Corrupt);
  EXPECT_EQ(decode_package(R"({"schema":"muster.package/1"})").error().code, Errc::Corrupt);
}

// A file from before masters were told about hosts, and files that nobody writes.
TEST(JobPackage, HostsMayBeMissingButNotDamaged) {
  const std::string text = encode(package());
  const auto with_hosts = [&](const std::string& hosts) {
    return decode_package(text.substr(0, text.find(",\"hosts\":")) + hosts + "}");
  };
  const auto older = with_hosts("");
  ASSERT_TRUE(older.has_value()) << older.error().message;
  EXPECT_TRUE(older->hosts.empty());
  for (const std::string hosts : {R"({})", R"([1])", R"([{"host":"n1"}])",
                                  R"([{"host":"n1","port":1,"rack":"","memory_mb":1,"vcores":1}])",
                                  R"([{"host":"n1","port":1,"rack":"","memory_mb":1,"vcores":1,)"
                                  R"("others":{"a":"b"}}])"}) {
    EXPECT_EQ(with_hosts(",\"hosts\":" + hosts).error().code, Errc::Corrupt) << hosts;
  }
}

}  // namespace
}  // namespace muster::cluster::yarn
