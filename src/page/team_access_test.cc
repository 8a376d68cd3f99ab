#include "page/team_access.h"

#include "rt/scope.h"
#include "rt/wait.h"
#include "testing/fake_loop.h"
#include "testing/run_async.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

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
  /// Returns the cookie that a token is exchanged for; "" if there is none.
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

TEST_F(TeamAccessTest, WhoIsKnownIsSeenByTheHead) {
  const auto known = [this](net::HttpHeaders headers, const std::string& peer = "10.0.0.9:4711") {
    return access.is_known({.method = "POST", .target = "/", .headers = std::move(headers)}, peer);
  };
  EXPECT_TRUE(known({{"authorization", "Bearer t-alice"}}));
  EXPECT_TRUE(known({{"cookie", cookie("t-bob")}}));
  EXPECT_TRUE(known({{"x-user", "carol"}}, "10.0.0.1:5000"));
  EXPECT_FALSE(known({}));
  EXPECT_FALSE(known({{"authorization", "Bearer t-nobody"}}));
  EXPECT_FALSE(known({{"cookie", "muster-portal=c9"}}));
  EXPECT_FALSE(known({{"x-user", "carol"}}));
}

/// Knows one ticket.
class FakeNegotiator final : public Negotiator {
 public:
  rt::Async<Result<Negotiated>> negotiate(std::string token) override {
    ++asked;
    if (token != "ticket") {
      co_return user_error("Request is a replay", Errc::Unauthenticated);
    }
    co_return Negotiated{.user = name, .answer = "mutual", .valid = std::chrono::hours(1)};
  }
  int asked = 0;
  std::string name = "carol";
};

class TicketTest : public TeamAccessTest {
 protected:
  TicketTest() { access.judge_tickets(negotiator); }
  Admission admit(net::HttpHeaders headers, std::string peer = "10.0.0.9:4711") {
    const net::HttpRequest request{.method = "GET", .target = "/", .headers = std::move(headers)};
    return testing::run_async(loop, access.admit(&request, std::move(peer))).value();
  }
  /// "ticket", as it appears in a header.
  static constexpr const char* kTicket = "Negotiate dGlja2V0";
  FakeNegotiator negotiator;
};

TEST_F(TicketTest, ATicketIsItsUserAndIsAnswered) {
  const Admission known = admit({{"authorization", kTicket}});
  EXPECT_EQ(known.kind, Admission::Kind::Job);
  EXPECT_EQ(known.user, "carol");
  EXPECT_EQ(known.headers, (net::HttpHeaders{{"WWW-Authenticate", "Negotiate bXV0dWFs"}}));
  EXPECT_EQ(admit({{"authorization", "negotiate dGlja2V0"}}).user, "carol");
}

TEST_F(TicketTest, WhoIsNobodyIsAskedForOne) {
  const net::HttpHeaders asked = {{"WWW-Authenticate", "Negotiate"}};
  for (const char* header :
       {"", "Negotiate", "Negotiate !", "Basic YTpi", "Negotiating dGlja2V0"}) {
    const Admission nobody = admit({{"authorization", header}});
    EXPECT_EQ(nobody.kind, Admission::Kind::Front) << header;
    EXPECT_EQ(nobody.headers, asked) << header;
    EXPECT_EQ(nobody.refusal, "") << header;
  }
  EXPECT_EQ(negotiator.asked, 0) << "what is no ticket starts no helper";
  const Admission refused = admit({{"authorization", "Negotiate d3Jvbmc="}});
  EXPECT_EQ(refused.user, "");
  EXPECT_EQ(refused.refusal, "Request is a replay");
}

TEST_F(TicketTest, NamesThatAreNoneAreNobody) {
  for (const char* name : {"", "two words", "a,b", "line\nbreak"}) {
    negotiator.name = name;
    EXPECT_EQ(admit({{"authorization", kTicket}}).user, "") << name;
  }
}

