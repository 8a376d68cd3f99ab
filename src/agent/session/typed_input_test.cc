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

}  // namespace
}  // namespace muster::agent
