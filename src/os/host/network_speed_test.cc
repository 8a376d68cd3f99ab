#include "os/host/network_speed.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace muster::os {
namespace {

/// A folder like /sys/class/net.
class NetworkSpeed : public ::testing::Test {
 protected:
  NetworkSpeed() { std::filesystem::create_directory(folder_); }
  ~NetworkSpeed() override { std::filesystem::remove_all(folder_); }

  void add(const std::string& name, const std::string& state, const std::string& speed,
           bool device = true) {
    const Path place = folder_ / name;
    std::filesystem::create_directory(place);
    std::ofstream(place / "operstate") << state << "\n";
    std::ofstream(place / "speed") << speed << "\n";
    if (device) {
      std::filesystem::create_directory(place / "device");
    }
  }
  [[nodiscard]] std::optional<uint64_t> read() const { return read_network_speed(folder_); }

  Path folder_ = Path("/tmp") / ("muster-network-" + std::to_string(::getpid()));
};

TEST_F(NetworkSpeed, IsThatOfTheDevicesThatAreUp) {
  add("eth0", "up", "1000");
  add("eth1", "up", "10000");
  add("eth2", "down", "100000");
  add("docker0", "up", "10000", false);
  EXPECT_EQ(read(), 11'000U * 125'000U);
}

TEST_F(NetworkSpeed, IsUnknownIfOneDoesNotSay) {
  add("eth0", "up", "1000");
  add("eth1", "up", "-1");
  EXPECT_EQ(read(), std::nullopt);
}

TEST_F(NetworkSpeed, IsUnknownWithoutDevices) {
  add("lo", "unknown", "", false);
  EXPECT_EQ(read(), std::nullopt);
  EXPECT_EQ(read_network_speed("/nowhere"), std::nullopt);
}

}  // namespace
}  // namespace muster::os
