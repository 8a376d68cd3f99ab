#include "inside/kv_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::inside {
namespace {

using ::testing::HasSubstr;

TEST(KvStore, KeepsValuesByScopeAndKey) {
  KvStore store;
  ASSERT_TRUE(store.put("global", "0", "a").has_value());
  ASSERT_TRUE(store.put("local", "0", "b").has_value());
  ASSERT_TRUE(store.put("global", "0", "c").has_value());
  EXPECT_EQ(*store.find("global", "0"), "c");
  EXPECT_EQ(*store.find("local", "0"), "b");
  EXPECT_EQ(store.find("cross", "0"), nullptr);
}

TEST(KvStore, ForgetsAScopeOnceAllHaveFinished) {
  KvStore store;
  ASSERT_TRUE(store.put("global", "0", "a").has_value());
  ASSERT_TRUE(store.put("global", "1", "b").has_value());
  ASSERT_TRUE(store.put("global", "rank_0", "a host").has_value());
  ASSERT_TRUE(store.put("local", "0", "c").has_value());
  store.finish("global", "0");
  store.finish("global", "0");
  store.finish("global", "2");
  store.finish("cross", "0");
  ASSERT_NE(store.find("global", "0"), nullptr) << "the other one may still want it";
  store.finish("global", "1");
  EXPECT_EQ(store.find("global", "0"), nullptr);
  EXPECT_EQ(store.find("global", "1"), nullptr);
  EXPECT_EQ(store.find("global", "rank_0"), nullptr);
  EXPECT_NE(store.find("local", "0"), nullptr);
}

TEST(KvStore, ForgetsAtOnceWhatIsNoRanks) {
  KvStore store({.entries_max = 2});
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(store.put("global", "0", "a").has_value());
    ASSERT_TRUE(store.put("global", "result", "b").has_value());
    store.finish("global", "result");
    EXPECT_EQ(store.find("global", "result"), nullptr);
    EXPECT_NE(store.find("global", "0"), nullptr);
  }
}

TEST(KvStore, WhoSetsAValueAgainHasNotFinished) {
  KvStore store;
  ASSERT_TRUE(store.put("global", "0", "a").has_value());
  ASSERT_TRUE(store.put("global", "1", "b").has_value());
  store.finish("global", "0");
  ASSERT_TRUE(store.put("global", "0", "c").has_value());
  store.finish("global", "1");
  EXPECT_NE(store.find("global", "1"), nullptr);
  store.finish("global", "0");
  EXPECT_EQ(store.find("global", "1"), nullptr);
}

TEST(KvStore, GivesTheRoomOfAForgottenScopeToOthers) {
  KvStore store({.key_max = 8, .value_max = 4, .entries_max = 2, .bytes_max = 12});
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(store.put("s", "1", "123").has_value());
    ASSERT_TRUE(store.put("s", "2", "123").has_value());
    store.finish("s", "1");
    store.finish("s", "2");
  }
}

TEST(KvStore, StaysWithinItsBounds) {
  KvStore store({.key_max = 8, .value_max = 4, .entries_max = 2, .bytes_max = 12});
  const auto refusal = [&](std::string_view key, std::string value) {
    const Status put = store.put("s", key, std::move(value));
    return put.has_value() ? "" : put.error().message;
  };
  EXPECT_THAT(refusal("1234567", ""), HasSubstr("a key is longer than 8 bytes"));
  EXPECT_THAT(refusal("1", "12345"), HasSubstr("a value is longer than 4 bytes"));
  EXPECT_EQ(refusal("1", "1234"), "");
  EXPECT_THAT(refusal("2", "123"), HasSubstr("the store is full"));
  EXPECT_EQ(refusal("2", "12"), "");
  EXPECT_THAT(refusal("3", ""), HasSubstr("the store is full"));
  EXPECT_EQ(refusal("1", "1"), "") << "a shorter value in the place of another";
  EXPECT_EQ(*store.find("s", "2"), "12");
}

}  // namespace
}  // namespace muster::inside
