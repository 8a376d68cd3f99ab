// About sockets of this process, and of a child that has none.
#include "os/process/sockets.h"

#include "os/process/spawn.h"
#include "rt/fd.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <arpa/inet.h>
#include <csignal>
#include <functional>
#include <netinet/in.h>
#include <poll.h>
#include <string>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace muster::os {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

rt::Fd bound(int type) {
  rt::Fd fd(::socket(AF_INET, type | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  return fd;
}

rt::Fd listening() {
  rt::Fd fd = bound(SOCK_STREAM);
  EXPECT_EQ(::listen(fd.get(), 4), 0);
  return fd;
}

TEST(Sockets, ThatTakeWhatComesAreTold) {
  const rt::Fd server = listening();
  const rt::Fd datagrams = bound(SOCK_DGRAM);
  const rt::Fd only_bound = bound(SOCK_STREAM);
  int pair[2] = {-1, -1};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
  const rt::Fd here(pair[0]);
  const rt::Fd there(pair[1]);
  const auto sockets = list_sockets(Pid(::getpid()));
  ASSERT_TRUE(sockets);
  EXPECT_TRUE(sockets->reachable);
  EXPECT_THAT(sockets->taking, Contains(server.get()));
  EXPECT_THAT(sockets->taking, Contains(datagrams.get()));
  EXPECT_THAT(sockets->taking, Not(Contains(only_bound.get())));
  EXPECT_THAT(sockets->taking, Not(Contains(here.get())));
}

TEST(Sockets, TellTheirOtherEnds) {
  const rt::Fd server = listening();
  const rt::Fd client = bound(SOCK_STREAM);
  const rt::Fd asks = bound(SOCK_DGRAM);
  const rt::Fd alone = bound(SOCK_DGRAM);
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  ASSERT_EQ(::getsockname(server.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string there = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  for (const int fd : {client.get(), asks.get()}) {
    ASSERT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&address), size), 0);
  }
  const rt::Fd six(::socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_in6 mapped{};
  mapped.sin6_family = AF_INET6;
  mapped.sin6_port = address.sin_port;
  ASSERT_EQ(::inet_pton(AF_INET6, "::ffff:127.0.0.1", &mapped.sin6_addr), 1);
  const bool has_six =
      ::connect(six.get(), reinterpret_cast<const sockaddr*>(&mapped), sizeof(mapped)) == 0;
  const auto sockets = list_sockets(Pid(::getpid()));
  ASSERT_TRUE(sockets);
  const auto peer_of = [&](const rt::Fd& fd) {
    const auto found = sockets->peers.find(fd.get());
    return found == sockets->peers.end() ? "" : found->second;
  };
  EXPECT_EQ(peer_of(client), there);
  EXPECT_EQ(peer_of(asks), there);
  EXPECT_EQ(peer_of(six), has_six ? there : "");
  EXPECT_EQ(datagram_peer(Pid(::getpid()), asks.get()), there);
  EXPECT_EQ(datagram_peer(Pid(::getpid()), six.get()), has_six ? there : "");
  EXPECT_EQ(datagram_peer(Pid(::getpid()), alone.get()), "");
  EXPECT_EQ(datagram_peer(Pid(::getpid()), client.get()), "") << "a connection";
  EXPECT_EQ(datagram_peer(Pid(::getpid()), 0), "");
  EXPECT_EQ(peer_of(alone), "");
  EXPECT_EQ(peer_of(server), "");
}

TEST(Sockets, TellHowManyBytesAConnectionHasBrought) {
  const Pid self(::getpid());
  const rt::Fd server = listening();
  const rt::Fd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  ASSERT_EQ(::getsockname(server.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  ASSERT_EQ(::connect(client.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
  const rt::Fd accepted(::accept(server.get(), nullptr, nullptr));
  ASSERT_TRUE(accepted.valid());
  // A container may forbid asking.
  if (!copy_descriptor(self, client.get()).valid()) {
    GTEST_SKIP() << "descriptors cannot be copied here";
  }
  ASSERT_EQ(::send(accepted.get(), "hello", 5, 0), 5);
  char byte = 0;
  ASSERT_EQ(::recv(client.get(), &byte, 1, 0), 1);
  const auto over = bytes_over(self, client.get());
  ASSERT_TRUE(over.has_value());
  EXPECT_EQ(over->received, 5U);
  EXPECT_LE(over->sent, 1U) << "the kernel counts the connection's begin";
  EXPECT_FALSE(bytes_over(self, server.get()).has_value());
  EXPECT_FALSE(bytes_over(self, STDIN_FILENO).has_value());
  EXPECT_FALSE(bytes_over(self, -1).has_value());
}

TEST(Sockets, AreNoneOfAProcessThatOnlyReads) {
  SpawnOptions options;
  options.argv = {"/bin/cat"};
  options.stdin_from = ToPipe{};
  options.stdout_to = ToNull{};
  const Spawned child = spawn(options).value();
  const auto sockets = list_sockets(child.pid);
  (void)::kill(child.pid.value, SIGKILL);
  (void)reap(child.pid);
  ASSERT_TRUE(sockets);
  EXPECT_FALSE(sockets->reachable);
  EXPECT_TRUE(sockets->taking.empty());
  EXPECT_FALSE(list_sockets(child.pid)) << "it has ended";
}

/// Returns what a thread in `wait` waits for; `wait` ends when `wake` can be read.
std::vector<int32_t> awaited_in(const std::string& call, const std::function<void()>& wait,
                                int wake) {
  std::thread waiter(wait);
  std::vector<int32_t> found;
  int hidden = 0;  // A thread may wake between the looks at its state and at its call.
  for (bool seen = false; !seen && hidden < 100;) {
    for (const ThreadState& thread : list_threads(Pid(::getpid()), 64)) {
      hidden += thread.state == 'S' && thread.system_call.empty() ? 1 : 0;
      if (thread.state == 'S' && thread.system_call == call) {
        found = awaited_descriptors(Pid(::getpid()), thread);
        seen = true;
      }
    }
    std::this_thread::yield();
  }
  EXPECT_EQ(::write(wake, "x", 1), 1);
  waiter.join();
  return found;
}

class Awaited : public ::testing::Test {
 protected:
  Awaited() : server_(listening()) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe(ends), 0);
    wake_ = rt::Fd(ends[0]);
    waker_ = rt::Fd(ends[1]);
  }
  rt::Fd server_;
  rt::Fd wake_;
  rt::Fd waker_;
};

TEST_F(Awaited, AreThoseOfAPoll) {
  const auto found = awaited_in(
      "poll",
      [this] {
        pollfd polled[] = {{server_.get(), POLLIN, 0}, {-1, POLLIN, 0}, {wake_.get(), POLLIN, 0}};
        (void)::poll(polled, 3, -1);
      },
      waker_.get());
  EXPECT_THAT(found, ElementsAre(server_.get(), wake_.get()));
}

TEST_F(Awaited, AreThoseOfAnEpoll) {
  const rt::Fd epoll(::epoll_create1(EPOLL_CLOEXEC));
  for (const int fd : {server_.get(), wake_.get()}) {
    epoll_event event{.events = EPOLLIN, .data = {.fd = fd}};
    ASSERT_EQ(::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd, &event), 0);
  }
  const auto found = awaited_in(
      "epoll_wait",
      [&] {
        epoll_event event{};
        (void)::epoll_wait(epoll.get(), &event, 1, -1);
      },
      waker_.get());
  EXPECT_THAT(found, ::testing::UnorderedElementsAre(server_.get(), wake_.get()));
}

TEST_F(Awaited, AreThoseOfASelect) {
  const auto found = awaited_in(
      "pselect6",
      [this] {
        fd_set read;
        FD_ZERO(&read);
        FD_SET(server_.get(), &read);
        FD_SET(wake_.get(), &read);
        (void)::pselect(std::max(server_.get(), wake_.get()) + 1, &read, nullptr, nullptr, nullptr,
                        nullptr);
      },
      waker_.get());
  EXPECT_THAT(found, ElementsAre(server_.get(), wake_.get()));
}

}  // namespace
}  // namespace muster::os
