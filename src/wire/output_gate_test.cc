#include "wire/output_gate.h"

#include <gtest/gtest.h>

namespace muster::wire {
namespace {

Output piece(uint64_t offset, std::string bytes, uint64_t dropped = 0, bool at_line_start = false) {
  return {{}, OutputStream::Stdout, offset, dropped, std::move(bytes), at_line_start};
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

TEST(OutputGate, TellsThatAPieceAfterALossBeginsALine) {
  OutputGate gate;
  EXPECT_EQ(gate.pass(piece(0, "lost\n"), true), std::nullopt);
  EXPECT_EQ(gate.pass(piece(5, "next\n"), false), piece(5, "next\n", 5, true));
  EXPECT_EQ(gate.pass(piece(10, "x"), false), piece(10, "x"));
  EXPECT_EQ(gate.pass(piece(11, "amid"), true), std::nullopt);
  EXPECT_EQ(gate.pass(piece(15, "y"), false), piece(15, "y", 4, false));
}

TEST(OutputGate, KeepsWhatTheSenderKnowsOfALineStart) {
  OutputGate gate;
  EXPECT_EQ(gate.pass(piece(0, "a"), true), std::nullopt);
  EXPECT_EQ(gate.pass(piece(9, "remark\n", 0, true), false), piece(9, "remark\n", 9, true));
  EXPECT_EQ(gate.pass(piece(9, "remark\nmore", 0, true), false), piece(16, "more", 0, true));
}

TEST(OutputGate, CountsAGapThatNoSenderKnowsOf) {
  OutputGate gate;
  EXPECT_TRUE(gate.pass(piece(0, "abc"), false).has_value());
  EXPECT_EQ(gate.pass(piece(10, "x"), false), piece(10, "x", 7));
}

TEST(OutputGate, EndsAStreamWithWhatWasLeftOutLast) {
  OutputGate gate;
  EXPECT_TRUE(gate.pass(piece(0, "abc"), false).has_value());
  EXPECT_TRUE(gate.rest().empty());
  EXPECT_EQ(gate.pass(piece(3, "lost\n"), true), std::nullopt);
  EXPECT_EQ(gate.rest(), std::vector<Output>{piece(3, "lost\n", 0)});
  EXPECT_TRUE(gate.rest().empty());
}

TEST(OutputGate, EndsAStreamWithWholeLines) {
  OutputGate gate;
  const std::string flood = std::string(LeftOut::kLastBytes, 'x') + "\n";
  EXPECT_EQ(gate.pass(piece(0, flood), true), std::nullopt);
  EXPECT_EQ(gate.pass(piece(flood.size(), "the end\n"), true), std::nullopt);
  EXPECT_EQ(gate.rest(), std::vector<Output>{piece(flood.size(), "the end\n", flood.size(), true)});
}

TEST(OutputGate, DoesNotJoinWhatIsApart) {
  OutputGate gate;
  EXPECT_EQ(gate.pass(piece(0, "abc"), true), std::nullopt);
  EXPECT_EQ(gate.pass(piece(8, "de"), true), std::nullopt);
  EXPECT_EQ(gate.rest(), std::vector<Output>{piece(8, "de", 8)});
}

TEST(OutputGate, KeepsOfManyStreamsNoMoreThanItsBound) {
  OutputGate gate;
  const std::string flood(LeftOut::kLastBytes, 'x');
  Output each = piece(0, flood);
  for (uint32_t task = 0; task < 1000; ++task) {
    each.attempt.task.index = task;
    EXPECT_EQ(gate.pass(each, true), std::nullopt);
  }
  size_t kept = 0;
  for (const Output& rest : gate.rest()) {
    kept += rest.bytes.size();
    EXPECT_EQ(rest.dropped + rest.bytes.size(), flood.size());
  }
  EXPECT_EQ(kept, OutputGate::kKeptBytesMax);
}

TEST(OutputGate, PassesOnTheCountOfAGapAtTheEnd) {
  OutputGate reader;
  EXPECT_TRUE(reader.pass(piece(0, "abc"), false).has_value());
  EXPECT_EQ(reader.pass(piece(8, "", 5, true), false), piece(8, "", 5, true));
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
