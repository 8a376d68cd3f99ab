#include "client/reach/loopback_listener.h"

#include "net/address.h"
#include "net/socket.h"
#include "rt/fd.h"
#include "rt/io_loop.h"
#include "testing/no_descriptor_left.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace muster::client {
namespace {

using std::chrono::milliseconds;

TEST(LoopbackListener, RestsWhileNoDescriptorIsLeft) {
  rt::IoLoop loop;
  auto listener = LoopbackListener::open(loop, 0);
  ASSERT_TRUE(listener.has_value());
  std::unique_ptr<net::Stream> accepted;
  (*listener)->accept(
      [&](std::unique_ptr<net::Stream> connection) {
        accepted = std::move(connection);
        loop.stop();
      },
      nullptr);
  const auto address = net::parse_literal("127.0.0.1", (*listener)->port());
  ASSERT_TRUE(address.has_value());
  const rt::Fd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::connect(client.get(), address->get(), address->size), 0);
  std::chrono::microseconds spent{};
  {
    const testing::NoDescriptorLeft none;
    const auto before = testing::processor_time();
    loop.run_until(loop.now() + milliseconds(400));
    spent = testing::processor_time() - before;
  }
  EXPECT_LT(spent, milliseconds(100)) << "it spins";
  EXPECT_EQ(accepted, nullptr);
  loop.run_until(loop.now() + std::chrono::seconds(30));
  EXPECT_NE(accepted, nullptr) << "who waited is served";
}

}  // namespace
}  // namespace muster::client
