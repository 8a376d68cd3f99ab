#include "os/host/peer_user.h"

#include "rt/fd.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace muster::os {
namespace {

class PeerUser : public ::testing::Test {
 protected:
  PeerUser() {
    at_.sin_family = AF_INET;
    at_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(at_);
    EXPECT_EQ(::bind(listener_.get(), as_address(at_), size), 0);
    EXPECT_EQ(::listen(listener_.get(), 8), 0);
    EXPECT_EQ(::getsockname(listener_.get(), as_address(at_), &size), 0);
  }
  template <class Address>
  static sockaddr* as_address(Address& address) {
    return reinterpret_cast<sockaddr*>(&address);
  }
  rt::Fd accept() { return rt::Fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)); }

  rt::Fd listener_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_in at_{};
};

TEST_F(PeerUser, IsWhoHasConnected) {
  const rt::Fd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::connect(client.get(), as_address(at_), sizeof(at_)), 0);
  const rt::Fd accepted = accept();
  EXPECT_EQ(peer_user(accepted.get()).value_or(UINT32_MAX), ::geteuid());
  ASSERT_EQ(::shutdown(client.get(), SHUT_WR), 0);
  EXPECT_EQ(peer_user(accepted.get()).value_or(UINT32_MAX), ::geteuid()) << "it still listens";
}

TEST_F(PeerUser, MayUseASocketOfTheOtherKind) {
  const rt::Fd client(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!client.valid()) {
    GTEST_SKIP() << "this host has no IPv6";
  }
  sockaddr_in6 mapped{};
  mapped.sin6_family = AF_INET6;
  mapped.sin6_port = at_.sin_port;
  ASSERT_EQ(::inet_pton(AF_INET6, "::ffff:127.0.0.1", &mapped.sin6_addr), 1);
  ASSERT_EQ(::connect(client.get(), as_address(mapped), sizeof(mapped)), 0);
  const rt::Fd accepted = accept();
  EXPECT_EQ(peer_user(accepted.get()).value_or(UINT32_MAX), ::geteuid());
}

TEST_F(PeerUser, IsNobodyWhereThatEndIsClosed) {
  rt::Fd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::connect(client.get(), as_address(at_), sizeof(at_)), 0);
  const rt::Fd accepted = accept();
  ASSERT_EQ(::write(client.get(), "x", 1), 1);
  client.reset();
  const auto user = peer_user(accepted.get());
  ASSERT_FALSE(user.has_value()) << "root's, as it seems in the kernel's table";
  EXPECT_EQ(user.error().code, Errc::NotFound);
}

}  // namespace
}  // namespace muster::os
