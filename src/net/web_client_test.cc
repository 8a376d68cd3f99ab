#include "net/web_client.h"

#include <gtest/gtest.h>

namespace muster::net {
namespace {

TEST(WebAddresses, HavePortsAndPathsOfTheirOwnOrTheUsualOnes) {
  const auto plain = parse_web_address("http://mlflow.example.com/base?x=1");
  ASSERT_TRUE(plain.has_value());
  EXPECT_FALSE(plain->tls);
  EXPECT_EQ(plain->server, (HostPort{"mlflow.example.com", 80}));
  EXPECT_EQ(plain->host, "mlflow.example.com");
  EXPECT_EQ(plain->target, "/base?x=1");
  const auto tls = parse_web_address("https://[::1]:8443");
  ASSERT_TRUE(tls.has_value());
  EXPECT_TRUE(tls->tls);
  EXPECT_EQ(tls->server.port, 8443);
  EXPECT_EQ(tls->target, "/");
  EXPECT_EQ(parse_web_address("https://h?x")->target, "/?x");
  EXPECT_EQ(parse_web_address("https://h")->server.port, 443);
}

TEST(WebAddresses, OthersAreRefusedWithoutBeingRepeated) {
  for (const char* address : {"", "sqlite:///x.db", "databricks", "mlflow:5000", "ftp://h/secret",
                              "http://", "http://h:99999/secret", "http://:80/secret"}) {
    const auto parsed = parse_web_address(address);
    ASSERT_FALSE(parsed.has_value()) << address;
    EXPECT_EQ(parsed.error().message.find("secret"), std::string::npos) << address;
  }
}

}  // namespace
}  // namespace muster::net
