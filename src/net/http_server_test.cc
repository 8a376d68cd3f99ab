#include "net/http_server.h"

#include "testing/fake_loop.h"
#include "testing/memory_stream.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <list>
#include <string>
#include <vector>

namespace muster::net {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kGet = "GET /a HTTP/1.1\r\n\r\n";

// One client's end of a connection: what it has read so far, and whether the server closed it.
struct Client {
  std::unique_ptr<Stream> stream;
  std::string got;
  bool closed = false;
  rt::Running reading;
  rt::Running writing;
};

// A body of three pieces.
class Countdown final : public HttpBody {
 public:
  rt::Async<Result<std::string>> next() override {
    co_return left_ == 0 ? std::string() : fmt::format("piece {} ", left_--);
  }

 private:
  int left_ = 3;
};

rt::Async<> echo(Stream* client, std::string early) {
  const std::span bytes(reinterpret_cast<const uint8_t*>(early.data()), early.size());
  (void)co_await client->write(bytes);
  client->close_write();
}

rt::Async<> stay(Stream* client, std::string) {
  std::array<uint8_t, 64> buffer{};
  (void)co_await client->read_some(buffer);
}

class HttpServerTest : public ::testing::Test {
 protected:
  Client& connect(testing::MemoryStreamOptions options = {}) {
    auto [mine, its] = testing::memory_streams(loop, "client:1", "server:2", options);
    Client& client = clients.emplace_back();
    client.stream = std::move(mine);
    client.reading = rt::start(loop, read(&client), [] {});
    server.serve(std::move(its));
    loop.run_ready();
    return client;
  }
  void say(Client& client, std::string text) {
    client.writing = rt::start(loop, write(&client, std::move(text)), [] {});
    loop.run_ready();
  }
  static rt::Async<> read(Client* client) {
    std::array<uint8_t, 4096> buffer{};
    while (!client->closed) {
      const auto size = co_await client->stream->read_some(buffer);
      client->closed = size.value_or(0) == 0;
      client->got.append(reinterpret_cast<const char*>(buffer.data()), size.value_or(0));
    }
  }
  static rt::Async<> write(Client* client, std::string text) {
    const std::span bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
    (void)co_await client->stream->write(bytes);
  }
  rt::Async<HttpResponse> handle(HttpRequest request, std::string peer) {
    if (request.target == "/held") {
      co_await released.wait();
    }
    handled.push_back(request.target);
    if (request.target == "/pieces") {
      co_return HttpResponse{.headers = {}, .body = {}, .pieces = std::make_unique<Countdown>()};
    }
    if (request.upgrade == "echo") {
      co_return HttpResponse{
          .status = 101, .headers = {{"Upgrade", "echo"}}, .body = {}, .upgraded = echo};
    }
    if (request.upgrade == "stay") {
      co_return HttpResponse{
          .status = 101, .headers = {{"Upgrade", "stay"}}, .body = {}, .upgraded = stay};
    }
    co_return HttpResponse{.headers = {}, .body = peer + " " + request.target + request.body};
  }

