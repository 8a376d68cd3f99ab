#include "net/address.h"

#include <gtest/gtest.h>

namespace muster::net {
namespace {

TEST(HostPort, ParsesNamesAndLiterals) {
  EXPECT_EQ(parse_host_port("node7:8080"), (HostPort{.host = "node7", .port = 8080}));
  EXPECT_EQ(parse_host_port("127.0.0.1:1"), (HostPort{.host = "127.0.0.1", .port = 1}));
  EXPECT_EQ(parse_host_port("[::1]:65535"), (HostPort{.host = "::1", .port = 65535}));
  EXPECT_EQ(to_string(HostPort{.host = "::1", .port = 5}), "[::1]:5");
  EXPECT_EQ(to_string(HostPort{.host = "node7", .port = 5}), "node7:5");
}

TEST(HostPort, RefusesEverythingElse) {
  for (const char* text : {"", "node7", ":80", "node7:", "node7:0", "node7:65536", "node7:8x",
                           "::1:80", "[::1]", "[]:80", "a]:80"}) {
    EXPECT_FALSE(parse_host_port(text).has_value()) << text;
  }
}

TEST(SocketAddress, IsWrittenAsItIsRead) {
  for (const char* const literal : {"127.0.0.1", "10.0.0.7", "::1", "fe80::1"}) {
    EXPECT_EQ(literal_of(*parse_literal(literal, 80)), literal);
  }
}

TEST(SocketAddress, KnowsLiteralsOnly) {
  EXPECT_EQ(parse_literal("127.0.0.1", 80)->port(), 80);
  EXPECT_EQ(parse_literal("::1", 80)->storage.ss_family, AF_INET6);
  EXPECT_FALSE(parse_literal("localhost", 80).has_value());
}

}  // namespace
}  // namespace muster::net
