#include "master/clients/early_output.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::master {
namespace {

wire::Output piece(uint64_t offset, std::string bytes) {
  return {{{job::RoleIndex(0), 0}, 1}, wire::OutputStream::Stdout, offset, 0, std::move(bytes)};
}

TEST(EarlyOutput, ReturnsWhatCameInOrderAndOnce) {
  EarlyOutput early(true);
  early.add(piece(0, "a"));
  early.add(piece(1, "b"));
  EXPECT_EQ(early.take(), (std::vector{piece(0, "a"), piece(1, "b")}));
  EXPECT_FALSE(early.gathering());
  early.add(piece(2, "c"));
  EXPECT_TRUE(early.take().empty());
}

TEST(EarlyOutput, KeepsNothingForNobody) {
  EarlyOutput early(false);
  early.add(piece(0, "a"));
  EXPECT_FALSE(early.gathering());
  EXPECT_TRUE(early.take().empty());
}

TEST(EarlyOutput, ForgetsTheOldestAboveItsBound) {
  constexpr uint64_t kPiece = 10'000;
  EarlyOutput early(true);
  for (uint64_t i = 0; i < 100; ++i) {
    early.add(piece(i * kPiece, std::string(kPiece, 'x')));
  }
  const std::vector<wire::Output> kept = early.take();
  EXPECT_GT(kept.size(), 20U);
  EXPECT_LT(kept.size(), 27U);
  EXPECT_EQ(kept.back().offset, 99 * kPiece);
  EXPECT_EQ(kept.front().offset, (100 - kept.size()) * kPiece);
}

}  // namespace
}  // namespace muster::master
