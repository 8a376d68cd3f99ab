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
  store.erase("global", "0");
  EXPECT_EQ(store.find("global", "0"), nullptr);
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
