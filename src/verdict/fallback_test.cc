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

TEST(Fallback, KnowsErrorNumbersByTheirNamesAndTexts) {
  EXPECT_EQ(guessed("Error: EACCES: no way, mkdir '/x'\n"), "user.permission, by error number 13");
  EXPECT_EQ(guessed("failed: Os { code: 28, kind: StorageFull }\n"),
            "disk.full, by error number 28");
  EXPECT_EQ(guessed("./run.sh: Text file busy\n"), "disk.io, by error number 26");
}

TEST(Fallback, TakesTheSignalThatALauncherTellsOf) {
  EXPECT_EQ(guessed("['python', 'train.py'] exits with return code = -9\n"),
            "program.killed, by what its launcher says");
  EXPECT_EQ(guessed("Process `fit` terminated with an error exit status (139)\n"),
            "program.segfault, by what its launcher says");
  EXPECT_EQ(guessed("step 2 failed, exit code 127\n"),
            "user.command_not_found, by what its launcher says");
  EXPECT_EQ(guessed("step 2 failed, exit code 3\n"), "nothing");
}

TEST(Fallback, KnowsTheCodesOfServers) {
  EXPECT_EQ(guessed("XlaRuntimeError: UNAVAILABLE: the other side is gone\n"),
            "peer.lost, by its status code");
  EXPECT_EQ(guessed("curl: (22) The requested URL returned error: 503\n"),
            "network.download, by what a server answered");
}

TEST(Fallback, TakesTheFirstKnownOfSeveralTypes) {
  EXPECT_EQ(guessed("ERROR: LoadError: UndefVarError: x not defined\n"),
            "user.traceback, by the type UndefVarError");
  EXPECT_EQ(guessed("Exception in thread \"main\" java.lang.NullPointerException\n"),
            "user.traceback, by the type NullPointerException");
  EXPECT_EQ(guessed("acme.PlanException: no\n"), "program.exception, by the type PlanException");
}

TEST(Fallback, KnowsCommonPhrases) {
  EXPECT_EQ(guessed("fatal: could not connect to the tracker\n"),
            "peer.refused, by \"could not connect\"");
  EXPECT_EQ(guessed("Error in fit(x) : bad day\n"), "user.traceback, by \"error in\"");
}

// The last lines are a launcher's advice, which is the same for every failure.
TEST(Fallback, AsksWhatStandsBeforeTheLastLines) {
  EXPECT_EQ(
      guessed("bash: orted: command not found\nPlease check these:\n* your PATH\n* your rights\n"
              "* your network\n* your disks\n* your settings\n* your nerves\n"),
      "user.command_not_found, by \"command not found\"");
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
