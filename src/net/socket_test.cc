#include "net/socket.h"

#include "net/resolver.h"
#include "rt/lingering_ports.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <sys/socket.h>
#include <utility>

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

/// A port of the loopback address, bound as os::HeldPort binds it: shared, nobody listening.
rt::Fd hold(uint16_t port) {
  rt::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  const auto address = parse_literal("127.0.0.1", port);
  if (::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
      ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) != 0 ||
      ::bind(fd.get(), address->get(), address->size) != 0) {
    fd.reset();
  }
  return fd;
}

Result<Listening> listen_on_port(int port) {
  const auto number = static_cast<uint16_t>(port);
  return listen_on({.host = "127.0.0.1", .port_low = number, .port_high = number});
}

/// Two ports next to each other, so that the range of both has no third.
struct Neighbours {
  Listening low;
  Listening high;

  [[nodiscard]] ListenAddress range() const {
    return {.host = "127.0.0.1", .port_low = low.port, .port_high = high.port};
  }
};

Neighbours listen_on_neighbours() {
  while (true) {
    auto low = listen_on({.host = "127.0.0.1"}).value();
    if (auto high = listen_on_port(low.port + 1); high.has_value() && high->port > low.port) {
      return {.low = std::move(low), .high = std::move(*high)};
    }
  }
}

TEST(Socket, LeavesThePortsOfARangeThatAreHeldForTasks) {
  Neighbours two = listen_on_neighbours();
  two.low.fd.reset();
  const rt::Fd held = hold(two.low.port);
  ASSERT_TRUE(held.valid());
  EXPECT_EQ(listen_on(two.range()).error().code, Errc::AlreadyExists);
  // Asked for by its own number, a port may be held for who asks.
  EXPECT_TRUE(listen_on_port(two.low.port).has_value());
}

TEST(Socket, ListensInARangeWhereOldConnectionsLinger) {
  Neighbours two = listen_on_neighbours();
  {
    const auto address = parse_literal("127.0.0.1", two.low.port);
    const rt::Fd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::connect(client.get(), address->get(), address->size), 0);
    // The side that closes first keeps the connection in TIME_WAIT.
    rt::Fd server(::accept(two.low.fd.get(), nullptr, nullptr));
    ASSERT_TRUE(server.valid());
    server.reset();
  }
  two.low.fd.reset();
  ASSERT_TRUE(rt::lingering_ports().contains(two.low.port));
  const auto again = listen_on(two.range());
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->port, two.low.port);
  EXPECT_FALSE(rt::lingering_ports().contains(two.low.port));
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
