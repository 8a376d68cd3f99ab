#include "cluster/yarn/staging/content_hash.h"

#include <gtest/gtest.h>

namespace muster::cluster::yarn {
namespace {

TEST(ContentHash, IsTheSameWhateverThePieces) {
  ContentHash whole;
  whole.add("abc");
  ContentHash pieces;
  pieces.add("a");
  pieces.add("");
  pieces.add("bc");
  constexpr std::string_view kAbc =
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  EXPECT_EQ(whole.hex(), kAbc);
  EXPECT_EQ(pieces.hex(), kAbc);
}

}  // namespace
}  // namespace muster::cluster::yarn
