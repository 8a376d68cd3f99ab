#include "net/socket.h"

#include "net/resolver.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <sys/socket.h>

namespace muster::net {
namespace {

using namespace std::chrono_literals;

TEST(Socket, ListensAndConnects) {
  rt::IoLoop loop;
  const auto listening = listen_on({.host = "127.0.0.1"});
  ASSERT_TRUE(listening.has_value());
  bool connected = false;
  const auto address = parse_literal("127.0.0.1", listening->port);
  const auto connecting = connect_to(loop, *address, [&](Result<rt::Fd> socket) {
    connected = socket.has_value();
    loop.stop();
  });
  EXPECT_FALSE(connected);
  loop.run_until(loop.now() + 10s);
  EXPECT_TRUE(connected);
}

TEST(Socket, TellsARefusal) {
  rt::IoLoop loop;
  uint16_t port = 0;
  {
    const auto listening = listen_on({.host = "127.0.0.1"});
    ASSERT_TRUE(listening.has_value());
    port = listening->port;
  }
  std::optional<Error> error;
  const auto connecting = connect_to(loop, *parse_literal("127.0.0.1", port), [&](auto socket) {
    error = socket.error();
    loop.stop();
  });
  loop.run_until(loop.now() + 10s);
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, Errc::Unavailable);
}

TEST(Socket, TakesTheFirstFreePortOfARange) {
  const auto first = listen_on({.host = "127.0.0.1"});
  ASSERT_TRUE(first.has_value());
  const uint16_t taken = first->port;
  EXPECT_EQ(listen_on({.host = "127.0.0.1", .port_low = taken, .port_high = taken}).error().code,
            Errc::AlreadyExists);
  const auto high = static_cast<uint16_t>(std::min(65535, taken + 50));
  const auto second = listen_on({.host = "127.0.0.1", .port_low = taken, .port_high = high});
  ASSERT_TRUE(second.has_value());
  EXPECT_GT(second->port, taken);
  EXPECT_FALSE(listen_on({.host = "localhost"}).has_value());
}

TEST(Resolver, KnowsLiteralsAndTheHostsFile) {
  rt::IoLoop loop;
  Resolver resolver(loop);
  int answers = 0;
  for (const char* host : {"127.0.0.1", "localhost"}) {
    resolver.resolve(host, 80, [&](const Result<std::vector<SocketAddress>>& found) {
      ASSERT_TRUE(found.has_value()) << found.error().message;
      EXPECT_EQ(found->front().port(), 80);
      if (++answers == 2) {
        loop.stop();
      }
    });
  }
  EXPECT_EQ(answers, 0);
  loop.run_until(loop.now() + 10s);
  EXPECT_EQ(answers, 2);
}

TEST(Resolver, ForgetsOpenQuestions) {
  rt::IoLoop loop;
  Resolver(loop).resolve("name.invalid", 80, [](const auto&) { FAIL(); });
  loop.run_until(loop.now() + 1ms);
}

}  // namespace
}  // namespace muster::net
