#include "net/http_client.h"

#include "testing/fake_loop.h"
#include "testing/memory_stream.h"
#include "testing/run_async.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace muster::net {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kWhole =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
constexpr std::string_view kChunked =
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    "3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n";

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
  Result<HttpClientResponse> get(HttpClientRequest question) {
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

// A server that sends without end never lets a reader wait, but the deadline still comes.
TEST_F(HttpGetTest, ManyChunksAreReadInTurnsOfTheLoop) {
  std::string reply = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int count = 0; count < 100000; ++count) {
    reply += "a\r\n0123456789\r\n";
  }
  serve(reply + "0\r\n\r\n");
  size_t turns = 0;
  auto work = http_get(&loop, &network, {.server = kServer, .headers = {}}, loop.now() + 10s);
  std::optional<Result<HttpClientResponse>> got;
  const auto getting = rt::start(loop, std::move(work), [&](auto result) { got = result; });
  std::function<void()> count = [&] {
    ++turns;
    if (!got.has_value()) {
      loop.post([&count] { count(); });
    }
  };
  count();
  loop.run_ready();
  ASSERT_TRUE(got.has_value() && got->has_value());
  EXPECT_EQ((*got)->body.size(), 1000000U);
  EXPECT_GT(turns, 20U);
}

TEST_F(HttpGetTest, ABodyMayComeInPieces) {
  network.set_options({.read_max = 10});
  serve(std::string(kChunked));
  auto open = http_open(&loop, &network, {.server = kServer, .headers = {}}, 10s);
  const auto download = testing::run_async(loop, std::move(open)).value().value();
  std::string body;
  int pieces = 0;
  for (std::string piece = "-"; !piece.empty(); ++pieces) {
    piece = testing::run_async(loop, download->next()).value().value();
    body += piece;
  }
  EXPECT_EQ(body, "abc0123456789");
  EXPECT_GT(pieces, 2);
}

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
