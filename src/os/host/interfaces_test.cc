#include "os/host/interfaces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace muster::os {
namespace {

using ::testing::HasSubstr;

TEST(Interfaces, AreFoundByName) {
  const std::vector<InterfaceAddress> all = interface_addresses();
  const auto loopback = std::ranges::find(all, "127.0.0.1", &InterfaceAddress::address);
  ASSERT_NE(loopback, all.end());
  const auto address = address_of_interface(loopback->interface);
  ASSERT_TRUE(address.has_value());
  EXPECT_EQ(*address, "127.0.0.1");
}

TEST(Interfaces, AreFoundByAnyAddressOfThisHost) {
  EXPECT_EQ(*address_of_interface("127.0.0.2"), "127.0.0.2");
  EXPECT_FALSE(address_of_interface("192.0.2.1").has_value()) << "a documentation address";
}

TEST(Interfaces, OneThatIsNotThereIsRefusedWithThoseThatAre) {
  const auto address = address_of_interface("ib9");
  ASSERT_FALSE(address.has_value());
  EXPECT_THAT(address.error().message, HasSubstr("no network interface or address `ib9`; it has "));
  EXPECT_THAT(address.error().message, HasSubstr("(127.0.0.1)"));
}

}  // namespace
}  // namespace muster::os
