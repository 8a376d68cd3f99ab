#include "base/redaction.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(Redact, HidesEveryOccurrence) {
  EXPECT_EQ(redact("a s3cret, s3crets3cret", {{"env.TOKEN", "s3cret"}}), "a ***, ******");
}

TEST(Redact, LeavesNothingOfTheLongerOfTwo) {
  EXPECT_EQ(redact("abcdef abcd", {{"env.A", "abcd"}, {"env.B", "abcdef"}}), "*** ***");
}

TEST(Redact, KnowsAValueWithoutTheLineEndOfItsFile) {
  EXPECT_EQ(redact("token=s3cret.", {{"env.TOKEN", "s3cret\n"}}), "token=***.");
}

TEST(Redact, LeavesShortValuesAlone) {
  EXPECT_EQ(redact("exit code 1", {{"env.A", "1"}, {"env.B", ""}}), "exit code 1");
}

TEST(Redaction, KnowsNamesOfSecrets) {
  for (const char* name : {"AWS_SECRET_ACCESS_KEY", "HF_TOKEN", "db_password", "api-key"}) {
    EXPECT_TRUE(sounds_secret(name)) << name;
  }
  for (const char* name : {"TOKENIZERS_PARALLELISM", "KEYBOARD", "epochs"}) {
    EXPECT_FALSE(sounds_secret(name)) << name;
  }
}

}  // namespace
}  // namespace muster
