#include "page/proxy_access.h"

#include "testing/fake_loop.h"
#include "testing/run_async.h"

#include <gtest/gtest.h>

#include <map>

namespace muster::page {
namespace {

using namespace std::chrono_literals;
using Kind = Admission::Kind;

class ProxyAccessTest : public ::testing::Test {
 protected:
  using Addresses = Result<std::vector<std::string>>;

  rt::Async<Addresses> resolve(std::string host) {
    ++lookups;
    const auto found = names.find(host);
    if (found == names.end()) {
      co_return Error{Errc::NotFound, Blame::Cluster, "no such host"};
    }
    co_return found->second;
  }
  rt::Async<Addresses> groups_of(std::string user) {
    asked.push_back(user);
    const auto found = members.find(user);
    if (found == members.end()) {
      co_return Error{Errc::Unavailable, Blame::Cluster, "the NameNode is away"};
    }
    co_return found->second;
  }
  ProxyAccess make(bool everybody = true, std::vector<std::string> users = {},
                   std::vector<std::string> groups = {}) {
    ProxyRule rule{.proxies = {{"rm1", "http://rm1:8088"}, {"rm2", "http://rm2:8088"}},
                   .application_id = "application_1_0001",
                   .everybody = everybody,
                   .users = std::move(users),
                   .groups = std::move(groups)};
    return {loop, std::move(rule), [this](std::string host) { return resolve(std::move(host)); },
            [this](std::string user) { return groups_of(std::move(user)); }};
  }
  Admission admit(ProxyAccess& access, std::string peer, std::string cookie = "") {
    const net::HttpRequest request{
        .method = "GET", .target = "/api/status?x=1", .headers = {{"cookie", std::move(cookie)}}};
    return testing::run_async(loop, access.admit(&request, std::move(peer))).value();
  }

  testing::FakeLoop loop;
  std::map<std::string, std::vector<std::string>> names{{"rm1", {"10.0.0.1"}},
                                                        {"rm2", {"10.0.0.2", "fd00::2"}}};
  int lookups = 0;
  std::map<std::string, std::vector<std::string>> members;
  std::vector<std::string> asked;
};

TEST_F(ProxyAccessTest, TheProxiesAreTrustedAndOthersAreSentThere) {
  ProxyAccess access = make();
  EXPECT_EQ(admit(access, "10.0.0.1:5000").kind, Kind::Job);
  EXPECT_EQ(admit(access, "10.0.0.1:5000").target, "/api/status?x=1");
  const Admission other = admit(access, "10.0.0.9:5000", "proxy-user=alice");
  EXPECT_EQ(other.kind, Kind::Elsewhere);
  EXPECT_EQ(other.location, "http://rm1:8088/proxy/redirect/application_1_0001/api/status?x=1");
  for (const char* peer : {"[fd00::2]:5000", "[::ffff:10.0.0.2]:5000"}) {
    EXPECT_EQ(admit(access, peer).kind, Kind::Job) << peer;
  }
  EXPECT_TRUE(access.is_known({}, "10.0.0.1:5000"));
  EXPECT_FALSE(access.is_known({}, "10.0.0.9:5000"));
  // The one that asked last is the active one.
  EXPECT_TRUE(admit(access, "10.0.0.9:1").location.starts_with("http://rm2:8088/"));
}

TEST_F(ProxyAccessTest, WhereUsersCountTheCookieNamesOne) {
  ProxyAccess access = make(false, {"alice", "bob"});
  EXPECT_EQ(admit(access, "10.0.0.1:1", "a=b; proxy-user=bob").kind, Kind::Job);
  for (const char* cookie : {"", "proxy-user=", "proxy-user=eve", "proxy-users=alice",
                             "xproxy-user=alice", "proxy-user=alice,bob"}) {
    EXPECT_EQ(admit(access, "10.0.0.1:1", cookie).kind, Kind::Refused) << cookie;
  }
}

TEST_F(ProxyAccessTest, MembersOfAGroupAreLetInAsTheClusterKnowsThem) {
  ProxyAccess access = make(false, {"alice"}, {"staff"});
  members = {{"bob", {"users", "staff"}}, {"eve", {"users"}}};
  EXPECT_EQ(admit(access, "10.0.0.1:1", "proxy-user=alice").kind, Kind::Job);
  EXPECT_TRUE(asked.empty());
  EXPECT_EQ(admit(access, "10.0.0.1:1", "proxy-user=bob").kind, Kind::Job);
  EXPECT_EQ(admit(access, "10.0.0.1:1", "proxy-user=bob").kind, Kind::Job);
  EXPECT_EQ(admit(access, "10.0.0.1:1", "proxy-user=eve").kind, Kind::Refused);
  EXPECT_EQ(admit(access, "10.0.0.1:1", "proxy-user=eve").kind, Kind::Refused);
  EXPECT_EQ(asked, (std::vector<std::string>{"bob", "eve"}));
  EXPECT_EQ(admit(access, "10.0.0.1:1").kind, Kind::Refused);
  members["bob"] = {};
  loop.advance(ProxyAccess::kGroupsKept + 1s);
  EXPECT_EQ(admit(access, "10.0.0.1:1", "proxy-user=bob").kind, Kind::Refused);
}

TEST_F(ProxyAccessTest, WhoseGroupsCannotBeHadIsRefusedAndAskedAboutAgain) {
  ProxyAccess access = make(false, {}, {"staff"});
  EXPECT_EQ(admit(access, "10.0.0.1:1", "proxy-user=bob").kind, Kind::Refused);
  members["bob"] = {"staff"};
  EXPECT_EQ(admit(access, "10.0.0.1:1", "proxy-user=bob").kind, Kind::Job);
}

TEST_F(ProxyAccessTest, NamesAreLookedUpAgain) {
  ProxyAccess access = make();
  EXPECT_EQ(admit(access, "10.0.0.1:1").kind, Kind::Job);
  names["rm1"] = {"10.0.0.7"};
  names.erase("rm2");
  EXPECT_EQ(admit(access, "10.0.0.7:1").kind, Kind::Elsewhere);
  EXPECT_EQ(lookups, 2);
  loop.advance(ProxyAccess::kLookUpEvery + 1s);
  EXPECT_EQ(admit(access, "10.0.0.7:1").kind, Kind::Job);
  EXPECT_EQ(admit(access, "10.0.0.1:1").kind, Kind::Elsewhere);
  EXPECT_EQ(admit(access, "10.0.0.2:1").kind, Kind::Job);  // Where it was before.
  EXPECT_EQ(lookups, 4);
}

}  // namespace
}  // namespace muster::page
