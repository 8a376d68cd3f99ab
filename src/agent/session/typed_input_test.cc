#include "agent/session/typed_input.h"

#include <gtest/gtest.h>

namespace muster::agent {
namespace {

TEST(TypedInput, OnlyWhoHasTheShellGetsCreditForWhatTheyTyped) {
  TypedInput input;
  input.typed(10);
  EXPECT_EQ(input.was_read(4), 4U);
  input.change_hands();
  input.typed(3);
  EXPECT_EQ(input.unread_bytes(), 9U);
  EXPECT_EQ(input.was_read(5), 0U) << "it was typed before";
  EXPECT_EQ(input.was_read(3), 2U);
  EXPECT_EQ(input.was_read(1), 1U);
  EXPECT_EQ(input.unread_bytes(), 0U);
}

TEST(TypedInput, CountsWhatATypistHasTypedByAllOfTheirStreams) {
  TypedInput input;
  input.begin(0);
  const uint32_t first = input.typist();
  EXPECT_NE(first, 0U);
  input.typed(10);
  input.change_hands();
  input.begin(first);
  EXPECT_EQ(input.typist(), first);
  input.typed(3);
  EXPECT_EQ(input.taken_bytes(), 13U);
}

TEST(TypedInput, CountsFromNothingForSomebodyElse) {
  TypedInput input;
  input.begin(0);
  const uint32_t first = input.typist();
  input.typed(10);
  input.begin(0);
  EXPECT_EQ(input.taken_bytes(), 0U);
  input.typed(5);
  input.begin(first);
  EXPECT_NE(input.typist(), first) << "somebody else has typed meanwhile";
  EXPECT_EQ(input.taken_bytes(), 0U);
}

}  // namespace
}  // namespace muster::agent
