#include "hadoop/hdfs/names/glob.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace muster::hadoop::hdfs {
namespace {

using ::testing::ElementsAre;

TEST(Glob, MatchesStarsAndQuestionMarks) {
  EXPECT_TRUE(matches("*", "anything"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("a*c*e", "abcde"));
  EXPECT_FALSE(matches("a*c*e", "abcdef"));
  EXPECT_TRUE(matches("part-?????", "part-00017"));
  EXPECT_FALSE(matches("part-?????", "part-0001"));
  EXPECT_TRUE(matches("?", "ü"));
  EXPECT_FALSE(matches("a", ""));
  EXPECT_FALSE(matches("", "a"));
}

TEST(Glob, MatchesSets) {
  EXPECT_TRUE(matches("[abc]x", "bx"));
  EXPECT_FALSE(matches("[abc]x", "dx"));
  EXPECT_TRUE(matches("[a-f0-9]", "7"));
  EXPECT_TRUE(matches("[^a-f]", "z"));
  EXPECT_FALSE(matches("[!a-f]", "b"));
  EXPECT_TRUE(matches("[]]", "]"));
  EXPECT_TRUE(matches("[ä-ö]", "ö"));
  EXPECT_TRUE(matches("[a", "[a"));
}

TEST(Glob, EscapedCharactersAreThemselves) {
  EXPECT_TRUE(matches("\\*", "*"));
  EXPECT_FALSE(matches("\\*", "a"));
  EXPECT_TRUE(matches("\\[a]", "[a]"));
  EXPECT_EQ(unescape("a\\*b\\\\"), "a*b\\");
  EXPECT_TRUE(has_wildcard("a\\*"));
  EXPECT_FALSE(has_wildcard("a b%"));
}

TEST(Glob, ManyStarsDoNotExplode) {
  const std::string name(5000, 'a');
  EXPECT_FALSE(matches("*a*a*a*a*a*a*a*b", name));
}

TEST(Glob, ExpandsBraces) {
  EXPECT_THAT(expand_braces("plain").value(), ElementsAre("plain"));
  EXPECT_THAT(expand_braces("x{1,2}y").value(), ElementsAre("x1y", "x2y"));
  EXPECT_THAT(expand_braces("{a,b/{c,d}}").value(), ElementsAre("a", "b/c", "b/d"));
  EXPECT_THAT(expand_braces("\\{a,b}").value(), ElementsAre("\\{a,b}"));
  EXPECT_THAT(expand_braces("[{]").value(), ElementsAre("[{]"));
  EXPECT_EQ(expand_braces("{a,b").error().blame, Blame::User);
  EXPECT_FALSE(expand_braces("{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}").has_value());
}

}  // namespace
}  // namespace muster::hadoop::hdfs
