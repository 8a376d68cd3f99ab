#include "cluster/master_place_file.h"

#include <gtest/gtest.h>

namespace muster::cluster {
namespace {

TEST(MasterPlaceFile, IsReadBack) {
  const MasterPlaceFile file{"127.0.0.1:4711", job::Epoch(2), 99};
  EXPECT_EQ(
      to_text(file),
      "{\"schema\":\"muster.master/1\",\"address\":\"127.0.0.1:4711\",\"epoch\":2,\"pid\":99}\n");
  EXPECT_EQ(parse_master_place(to_text(file)), file);
}

TEST(MasterPlaceFile, RefusesEveryCutAndOtherText) {
  const std::string text = to_text({"[::1]:1", job::Epoch(1), 7});
  for (size_t length = 0; length + 2 < text.size(); ++length) {
    EXPECT_EQ(parse_master_place(text.substr(0, length)).error().code, Errc::Corrupt);
  }
  EXPECT_FALSE(parse_master_place("{}").has_value());
}

}  // namespace
}  // namespace muster::cluster
