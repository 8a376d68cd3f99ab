#include "testing/memory_stream.h"

#include "net/socket.h"
#include "net/tcp_dialer.h"
#include "testing/run_async.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <sys/socket.h>
#include <vector>

namespace muster::testing {
namespace {

using namespace std::chrono_literals;

std::span<const uint8_t> bytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

rt::Async<Result<std::string>> read_all(net::Stream& stream) {
  std::string all;
  std::array<uint8_t, 64> buffer{};
  while (true) {
    MUSTER_CO_TRY(const size_t size, co_await stream.read_some(buffer));
    if (size == 0) {
      co_return all;
    }
    all.append(reinterpret_cast<const char*>(buffer.data()), size);
  }
}

/// Writes `count` numbers, then ends the direction.
rt::Async<Status> write_numbers(net::Stream& stream, int count) {
  for (int i = 0; i < count; ++i) {
    const std::string first = std::to_string(i);
    const std::array<std::span<const uint8_t>, 3> parts = {bytes(first), bytes(""), bytes(";")};
    MUSTER_CO_TRY_STATUS(co_await stream.write_parts(parts));
  }
  stream.close_write();
  co_return Status();
}

std::string numbers(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += std::to_string(i) + ";";
  }
  return text;
}

TEST(MemoryStream, CarriesBytesInPiecesThroughASmallBuffer) {
  FakeLoop loop;
  auto [near, far] = memory_streams(loop, "a:1", "b:2", {.read_max = 3, .buffer_max = 5});
  EXPECT_EQ(near->peer(), "b:2");
  const auto running = rt::start(loop, write_numbers(*near, 100), [](const Status&) {});
  EXPECT_EQ(run_async(loop, read_all(*far))->value(), numbers(100));
}

TEST(MemoryStream, EndsWithItsOtherEnd) {
  FakeLoop loop;
  auto [near, far] = memory_streams(loop, "a:1", "b:2");
  EXPECT_TRUE(run_async(loop, near->write(bytes("last")))->has_value());
  near.reset();
  EXPECT_EQ(run_async(loop, read_all(*far))->value(), "last");
  EXPECT_EQ(run_async(loop, far->write(bytes("x")))->error().code, Errc::Unavailable);
}

TEST(MemoryNet, DialsRefusesDropsAndCuts) {
  FakeLoop loop;
  MemoryNet net(loop);
  const net::HostPort server{.host = "nn1", .port = 8020};
  EXPECT_EQ(run_async(loop, net.dial(server))->error().code, Errc::Unavailable);
  std::vector<std::unique_ptr<net::Stream>> accepted;
  net.listen(server, [&](auto stream) { accepted.push_back(std::move(stream)); });
  auto stream = run_async(loop, net.dial(server));
  loop.run_ready();
  ASSERT_EQ(accepted.size(), 1U);
  net.cut(server);
  EXPECT_EQ(run_async(loop, read_all(***stream))->value(), "");
  EXPECT_FALSE(run_async(loop, accepted[0]->write(bytes("x")))->has_value());
  net.drop(server);
  const auto late =
      run_async(loop, rt::with_deadline(loop, loop.now() + 5s, "nn1", net.dial(server)));
  EXPECT_EQ(late->error().code, Errc::DeadlineExceeded);
  EXPECT_EQ(net.dials(server), 3);
}

/// The same over real sockets.
TEST(TcpDialer, CarriesBytesBothWays) {
  rt::IoLoop loop;
  const auto listening = net::listen_on({.host = "127.0.0.1"});
  ASSERT_TRUE(listening.has_value());
  net::TcpDialer dialer(loop);
  auto dialled = run_async(loop, dialer.dial({.host = "localhost", .port = listening->port}));
  ASSERT_TRUE(dialled->has_value()) << dialled->error().message;
  net::Stream& client = ***dialled;
  EXPECT_EQ(client.peer(), "127.0.0.1:" + std::to_string(listening->port));
  const auto server = net::tcp_stream(
      loop, rt::Fd(::accept4(listening->fd.get(), nullptr, nullptr, SOCK_NONBLOCK)));
  constexpr int kMany = 200'000;  // More than socket buffers hold, so that the writer waits.
  const auto running = rt::start(loop, write_numbers(client, kMany), [](const Status&) {});
  EXPECT_EQ(run_async(loop, read_all(*server))->value(), numbers(kMany));
  std::array<uint8_t, 4> buffer{};
  EXPECT_TRUE(run_async(loop, server->write(bytes("back")))->has_value());
  EXPECT_TRUE(run_async(loop, client.read_exactly(buffer))->has_value());
  server->close_write();
  EXPECT_EQ(run_async(loop, client.read_exactly(buffer))->error().code, Errc::Corrupt);
}

TEST(TcpDialer, NamesWhatItCannotReach) {
  rt::IoLoop loop;
  net::TcpDialer dialer(loop);
  uint16_t port = 0;
  {
    const auto listening = net::listen_on({.host = "127.0.0.1"});
    ASSERT_TRUE(listening.has_value());
    port = listening->port;
  }
  const auto refused = run_async(loop, dialer.dial({.host = "127.0.0.1", .port = port}));
  EXPECT_EQ(refused->error().message, "cannot reach 127.0.0.1:" + std::to_string(port) +
                                          ": no connection: Connection refused");
}

}  // namespace
}  // namespace muster::testing
