#include "page/host_check.h"

#include <gtest/gtest.h>

namespace muster::page {
namespace {

bool admits(const std::string& host, const std::vector<std::string>& names = {}) {
  return is_for_this_host({.method = "GET", .target = "/", .headers = {{"host", host}}}, names);
}

TEST(HostCheck, AdmitsAddressesAndOwnNames) {
  for (const char* host :
       {"localhost", "localhost:8080", "LocalHost.:8080", "job.localhost", "127.0.0.1",
        "127.0.0.1:1", "10.1.2.3:41234", "[::1]", "[::1]:8080", "[FD00::2]:80"}) {
    EXPECT_TRUE(admits(host)) << host;
  }
  EXPECT_TRUE(admits("Gateway:8080", {"gateway", "gateway.example.org"}));
  EXPECT_TRUE(admits("gateway.example.org", {"gateway", "gateway.example.org"}));
  EXPECT_TRUE(is_for_this_host({.method = "GET", .target = "/"}, {}));
}

TEST(HostCheck, RefusesNamesOfOthers) {
  for (const char* host :
       {"evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example",
        "gateway.evil.example", "gateway", "", ":80", "[::1", "[::1]evil.example", "[evil.example]",
        "127.0.0.1:80:evil.example", "127.0.0.1@evil.example", "127.0.0.1:x", "::1:80"}) {
    EXPECT_FALSE(admits(host, {"gateway.example.org"})) << host;
  }
  EXPECT_FALSE(is_for_this_host({.method = "GET",
                                 .target = "/",
                                 .headers = {{"host", "localhost"}, {"host", "evil.example"}}},
                                {}));
  EXPECT_FALSE(
      is_for_this_host({.method = "GET",
                        .target = "/",
                        .headers = {{"host", "evil.example"}, {"x-forwarded-host", "localhost"}}},
                       {}));
}

TEST(HostCheck, BelievesNoSecondOrigin) {
  const auto of_this_page = [](net::HttpHeaders headers) {
    headers.emplace_back("host", "Gateway:8080");
    return is_of_this_page({.method = "POST", .target = "/", .headers = std::move(headers)});
  };
  EXPECT_TRUE(of_this_page({}));
  EXPECT_TRUE(of_this_page({{"origin", "http://gateway:8080"}}));
  EXPECT_TRUE(of_this_page({{"origin", "https://Gateway:8080"}}));
  for (const char* origin : {"null", "", "http://gateway", "http://gateway:80801", "gateway:8080",
                             "ftp://gateway:8080", "http://gateway:8080/"}) {
    EXPECT_FALSE(of_this_page({{"origin", origin}})) << origin;
    EXPECT_FALSE(of_this_page({{"origin", "http://gateway:8080"}, {"origin", origin}})) << origin;
  }
}

}  // namespace
}  // namespace muster::page
