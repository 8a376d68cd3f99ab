#include "hadoop/krb5/layer_choice.h"

#include <gtest/gtest.h>

#include <vector>

namespace muster::hadoop::krb5 {
namespace {

using namespace std::string_literals;
using rpc::Protection;

std::string answer(const std::string& offer, const std::vector<Protection>& wanted) {
  const Result<LayerChoice> choice = choose_layer(offer, wanted);
  return choice ? choice->answer : choice.error().message;
}

TEST(LayerChoice, TakesTheFirstWantedThatIsOffered) {
  const std::vector<Protection> both{Protection::Integrity, Protection::Privacy};
  EXPECT_EQ(answer("\x07\x01\x00\x00"s, both), "\x02\xFF\xFF\xFF"s);
  EXPECT_EQ(answer("\x05\x01\x00\x00"s, both), "\x04\xFF\xFF\xFF"s);
  EXPECT_EQ(answer("\x07\x01\x00\x00"s, {}), "\x04\xFF\xFF\xFF"s);
  EXPECT_EQ(answer("\x01\x01\x00\x00"s, {}), "\x01\x00\x00\x00"s);
}

TEST(LayerChoice, NamesBothSidesWithoutACommonOne) {
  EXPECT_EQ(answer("\x04\x01\x00\x00"s, {Protection::Authentication}),
            "the server offers privacy, but hadoop.rpc.protection allows authentication: set it to "
            "what the cluster uses");
  EXPECT_EQ(answer("\x00\x00\x00\x00"s, {}),
            "the server offers nothing, but hadoop.rpc.protection allows nothing: set it to what "
            "the cluster uses");
  EXPECT_EQ(answer("\x01", {}), "the Kerberos exchange must end with 4 bytes; the server sent 1");
}

}  // namespace
}  // namespace muster::hadoop::krb5