TEST_F(TicketTest, ASessionLastsAsLongAsItsTicket) {
  EXPECT_FALSE(access.keep_session(admit({})).has_value());
  const auto response = access.keep_session(admit({{"authorization", kTicket}}));
  ASSERT_TRUE(response.has_value());
  const std::string header = response->headers.at(0).second;
  EXPECT_NE(header.find("Max-Age=3600; HttpOnly; SameSite=Lax; Secure"), std::string::npos)
      << header;
  const net::HttpHeaders session = {{"cookie", header.substr(0, header.find(';'))}};
  EXPECT_EQ(admit(session).user, "carol");
  EXPECT_EQ(negotiator.asked, 1) << "a session needs no ticket";
  EXPECT_TRUE(access.keep_session(admit(session))->headers.empty()) << "it is not made longer";
  loop.advance(std::chrono::hours(1));
  EXPECT_EQ(admit(session).user, "");
}

TEST_F(TicketTest, AProxysPeopleAreThoseItNames) {
  const Admission through = admit({{"authorization", kTicket}}, "10.0.0.1:5000");
  EXPECT_EQ(through.user, "");
  EXPECT_TRUE(through.headers.empty());
  EXPECT_EQ(negotiator.asked, 0);
}

/// Judges nobody until it is told to.
class SlowNegotiator final : public Negotiator {
 public:
  explicit SlowNegotiator(rt::Loop& loop) : go(loop) {}
  rt::Async<Result<Negotiated>> negotiate(std::string token) override {
    ++asked;
    co_await go.wait();
    co_return Negotiated{.user = std::move(token), .answer = "", .valid = std::chrono::hours(1)};
  }
  rt::Event go;
  size_t asked = 0;
};

rt::Async<> admit_ticket(TeamAccess* access, std::string peer, std::vector<std::string>* users) {
  const net::HttpRequest request{
      .method = "GET", .target = "/", .headers = {{"authorization", "Negotiate dGlja2V0"}}};
  Admission admission = co_await access->admit(&request, std::move(peer));
  users->push_back(std::move(admission.user));
}

// Anybody can send what looks like a ticket, and each one that waits takes one of the server's
// places.
TEST_F(TeamAccessTest, TicketsOfOneAddressLeaveOthersTheirPlaces) {
  SlowNegotiator slow(loop);
  access.judge_tickets(slow);
  std::vector<std::string> users;
  rt::Scope scope(loop);
  constexpr size_t kMany = 100;
  for (size_t port = 1; port <= kMany; ++port) {
    scope.spawn(admit_ticket(&access, "10.0.0.9:" + std::to_string(port), &users));
  }
  loop.run_ready();
  EXPECT_EQ(slow.asked, TeamAccess::kTicketsOfAddressMax);
  EXPECT_EQ(users, std::vector<std::string>(kMany - TeamAccess::kTicketsOfAddressMax));
  for (size_t host = 20; host < 20 + kMany; ++host) {
    scope.spawn(admit_ticket(&access, "10.0.0." + std::to_string(host) + ":1", &users));
  }
  loop.run_ready();
  EXPECT_EQ(slow.asked, TeamAccess::kTicketsMax);
  users.clear();
  slow.go.set();
  loop.run_ready();
  EXPECT_EQ(users, std::vector<std::string>(TeamAccess::kTicketsMax, "ticket"));
  scope.spawn(admit_ticket(&access, "10.0.0.9:200", &users));
  loop.run_ready();
  EXPECT_EQ(users.back(), "ticket") << "there is room again";
}

TEST_F(TeamAccessTest, WhoOpensManySessionsEndsNobodyElses) {
  const std::string alice = cookie("t-alice");
  const std::string first = cookie("t-bob");
  for (size_t count = 0; count < TeamAccess::kSessionsMax; ++count) {
    loop.advance(std::chrono::milliseconds(1));
    ASSERT_NE(cookie("t-bob"), "");
  }
  EXPECT_EQ(user({{"cookie", alice}}), "alice");
  EXPECT_EQ(user({{"cookie", first}}), "");
  EXPECT_EQ(user({{"cookie", "muster-portal=c" + std::to_string(cookies)}}), "bob");
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

TEST_F(TeamAccessTest, ACookieOfAnotherServerOfTheHostHidesNoSession) {
  const std::string alice = cookie("t-alice");
  EXPECT_EQ(user({{"cookie", "muster-portal=theirs; " + alice}}), "alice");
  EXPECT_EQ(user({{"cookie", "muster-portal=; muster-portal=c9"}, {"cookie", alice}}), "alice");
  EXPECT_EQ(user({{"cookie", "other=1; muster-portal=theirs"}}), "");
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
