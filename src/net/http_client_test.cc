#include "net/http_client.h"

#include "testing/fake_loop.h"
#include "testing/memory_stream.h"
#include "testing/run_async.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <string>

namespace muster::net {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kWhole =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
constexpr std::string_view kChunked =
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    "3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n";

TEST(HttpReply, IsReadWhateverItsPieces) {
  for (const auto reply : {kWhole, kChunked}) {
    for (size_t size = 0; size + 2 < reply.size(); ++size) {
      const auto part = parse_http_reply(reply.substr(0, size), false);
      ASSERT_TRUE(part.has_value()) << size;
      EXPECT_FALSE(part->has_value()) << size;
    }
  }
  const auto whole = parse_http_reply(kWhole, false);
  ASSERT_TRUE(whole.has_value() && whole->has_value());
  EXPECT_EQ((*whole)->status, 200);
  EXPECT_EQ((*whole)->header("content-type"), "application/json");
  EXPECT_EQ((*whole)->body, "{}");
  EXPECT_EQ(parse_http_reply(kChunked, false).value().value().body, "abc0123456789");
}

TEST(HttpReply, WithoutLengthEndsWithItsConnection) {
  constexpr std::string_view kReply = "HTTP/1.0 404 Not Found\r\n\r\nno such page";
  EXPECT_FALSE(parse_http_reply(kReply, false).value().has_value());
  const auto reply = parse_http_reply(kReply, true).value().value();
  EXPECT_EQ(reply.status, 404);
  EXPECT_EQ(reply.body, "no such page");
}

TEST(HttpReply, WhatIsNoneIsSaidToBeNone) {
  for (const std::string_view bytes :
       {"SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 two OK\r\n\r\n", "HTTP/1.1 200 OK\r\nbad\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"}) {
    const auto reply = parse_http_reply(bytes, true);
    ASSERT_FALSE(reply.has_value()) << bytes;
    EXPECT_EQ(reply.error().code, Errc::Corrupt);
  }
}

class HttpGetTest : public ::testing::Test {
 protected:
  // Answers every connection with `reply`, then closes it.
  void serve(std::string reply) {
    network.listen(kServer, [this, reply = std::move(reply)](std::unique_ptr<Stream> stream) {
      serving.push_back(rt::start(loop, answer(std::move(stream), reply), [](bool) {}));
    });
  }
  rt::Async<bool> answer(std::unique_ptr<Stream> stream, std::string reply) {
    std::array<uint8_t, 4096> buffer{};
    const auto read = co_await stream->read_some(buffer);
    asked.assign(buffer.begin(), buffer.begin() + static_cast<ptrdiff_t>(read.value_or(0)));
    const std::span bytes(reinterpret_cast<const uint8_t*>(reply.data()), reply.size());
    const auto written = co_await stream->write(bytes);
    co_return written.has_value();
  }
  Result<HttpReply> get(HttpQuestion question) {
    question.server = kServer;
    auto work = http_get(&loop, &network, std::move(question), loop.now() + 10s);
    return testing::run_async(loop, std::move(work)).value();
  }

  const HostPort kServer{.host = "rm", .port = 8088};
  testing::FakeLoop loop;
  testing::MemoryNet network{loop};
  std::string asked;
  std::vector<rt::Running> serving;
};

TEST_F(HttpGetTest, AsksAndReadsTheAnswer) {
  network.set_options({.read_max = 1});
  serve(std::string(kChunked));
  const auto reply = get({.target = "/ws?x=1", .headers = {{"Accept", "application/json"}}});
  ASSERT_TRUE(reply.has_value()) << reply.error().message;
  EXPECT_EQ(reply->body, "abc0123456789");
}

TEST_F(HttpGetTest, SaysWhatItWantsAndOfWhom) {
  serve(std::string(kWhole));
  ASSERT_TRUE(get({.target = "/ws?x=1", .headers = {{"Accept", "text/plain"}}}).has_value());
  EXPECT_EQ(asked,
            "GET /ws?x=1 HTTP/1.1\r\nHost: rm:8088\r\nConnection: close\r\n"
            "Accept: text/plain\r\n\r\n");
}

TEST_F(HttpGetTest, TellsRefusalSilenceAndABrokenAnswer) {
  EXPECT_EQ(get({}).error().code, Errc::Unavailable);
  serve("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc");
  const auto cut = get({});
  EXPECT_EQ(cut.error().code, Errc::Corrupt) << cut.error().message;
  network.drop(kServer);
  const auto silent = get({});
  EXPECT_EQ(silent.error().code, Errc::DeadlineExceeded);
  EXPECT_NE(silent.error().message.find("http://rm:8088/"), std::string::npos);
}

}  // namespace
}  // namespace muster::net
