#include "page/team_access.h"

#include "testing/fake_loop.h"
#include "testing/run_async.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace muster::page {
namespace {

class TeamAccessTest : public ::testing::Test {
 protected:
  std::string user(net::HttpHeaders headers, std::string peer = "10.0.0.9:4711") {
    const net::HttpRequest request{.method = "GET", .target = "/", .headers = std::move(headers)};
    const auto admission =
        testing::run_async(loop, access.admit(&request, std::move(peer))).value();
    EXPECT_EQ(admission.kind == Admission::Kind::Job, !admission.user.empty());
    return admission.user;
  }
  /// The cookie that a token is exchanged for; "" for none.
  std::string cookie(std::string token) {
    const auto response = access.open_session({.method = "POST", .body = std::move(token)}).value();
    if (response.status != 200) {
      return "";
    }
    const std::string& header = response.headers.at(0).second;
    return header.substr(0, header.find(';'));
  }

  testing::FakeLoop loop;
  std::map<std::string, std::string, std::less<>> tokens = {{"t-alice", "alice"}, {"t-bob", "bob"}};
  int cookies = 0;
  TeamAccess access{loop,
                    {.user_of = [this](std::string_view token) -> std::optional<std::string> {
                       const auto found = tokens.find(token);
                       return found == tokens.end() ? std::nullopt : std::optional(found->second);
                     },
                     .make_cookie = [this] { return "c" + std::to_string(++cookies); },
                     .proxies = {"10.0.0.1", "::1"},
                     .user_header = "x-user",
                     .secure = true}};
};

TEST_F(TeamAccessTest, ATokenIsItsUser) {
  EXPECT_EQ(user({{"authorization", "Bearer t-alice"}}), "alice");
  EXPECT_EQ(user({{"authorization", "Bearer t-nobody"}}), "");
  EXPECT_EQ(user({}), "");
}

TEST_F(TeamAccessTest, ASessionEndsWithItsTokenAndItsTime) {
  EXPECT_EQ(cookie("wrong"), "");
  const std::string alice = cookie("t-alice\n");
  const std::string bob = cookie("t-bob");
  EXPECT_EQ(user({{"cookie", alice}}), "alice");
  EXPECT_EQ(user({{"cookie", bob}}), "bob");
  EXPECT_EQ(user({{"cookie", "muster-portal=c9"}}), "");
  tokens.erase("t-alice");
  EXPECT_EQ(user({{"cookie", alice}}), "") << "the token was taken back";
  loop.advance(TeamAccess::kSessionMax);
  EXPECT_EQ(user({{"cookie", bob}}), "");
}

TEST_F(TeamAccessTest, AHeaderCountsOnlyFromAProxy) {
  const net::HttpHeaders carol = {{"x-user", "carol"}};
  EXPECT_EQ(user(carol), "") << "somebody else";
  EXPECT_EQ(user(carol, "10.0.0.1:1"), "carol");
  EXPECT_EQ(user(carol, "[::1]:1"), "carol");
  EXPECT_EQ(user({}, "10.0.0.1:1"), "") << "the proxy has identified nobody";
  EXPECT_EQ(user({{"x-user", "carol"}, {"x-user", "root"}}, "10.0.0.1:1"), "") << "two";
  EXPECT_EQ(user({{"x-user", "a, b"}}, "10.0.0.1:1"), "");
  EXPECT_EQ(user({{"authorization", "Bearer t-alice"}}, "10.0.0.1:1"), "")
      << "the proxy alone says who it is";
}

}  // namespace
}  // namespace muster::page
