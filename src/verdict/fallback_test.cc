#include "verdict/fallback.h"

#include <gtest/gtest.h>

namespace muster::verdict {
namespace {

std::string guessed(std::string_view output) {
  const std::optional<Fallback> found = fall_back(read_last_words({}, output));
  return found ? std::string(found->class_name) + ", " + found->because : "nothing";
}

TEST(Fallback, AsksTheErrorNumberFirst) {
  EXPECT_EQ(guessed("CustomError: it failed: [Errno 13] no way\n"),
            "user.permission, by error number 13");
  EXPECT_EQ(guessed("connect failed, errno: 111\n"), "peer.refused, by error number 111");
}

TEST(Fallback, KnowsTypesByTheirEnding) {
  EXPECT_EQ(guessed("acme.net.SlowTimeoutError: after 3 s\n"),
            "network.timeout, by the type SlowTimeoutError");
  EXPECT_EQ(guessed("java.lang.NullPointerException\n\tat a.B.c(B.java:7)\n"),
            "user.traceback, by the type NullPointerException");
}

TEST(Fallback, TakesWhatALibraryRaisesForAWrongUseOfIt) {
  EXPECT_EQ(guessed("Traceback (most recent call last):\n"
                    "  File \"train.py\", line 3, in <module>\n"
                    "  File \"/env/lib/python3.11/site-packages/acme/core.py\", line 9, in fit\n"
                    "acme.core.Unfit: no\n"),
            "user.traceback, raised by acme");
}

TEST(Fallback, SaysNothingOfTheProgramsOwnErrorsAndOfLaunchers) {
  EXPECT_EQ(guessed("Traceback (most recent call last):\n"
                    "  File \"train.py\", line 3, in <module>\nRuntimeError: bad day\n"),
            "nothing");
  EXPECT_EQ(guessed("Traceback (most recent call last):\n"
                    "  File \"/env/lib/python3.11/site-packages/torch/run.py\", line 9, in main\n"
                    "torch.errors.ChildFailedError: train.py FAILED\n"),
            "nothing");
  EXPECT_EQ(guessed("bye\n"), "nothing");
}

}  // namespace
}  // namespace muster::verdict
