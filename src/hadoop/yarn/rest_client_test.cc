#include "hadoop/yarn/rest_client.h"

#include "testing/fake_loop.h"
#include "testing/memory_stream.h"
#include "testing/run_async.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <map>
#include <span>

namespace muster::hadoop::yarn {
namespace {

using namespace std::chrono_literals;

std::string reply(std::string_view status, std::string_view body, std::string_view header = "") {
  return fmt::format("HTTP/1.1 {}\r\nContent-Length: {}\r\n{}\r\n{}", status, body.size(), header,
                     body);
}

class RestClientTest : public ::testing::Test {
 protected:
  void serve(const net::HostPort& at, std::string answer) {
    network.listen(at, [this, at, answer](std::unique_ptr<net::Stream> stream) {
      serving.push_back(rt::start(loop, respond(std::move(stream), at.host, answer), [](bool) {}));
    });
  }
  rt::Async<bool> respond(std::unique_ptr<net::Stream> stream, std::string host,
                          std::string answer) {
    std::array<uint8_t, 4096> buffer{};
    const auto read = co_await stream->read_some(buffer);
    const std::string text(buffer.begin(), buffer.begin() + static_cast<ptrdiff_t>(*read));
    asked[host] = text.substr(0, text.find("\r\n"));
    const std::span bytes(reinterpret_cast<const uint8_t*>(answer.data()), answer.size());
    const auto written = co_await stream->write(bytes);
    co_return written.has_value();
  }
  Result<std::vector<QueueLoad>> queues() {
    return testing::run_async(loop, client.queues(loop.now() + 10s)).value();
  }

  const net::HostPort one{.host = "rm1", .port = 8088};
  const net::HostPort two{.host = "rm2", .port = 8088};
  testing::FakeLoop loop;
  testing::MemoryNet network{loop};
  RestClient client{loop, network, {.servers = {one, two}, .user = "alice"}};
  std::map<std::string, std::string> asked;
  std::vector<rt::Running> serving;
};

constexpr std::string_view kQueues = R"({"scheduler":{"schedulerInfo":{
    "type":"capacityScheduler","queueName":"root"}}})";

TEST_F(RestClientTest, AsksAsItsUser) {
  serve(one, reply("200 OK", kQueues));
  ASSERT_TRUE(queues().has_value());
  EXPECT_EQ(asked["rm1"], "GET /ws/v1/cluster/scheduler?user.name=alice HTTP/1.1");
}

TEST_F(RestClientTest, AsksForASettingAndTakesAnUnknownOneForNone) {
  serve(one, reply("200 OK", R"({"property":{"key":"a.b","value":"c"}})"));
  const auto setting = [&] {
    return testing::run_async(loop, client.setting("a.b", loop.now() + 10s)).value();
  };
  EXPECT_EQ(setting().value(), "c");
  EXPECT_EQ(asked["rm1"], "GET /conf?name=a.b&user.name=alice HTTP/1.1");
  serve(one, reply("404 Not Found", ""));
  EXPECT_EQ(setting().value(), "");
}

TEST_F(RestClientTest, AsksTheOtherOneWhenOneIsGoneOrSilent) {
  serve(two, reply("200 OK", kQueues));
  EXPECT_TRUE(queues().has_value());
  network.drop(one);
  EXPECT_TRUE(queues().has_value());
}

TEST_F(RestClientTest, FollowsAStandbyToTheActiveOne) {
  serve(two, reply("200 OK", kQueues));
  serve(one, reply("307 Temporary Redirect", "", "Location: http://rm2:8088/ws/v1/x\r\n"));
  EXPECT_TRUE(queues().has_value());
  EXPECT_EQ(asked["rm2"], "GET /ws/v1/x HTTP/1.1");
  serve(one, reply("200 OK", "", "Refresh: 3; url=http://rm2:8088/ws/v1/y\r\n"));
  EXPECT_TRUE(queues().has_value());
  EXPECT_EQ(asked["rm2"], "GET /ws/v1/y HTTP/1.1");
}

TEST_F(RestClientTest, TwoThatRedirectInACircleAreLeft) {
  serve(one, reply("307 Temporary Redirect", "", "Location: http://rm2:8088/x\r\n"));
  serve(two, reply("307 Temporary Redirect", "", "Location: http://rm1:8088/x\r\n"));
  const auto refused = queues();
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("in a circle"), std::string::npos);
}

TEST_F(RestClientTest, RefusalsComeInThePagesWords) {
  serve(one, reply("403 Forbidden", R"({"RemoteException":{"message":"not for alice"}})"));
  auto refused = queues();
  EXPECT_EQ(refused.error().code, Errc::PermissionDenied);
  EXPECT_NE(refused.error().message.find("not for alice"), std::string::npos);
  serve(one, reply("401 Unauthorized", "<html>"));
  refused = queues();
  EXPECT_EQ(refused.error().code, Errc::PermissionDenied);
  EXPECT_NE(refused.error().message.find("Kerberos"), std::string::npos);
  serve(one, reply("404 Not Found", ""));
  EXPECT_EQ(queues().error().code, Errc::NotFound);
}

TEST_F(RestClientTest, NobodyThereIsUnavailable) {
  EXPECT_EQ(queues().error().code, Errc::Unavailable);
}

}  // namespace
}  // namespace muster::hadoop::yarn
