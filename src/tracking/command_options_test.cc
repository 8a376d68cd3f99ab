#include "tracking/command_options.h"

#include <gtest/gtest.h>

namespace muster::tracking {
namespace {

using Options = std::vector<std::pair<std::string, std::string>>;

TEST(CommandOptions, AreThoseWithTwoHyphens) {
  EXPECT_EQ(command_options("python3 train.py --epochs 5 --lr=0.1 -v --fast"),
            (Options{{"epochs", "5"}, {"lr", "0.1"}, {"fast", "true"}}));
  EXPECT_EQ(command_options("train --shift -1.5 --low -v"),
            (Options{{"shift", "-1.5"}, {"low", "true"}}));
}

TEST(CommandOptions, WordsAreThoseOfAShell) {
  EXPECT_EQ(command_options(R"(train --name 'two words' --at "a \"b\"" --c d\ e)"),
            (Options{{"name", "two words"}, {"at", "a \"b\""}, {"c", "d e"}}));
  EXPECT_EQ(command_options("train --fast; echo over --last && sleep 1"),
            (Options{{"fast", "true"}, {"last", "true"}}));
}

TEST(CommandOptions, OddOnesAreNone) {
  EXPECT_TRUE(command_options("").empty());
  EXPECT_TRUE(command_options("train -- --- -x 'unclosed").empty());
  EXPECT_EQ(command_options("--x= --y").size(), 2U);
}

}  // namespace
}  // namespace muster::tracking
