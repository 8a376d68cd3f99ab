#include "net/local_listener.h"

#include "rt/fd.h"
#include "rt/io_loop.h"
#include "testing/no_descriptor_left.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace muster::net {
namespace {

using std::chrono::milliseconds;

rt::Fd dial(const std::string& name) {
  rt::Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data() + 1, name.size() - 1);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  EXPECT_EQ(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
  return fd;
}

TEST(LocalListener, RestsWhileNoDescriptorIsLeft) {
  rt::IoLoop loop;
  std::unique_ptr<Stream> accepted;
  const auto listener = UnixListeners(loop).listen([&](std::unique_ptr<Stream> connection) {
    accepted = std::move(connection);
    loop.stop();
  });
  ASSERT_TRUE(listener.has_value());
  const rt::Fd client = dial((*listener)->address());
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
}  // namespace muster::net