  testing::FakeLoop loop;
  rt::Event released{loop};
  HttpServer server{loop,
                    [this](HttpRequest request, std::string peer) {
                      return handle(std::move(request), std::move(peer));
                    },
                    {.connections_max = 3, .upgraded_max = 2, .requests_max = 100}};
  std::vector<std::string> handled;
  std::list<Client> clients;
};

TEST_F(HttpServerTest, AnswersOneRequestAfterTheOther) {
  Client& client = connect({.read_max = 1});
  say(client, "GET /a HTTP/1.1\r\n\r\nPOST /b HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi");
  EXPECT_NE(client.got.find("\r\n\r\nclient:1 /a"), std::string::npos) << client.got;
  EXPECT_TRUE(client.got.ends_with("\r\n\r\nclient:1 /bhi"));
  EXPECT_FALSE(client.closed);
  say(client, "GET /c HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(client.got.ends_with("client:1 /c"));
  EXPECT_TRUE(client.closed);
  EXPECT_EQ(server.connections(), 0U);
}

TEST_F(HttpServerTest, ManyRequestsOnOneConnectionLetTheOthersHaveTheirTurn) {
  Client& greedy = connect();
  Client& other = connect();
  std::string requests;
  for (int count = 0; count < 90; ++count) {
    requests += kGet;
  }
  greedy.writing = rt::start(loop, write(&greedy, requests), [] {});
  say(other, "GET /b HTTP/1.1\r\n\r\n");
  ASSERT_EQ(handled.size(), 91U);
  EXPECT_LT(std::ranges::find(handled, "/b") - handled.begin(), 5);
}

TEST_F(HttpServerTest, AConnectionIsClosedAfterManyRequests) {
  Client& greedy = connect();
  std::string requests;
  for (int count = 0; count < 150; ++count) {
    requests += kGet;
  }
  say(greedy, requests);
  EXPECT_EQ(handled.size(), 100U);
  EXPECT_TRUE(greedy.closed);
}

TEST_F(HttpServerTest, ABodyIsSentInPieces) {
  Client& modern = connect();
  say(modern, "GET /pieces HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(
      modern.got.ends_with("\r\n\r\n8\r\npiece 3 \r\n8\r\npiece 2 \r\n8\r\npiece 1 \r\n0\r\n\r\n"))
      << modern.got;
  EXPECT_FALSE(modern.closed);
  Client& old = connect();
  say(old, "GET /pieces HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_TRUE(old.got.ends_with("\r\n\r\npiece 3 piece 2 piece 1 ")) << old.got;
  EXPECT_TRUE(old.closed);
}

TEST_F(HttpServerTest, AConnectionMayLeaveHttp) {
  Client& client = connect();
  say(client, "GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nhello");
  EXPECT_TRUE(client.got.starts_with("HTTP/1.1 101 Switching Protocols\r\n")) << client.got;
  EXPECT_NE(client.got.find("Upgrade: echo\r\n"), std::string::npos);
  EXPECT_TRUE(client.got.ends_with("\r\n\r\nhello"));
  EXPECT_EQ(server.answering(), 0U);
}

TEST_F(HttpServerTest, WhoHasLeftHttpMakesRoomForNoRequest) {
  const std::string leave = "GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: stay\r\n\r\n";
  Client& left = connect();
  say(left, leave);
  loop.advance(1s);
  for (int count = 0; count < 5; ++count) {
    say(connect(), "GET / HTTP/1.1\r\nX: ");
    loop.advance(1s);
  }
  EXPECT_FALSE(left.closed);
  say(connect(), leave);
  EXPECT_FALSE(left.closed);
  say(connect(), leave);  // One more than allowed: the oldest goes.
  EXPECT_TRUE(left.closed);
  Client& reader = connect();
  say(reader, std::string(kGet));
  EXPECT_TRUE(reader.got.ends_with("client:1 /a")) << reader.got;
}

TEST_F(HttpServerTest, SendsNoBodyToHead) {
  Client& client = connect();
  say(client, "HEAD /abc HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(client.got.ends_with("\r\n\r\n")) << client.got;
  EXPECT_NE(client.got.find("Content-Length: 13\r\n"), std::string::npos);
}

TEST_F(HttpServerTest, WhatIsNoRequestIsRefusedAndClosed) {
  const std::string too_long(kHttpHeadMax + 1, 'a');
  for (const std::string& text :
       {std::string("\xff\xfe\r\n\r\n"), "GET /" + too_long + " HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nX: " + too_long, std::string("GET / HTTP/9\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nContent-Length: 65537\r\n\r\n")}) {
    Client& client = connect();
    say(client, text);
    EXPECT_TRUE(client.got.starts_with("HTTP/1.1 400 ")) << client.got;
    EXPECT_TRUE(client.closed);
  }
}

TEST_F(HttpServerTest, ATruncatedRequestIsForgotten) {
  Client& client = connect();
  say(client, "GET / HTTP/1.1\r\nHost:");
  client.stream->close_write();
  loop.run_ready();
  EXPECT_EQ(client.got, "");
  EXPECT_TRUE(client.closed);
  EXPECT_EQ(server.connections(), 0U);
}

TEST_F(HttpServerTest, TheSlowAreClosed) {
  Client& silent = connect();
  Client& slow = connect();
  for (int count = 0; count < 9; ++count) {
    say(slow, "G");
    loop.advance(1s);
  }
  EXPECT_FALSE(silent.closed);
  EXPECT_FALSE(slow.closed);
  loop.advance(2s);
  EXPECT_TRUE(silent.closed);
  EXPECT_TRUE(slow.closed);
  Client& idle = connect();
  say(idle, std::string(kGet));
  loop.advance(59s);
  EXPECT_FALSE(idle.closed);
  loop.advance(2s);
  EXPECT_TRUE(idle.closed);
}

TEST_F(HttpServerTest, OneThatDoesNotReadIsClosed) {
  Client& client = connect({.buffer_max = 1});
  client.reading.cancel();
  say(client, std::string(kGet));
  EXPECT_EQ(server.answering(), 1U);
  loop.advance(61s);
  EXPECT_EQ(server.connections(), 0U);
}

TEST_F(HttpServerTest, WhoWaitsLongestMakesRoom) {
  Client& first = connect();
  loop.advance(1s);
  Client& second = connect();
  loop.advance(1s);
  Client& third = connect();
  say(first, std::string(kGet));  // It has asked since, so the second one has waited longest now.
  connect();
  EXPECT_TRUE(second.closed);
  EXPECT_FALSE(first.closed || third.closed);
}

TEST_F(HttpServerTest, AnswersUnderWayKeepTheirPlaces) {
  for (int count = 0; count < 3; ++count) {
    say(connect(), "GET /held HTTP/1.1\r\n\r\n");
  }
  EXPECT_EQ(server.answering(), 3U);
  EXPECT_TRUE(connect().closed);
  bool idle = false;
  server.on_idle([&] { idle = true; });
  released.set();
  loop.run_ready();
  EXPECT_TRUE(idle);
  EXPECT_TRUE(clients.front().got.ends_with("/held"));
  EXPECT_FALSE(clients.front().closed);
}

TEST_F(HttpServerTest, WhoDoesNotReadMakesRoomForThoseWhoDo) {
  int idle = 0;
  server.on_idle([&] { ++idle; });
  std::vector<std::unique_ptr<Stream>> unread;
  for (int count = 0; count < 3; ++count) {
    auto [mine, its] = testing::memory_streams(loop, "client:1", "server:2", {.buffer_max = 1});
    Client talks;
    talks.stream = std::move(mine);
    talks.writing = rt::start(loop, write(&talks, std::string(kGet)), [] {});
    server.serve(std::move(its));
    loop.run_ready();
    unread.push_back(std::move(talks.stream));
  }
  ASSERT_EQ(server.answering(), 3U);
  EXPECT_TRUE(connect().closed);
  loop.advance(2s);
  Client& reader = connect();
  say(reader, std::string(kGet));
  EXPECT_TRUE(reader.got.ends_with("client:1 /a")) << reader.got;
  EXPECT_EQ(server.answering(), 2U);
  unread.clear();
  loop.run_ready();
  EXPECT_EQ(server.answering(), 0U);
  EXPECT_EQ(idle, 1);
}

// Like clients that wait for news of a job, for 20 s each.
TEST_F(HttpServerTest, WhoWaitsForLongMakesRoomForWhoComes) {
  for (int count = 0; count < 3; ++count) {
    say(connect(), "GET /held HTTP/1.1\r\n\r\n");
    loop.advance(100ms);
  }
  EXPECT_TRUE(connect().closed) << "none has waited for long";
  loop.advance(2s);
  Client& late = connect();
  EXPECT_TRUE(clients.front().closed);
  say(late, std::string(kGet));
  EXPECT_TRUE(late.got.ends_with("client:1 /a")) << late.got;
  EXPECT_EQ(server.answering(), 2U);
  released.set();
  loop.run_ready();
  EXPECT_EQ(server.answering(), 0U);
}

TEST_F(HttpServerTest, AHandlerThatNeverEndsIsGivenUp) {
  Client& client = connect();
  say(client, "GET /held HTTP/1.1\r\n\r\n");
  loop.advance(5min);
  EXPECT_EQ(client.got, "");
  loop.advance(61s);
  EXPECT_TRUE(client.got.starts_with("HTTP/1.1 503 ")) << client.got;
}

}  // namespace
}  // namespace muster::net
