#include "wire/output_gate.h"

#include <gtest/gtest.h>

namespace muster::wire {
namespace {

Output piece(uint64_t offset, std::string bytes, uint64_t dropped = 0) {
  return {{}, OutputStream::Stdout, offset, dropped, std::move(bytes)};
}

TEST(OutputGate, PassesWhatIsNewAndCutsWhatIsNot) {
  OutputGate gate;
  EXPECT_EQ(gate.pass(piece(0, "abc"), false), piece(0, "abc"));
  EXPECT_EQ(gate.pass(piece(0, "abc"), false), std::nullopt);
  EXPECT_EQ(gate.pass(piece(1, "bcde"), false), piece(3, "de"));
}

TEST(OutputGate, BeginsInTheMiddleForALateFollower) {
  OutputGate gate;
  EXPECT_EQ(gate.pass(piece(100, "x", 100), false), piece(100, "x", 100));
}

TEST(OutputGate, CountsWhatItLeavesOut) {
  OutputGate gate;
  EXPECT_EQ(gate.pass(piece(0, "abc"), true), std::nullopt);
  EXPECT_EQ(gate.pass(piece(8, "de", 5), true), std::nullopt);
  EXPECT_EQ(gate.pass(piece(10, "f"), false), piece(10, "f", 10));
  EXPECT_EQ(gate.pass(piece(11, "g"), false), piece(11, "g", 0));
}

TEST(OutputGate, CountsAGapThatNoSenderKnowsOf) {
  OutputGate gate;
  EXPECT_TRUE(gate.pass(piece(0, "abc"), false).has_value());
  EXPECT_EQ(gate.pass(piece(10, "x"), false), piece(10, "x", 7));
}

TEST(OutputGate, TellsStreamsAndAttemptsApart) {
  OutputGate gate;
  Output other = piece(0, "abc");
  other.stream = OutputStream::Stderr;
  EXPECT_TRUE(gate.pass(piece(0, "abc"), false).has_value());
  EXPECT_EQ(gate.pass(other, false), other);
}

}  // namespace
}  // namespace muster::wire
