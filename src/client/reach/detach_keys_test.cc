#include "client/reach/detach_keys.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::client {
namespace {

TEST(DetachKeys, AreWrittenAsDockerHasThem) {
  EXPECT_EQ(parse_detach_keys("ctrl-],d").value(),
            "\x1d"
            "d");
  EXPECT_EQ(parse_detach_keys("ctrl-p,ctrl-q").value(), "\x10\x11");
  EXPECT_EQ(parse_detach_keys("none").value(), "");
  EXPECT_EQ(describe_keys("\x1d"
                          "d"),
            "Ctrl-] d");
  EXPECT_EQ(describe_keys("\x10\x11"), "Ctrl-P Ctrl-Q");
}

TEST(DetachKeys, ThatAreNoneAreNamed) {
  for (const std::string text : {"", "ctrl-", "ctrl-1", "ab", "d,", "meta-x", "ctrl-@"}) {
    EXPECT_FALSE(parse_detach_keys(text).has_value()) << text;
  }
  EXPECT_FALSE(parse_detach_keys("a,b,c,d,e,f,g,h,i").has_value());
}

TEST(DetachWatch, FindsTheKeysAcrossPieces) {
  DetachWatch watch(
      "\x1d"
      "d");
  EXPECT_EQ(watch.take("ls\x1d").bytes, "ls");
  const DetachWatch::Typed typed = watch.take("dx");
  EXPECT_TRUE(typed.detached);
  EXPECT_EQ(typed.bytes, "");
}

TEST(DetachWatch, HandsOverWhatOnlyBeganLikeThem) {
  DetachWatch watch(
      "\x1d"
      "d");
  EXPECT_EQ(watch.take("\x1d").bytes, "");
  EXPECT_EQ(watch.take("x").bytes, "\x1dx");
  EXPECT_EQ(watch.take("\x1d\x1d").bytes, "\x1d");
  EXPECT_TRUE(watch.take("d").detached);
}

TEST(DetachWatch, OfNoKeysChangesNothing) {
  DetachWatch watch("");
  EXPECT_EQ(watch
                .take("\x1d"
                      "d")
                .bytes,
            "\x1d"
            "d");
}

}  // namespace
}  // namespace muster::client
