#include "os/host/ports.h"

#include "rt/fd.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <set>
#include <sys/socket.h>

namespace muster::os {
namespace {

/// Listens on a loopback port as a child would; returns whether that worked.
bool can_listen(uint16_t port, int option) {
  const rt::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  if (option != 0) {
    ::setsockopt(fd.get(), SOL_SOCKET, option, &on, sizeof(on));
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
         ::listen(fd.get(), 1) == 0;
}

TEST(Ports, HoldFromOthersButNotFromChildrenThatShare) {
  const auto ports = make_ports();
  auto held = ports->reserve("127.0.0.1");
  ASSERT_TRUE(held.has_value());
  const uint16_t number = (*held)->number();
  EXPECT_FALSE(can_listen(number, 0));
  EXPECT_TRUE(can_listen(number, SO_REUSEADDR));
  EXPECT_TRUE(can_listen(number, SO_REUSEPORT));
  held->reset();
  EXPECT_TRUE(can_listen(number, 0));
}

TEST(Ports, OfARangeAreHeldFromOthersButNotFromChildrenThatShare) {
  const auto ports = make_ports();
  auto first = ports->reserve("127.0.0.1");
  ASSERT_TRUE(first.has_value());
  const uint16_t number = (*first)->number();
  EXPECT_EQ(ports->reserve_between("127.0.0.1", number, number).error().code, Errc::AlreadyExists);
  first->reset();
  const auto held = ports->reserve_between("127.0.0.1", number, number);
  ASSERT_TRUE(held.has_value());
  EXPECT_EQ((*held)->number(), number);
  EXPECT_FALSE(can_listen(number, 0));
  EXPECT_TRUE(can_listen(number, SO_REUSEADDR));
  EXPECT_TRUE(can_listen(number, SO_REUSEPORT));
  const auto second = ports->reserve_between("127.0.0.1", number, number);
  ASSERT_FALSE(second.has_value());
  EXPECT_NE(second.error().message.find("widen network.port_range"), std::string::npos);
}

TEST(Ports, AreAllDifferent) {
  const auto ports = make_ports();
  std::vector<std::unique_ptr<HeldPort>> held;
  std::set<uint16_t> numbers;
  for (int i = 0; i < 200; ++i) {
    auto one = ports->reserve("127.0.0.1");
    ASSERT_TRUE(one.has_value());
    EXPECT_TRUE(numbers.insert((*one)->number()).second);
    held.push_back(std::move(*one));
  }
}

TEST(Ports, GivenOneIsHeldOnce) {
  const auto ports = make_ports();
  auto held = ports->reserve("127.0.0.1");
  ASSERT_TRUE(held.has_value());
  const uint16_t number = (*held)->number();
  EXPECT_EQ(ports->reserve_given("127.0.0.1", number).error().code, Errc::AlreadyExists);
  held->reset();
  const auto again = ports->reserve_given("127.0.0.1", number);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ((*again)->number(), number);
}

TEST(Ports, GivenOnesMayLinger) {
  const auto ports = make_ports();
  uint16_t number = 0;
  {
    // The side that closes first leaves a connection in TIME_WAIT on its port.
    const rt::Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    const int on = 1;
    ASSERT_EQ(::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)), 0);
    ASSERT_EQ(::bind(listener.get(), generic, size), 0);
    ASSERT_EQ(::listen(listener.get(), 1), 0);
    ASSERT_EQ(::getsockname(listener.get(), generic, &size), 0);
    number = ntohs(address.sin_port);
    const rt::Fd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::connect(client.get(), generic, size), 0);
    rt::Fd server(::accept(listener.get(), nullptr, nullptr));
    server.reset();
  }
  EXPECT_TRUE(ports->reserve_given("127.0.0.1", number).has_value());
  const auto held = ports->reserve_between("127.0.0.1", number, number);
  ASSERT_TRUE(held.has_value());
  EXPECT_FALSE(can_listen(number, 0));
  EXPECT_TRUE(can_listen(number, SO_REUSEADDR));
}

TEST(Ports, TakeLiteralsOnly) {
  const auto ports = make_ports();
  EXPECT_FALSE(ports->reserve("localhost").has_value());
  EXPECT_FALSE(ports->reserve_given("", 1).has_value());
}

}  // namespace
}  // namespace muster::os
