#include "client/reach/loopback_listener.h"

#include "net/address.h"
#include "net/socket.h"
#include "rt/fd.h"
#include "rt/io_loop.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace muster::client {
namespace {

using std::chrono::milliseconds;

std::chrono::microseconds processor_time() {
  rusage usage{};
  EXPECT_EQ(::getrusage(RUSAGE_SELF, &usage), 0);
  return std::chrono::seconds(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         std::chrono::microseconds(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

TEST(LoopbackListener, RestsWhileNoDescriptorIsLeft) {
#if __has_feature(undefined_behavior_sanitizer)
  GTEST_SKIP() << "the sanitizer looks at objects through a pipe, for which it needs descriptors";
#endif
  rlimit files{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &files), 0);
  rt::IoLoop loop;
  auto listener = LoopbackListener::open(loop, 0);
  ASSERT_TRUE(listener.has_value());
  std::unique_ptr<net::Stream> accepted;
  (*listener)->accept([&](std::unique_ptr<net::Stream> connection) {
    accepted = std::move(connection);
    loop.stop();
  });
  const auto address = net::parse_literal("127.0.0.1", (*listener)->port());
  ASSERT_TRUE(address.has_value());
  const rt::Fd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::connect(client.get(), address->get(), address->size), 0);
  const rt::Fd next(::dup(client.get()));
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
}  // namespace muster::client
