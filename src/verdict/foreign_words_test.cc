#include "verdict/foreign_words.h"

#include "base/text.h"
#include "verdict/last_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::verdict {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string evidence(std::string_view output) {
  return evidence_of(read_last_words({}, output), {});
}

TEST(LastWords, OfTheJvmAreItsRootCauseWithoutFrames) {
  const std::string shown = evidence(
      "INFO starting\n"
      "Exception in thread \"main\" org.acme.JobException: the job failed\n"
      "\tat org.acme.Job.run(Job.java:7)\n\tat org.acme.Main.main(Main.java:1)\n"
      "Caused by: java.io.IOException: disk on fire\n"
      "\tat org.acme.Disk.read(Disk.java:3)\n\t... 2 more\n");
  EXPECT_THAT(shown, StartsWith("Caused by: java.io.IOException: disk on fire"));
  EXPECT_THAT(shown, HasSubstr("org.acme.JobException: the job failed"));
  EXPECT_THAT(shown, Not(HasSubstr("Job.java")));
  EXPECT_THAT(shown, Not(HasSubstr("2 more")));
}

TEST(LastWords, HaveNoRowsOfNumbersAndNoRulers) {
  const std::string shown = evidence(
      "Error: the weights are gone\n==========\n[[ 0.1 0.2 ]\n [ 0.3 1e-5 ]]\n----------\n");
  EXPECT_EQ(shown, "Error: the weights are gone");
}

TEST(LastWords, OfRAreTheErrorAndNotTheHalt) {
  EXPECT_THAT(evidence("Error in library(acme) : there is no package called 'acme'\n"
                       "Execution halted\n"),
              StartsWith("Error in library(acme)"));
}

TEST(LastWords, AreReadBehindALaunchersOrALoggersPrefix) {
  const LastWords words = read_last_words({},
                                          "09:00:01 (pid=7) Traceback (most recent call last):\n"
                                          "09:00:01 (pid=7)   File \"t.py\", line 1, in f\n"
                                          "09:00:02 (pid=7) KeyError: 'x'\n");
  EXPECT_EQ(words.final_error, "KeyError: 'x'\n");
}

TEST(LastWords, AreReadBehindAPrefixThatAMessageFollows) {
  const LastWords words =
      read_last_words({},
                      "(pid=7) ERROR 09:00:01 w.py:6] the call failed: no peer, Traceback (most "
                      "recent call last):\n"
                      "(pid=7) ERROR 09:00:01 w.py:6]   File \"t.py\", line 1, in f\n"
                      "(pid=7) ERROR 09:00:01 w.py:6] KeyError: 'x'\n");
  EXPECT_EQ(words.final_error, "KeyError: 'x'\n");
  EXPECT_THAT(words.output, StartsWith("the call failed: no peer, \nTraceback"));
}

TEST(LastWords, SkipWhatPythonIgnored) {
  const LastWords words =
      read_last_words({},
                      "Traceback (most recent call last):\n  File \"t.py\", line 1\nKeyError: 'x'\n"
                      "Exception ignored in: <function f>\nTraceback (most recent call last):\n"
                      "  File \"u.py\", line 1\nOSError: closed\n");
  EXPECT_EQ(words.final_error, "KeyError: 'x'\n");
}

// A failure of a destructor itself, after a launcher that showed no frames.
TEST(LastWords, AreNotWhatPythonIgnoredWhereThereIsMore) {
  const std::string ignored =
      "Exception ignored in: <function f>\nTraceback (most recent call last):\n"
      "  File \"u.py\", line 1\nAttributeError: 'A' object has no attribute 'b'\n";
  EXPECT_EQ(evidence("ImportError: a.so: cannot open shared object file\n" + ignored),
            "ImportError: a.so: cannot open shared object file");
  EXPECT_THAT(evidence(ignored), StartsWith("AttributeError"));
  EXPECT_THAT(evidence("Exception ignored in: <function f>\nTraceback (most recent call last):\n" +
                       std::string("Traceback (most recent call last):\n  File \"t.py\", line 1\n"
                                   "KeyError: 'x'\n")),
              StartsWith("KeyError"));
}

TEST(JvmErrors, AreFoundThoughTheMessageHasSeveralLines) {
  EXPECT_THAT(find_jvm_errors({"org.acme.PlanException: no such column", "'Project [a]",
                               "+- Relation", "\tat org.acme.Plan.check(Plan.scala:7)"}),
              ElementsAre("org.acme.PlanException: no such column"));
  EXPECT_THAT(find_jvm_errors({"we met at noon (late)", "done"}), ElementsAre());
}

TEST(StackNoise, IsNotWhatSaysSomething) {
  EXPECT_TRUE(is_stack_noise("\tat a.b.C.d(C.java:7) ~[x.jar:1]"));
  EXPECT_TRUE(is_stack_noise("[info]   at a.b.C.d(C.scala:7)"));
  EXPECT_TRUE(is_stack_noise("#0  0x7f7d695ce31a in main"));
  EXPECT_TRUE(is_stack_noise("    @     0x7f7627be9376  (unknown)"));
  EXPECT_TRUE(is_stack_noise("libc.so.6  00000034C081D974  Unknown   Unknown  Unknown"));
  EXPECT_FALSE(is_stack_noise("#7 of the rows is damaged"));
  EXPECT_TRUE(is_stack_noise("  [ 1.0, 2.5e-3 ]"));
  EXPECT_FALSE(is_stack_noise("at 3 o'clock (sharp) it failed"));
  EXPECT_FALSE(is_stack_noise("exit code 7"));
}

}  // namespace
}  // namespace muster::verdict
