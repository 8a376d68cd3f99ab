#include "master/clients/first_output.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace muster::master {
namespace {

wire::Output piece(uint32_t index, uint64_t offset, std::string bytes, bool again = false) {
  return {{{job::RoleIndex(0), index}, 1},
          wire::OutputStream::Stdout,
          offset,
          0,
          std::move(bytes),
          false,
          again};
}

std::string text_of(const std::vector<wire::Output>& pieces) {
  std::string text;
  for (const wire::Output& each : pieces) {
    text += each.bytes;
  }
  return text;
}

TEST(FirstOutput, WaitsForTheLastLinesOfEachStream) {
  FirstOutput first;
  EXPECT_EQ(text_of(first.take(piece(0, 8, "late\n"))), "");
  EXPECT_EQ(text_of(first.take(piece(0, 13, "later\n"))), "");
  EXPECT_EQ(text_of(first.take(piece(0, 0, "a\nb\nlate\nlater\n", true))),
            "a\nb\nlate\nlater\nlate\nlater\n")
      << "what comes twice is the gate's to cut";
  EXPECT_EQ(text_of(first.take(piece(0, 19, "on\n"))), "on\n");
  EXPECT_EQ(text_of(first.take(piece(1, 5, "other\n"))), "") << "each by itself";
}

TEST(FirstOutput, KeepsTheOrderWhereMoreIsKnownThanTheLastLines) {
  FirstOutput first;
  EXPECT_EQ(text_of(first.take(piece(0, 4, "b\n"))), "");
  EXPECT_EQ(text_of(first.take(piece(0, 6, "c\n", true))), "b\nc\n");
}

TEST(FirstOutput, WaitsForNothingBeforeTheBeginning) {
  FirstOutput first;
  EXPECT_EQ(text_of(first.take(piece(0, 0, "a\n"))), "a\n");
  EXPECT_EQ(text_of(first.take(piece(0, 2, "b\n"))), "b\n");
}

TEST(FirstOutput, GivesUpAndLosesNothing) {
  FirstOutput first;
  EXPECT_EQ(text_of(first.take(piece(0, 2, "x\n"))), "");
  EXPECT_EQ(text_of(first.take(piece(1, 4, "y\n"))), "");
  EXPECT_EQ(text_of(first.give_up()), "x\ny\n");
  EXPECT_FALSE(first.waits());
  EXPECT_EQ(text_of(first.take(piece(2, 4, "z\n"))), "z\n");
}

TEST(FirstOutput, KeepsLittle) {
  FirstOutput first;
  const std::string part(100'000, 'x');
  EXPECT_EQ(text_of(first.take(piece(0, 1, part))), "");
  EXPECT_EQ(text_of(first.take(piece(1, 1, part))), "");
  EXPECT_EQ(text_of(first.take(piece(2, 1, part))).size(), 3 * part.size());
  EXPECT_FALSE(first.waits());
}

}  // namespace
}  // namespace muster::master
