#include "net/local_listener.h"

#include "rt/fd.h"
#include "rt/io_loop.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <sys/resource.h>
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

std::chrono::microseconds processor_time() {
  rusage usage{};
  EXPECT_EQ(::getrusage(RUSAGE_SELF, &usage), 0);
  return std::chrono::seconds(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         std::chrono::microseconds(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

TEST(LocalListener, RestsWhileNoDescriptorIsLeft) {
#if __has_feature(undefined_behavior_sanitizer)
  GTEST_SKIP() << "the sanitizer looks at objects through a pipe, for which it needs descriptors";
#endif
  rlimit files{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &files), 0);
  rt::IoLoop loop;
  std::unique_ptr<Stream> accepted;
  const auto listener = UnixListeners(loop).listen([&](std::unique_ptr<Stream> connection) {
    accepted = std::move(connection);
    loop.stop();
  });
  ASSERT_TRUE(listener.has_value());
  const rt::Fd client = dial((*listener)->address());
  const rt::Fd next(::dup(0));
  rlimit none = files;
  none.rlim_cur = static_cast<rlim_t>(next.get());  // No number below is free.
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto before = processor_time();
  loop.run_until(loop.now() + milliseconds(400));
  const auto spent = processor_time() - before;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &files), 0);
  EXPECT_LT(spent, milliseconds(100)) << "it spins";
  EXPECT_EQ(accepted, nullptr);
  loop.run_until(loop.now() + std::chrono::seconds(30));
  EXPECT_NE(accepted, nullptr) << "who waited is served";
}

}  // namespace
}  // namespace muster::net
