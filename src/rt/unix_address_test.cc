#include "rt/unix_address.h"

#include "rt/fd.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <unistd.h>

namespace muster::rt {
namespace {

/// Returns 0, or why a new socket cannot have that address.
int bind_to(const UnixAddress& address, const Fd& socket) {
  return ::bind(socket.get(), address.get(), address.size()) == 0 ? 0 : errno;
}

Fd new_socket() { return Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)); }

TEST(UnixAddress, OfAFileMakesIt) {
  std::string folder = "/tmp/muster-address-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/socket";
  const Fd socket = new_socket();
  EXPECT_EQ(bind_to(UnixAddress::of_file(path).value(), socket), 0);
  EXPECT_TRUE(std::filesystem::is_socket(path));
  std::filesystem::remove_all(folder);
}

TEST(UnixAddress, OfAFileWithALongPathIsNone) {
  EXPECT_TRUE(UnixAddress::of_file(std::string(UnixAddress::kBytesMax, 'x')));
  EXPECT_FALSE(UnixAddress::of_file(std::string(UnixAddress::kBytesMax + 1, 'x')));
}

TEST(UnixAddress, OfANameIsTakenByOne) {
  const std::string name = "muster-address-test/" + std::to_string(::getpid());
  const Fd first = new_socket();
  const Fd second = new_socket();
  const Fd other = new_socket();
  EXPECT_EQ(bind_to(UnixAddress::of_name(name), first), 0);
  EXPECT_EQ(bind_to(UnixAddress::of_name(name), second), EADDRINUSE);
  EXPECT_EQ(bind_to(UnixAddress::of_name(name + "x"), other), 0);
}

TEST(UnixAddress, OfALongNameIsCutOff) {
  const std::string name(2 * UnixAddress::kBytesMax, 'x');
  EXPECT_EQ(UnixAddress::of_name(name).size(), sizeof(sockaddr_un));
}

}  // namespace
}  // namespace muster::rt
