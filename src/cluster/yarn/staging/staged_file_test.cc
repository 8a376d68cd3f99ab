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
                          .type = hadoop::yarn::LocalResourceType::Archive}}}};
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

}  // namespace
}  // namespace muster::cluster::yarn
