#include "hadoop/hdfs/names/path.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::hadoop::hdfs {
namespace {

Location parsed(std::string_view text) {
  const Result<Location> location = parse_location(text, "/user/alice");
  EXPECT_TRUE(location.has_value()) << text;
  return location.value_or(Location{});
}

TEST(HdfsPath, TakesEveryFormOfALocation) {
  EXPECT_EQ(parsed("hdfs://nn:8020/a/b"), (Location{"nn:8020", "/a/b", false}));
  EXPECT_EQ(parsed("hdfs://cluster"), (Location{"cluster", "/", true}));
  EXPECT_EQ(parsed("hdfs:///a/"), (Location{"", "/a", true}));
  EXPECT_EQ(parsed("hdfs:/a"), (Location{"", "/a", false}));
  EXPECT_EQ(parsed("/"), (Location{"", "/", true}));
  EXPECT_EQ(parsed("data/x"), (Location{"", "/user/alice/data/x", false}));
  EXPECT_EQ(parsed("."), (Location{"", "/user/alice", false}));
}

TEST(HdfsPath, ResolvesDotsAndEmptyParts) {
  EXPECT_EQ(parsed("/a//b/./c/../d/").path, "/a/b/d");
  EXPECT_EQ(parsed("/../..").path, "/");
  EXPECT_EQ(parsed("../bob").path, "/user/bob");
}

TEST(HdfsPath, KeepsEveryLegalByte) {
  for (const std::string name :
       {"a b", "50%", "q?x#y", "ü", "\\", "new\nline", "\"", "{a,b}", "~"}) {
    EXPECT_EQ(parsed("/x/" + name).path, "/x/" + name);
  }
}

TEST(HdfsPath, RefusesWhatHdfsCannotKeep) {
  for (const std::string text :
       {"", "s3a://bucket/x", "file:///tmp/x", "/a:b", "a:b", "/\xff", "hdfs://nn:8020/a:b"}) {
    const Result<Location> location = parse_location(text, "/user/alice");
    ASSERT_FALSE(location.has_value()) << text;
    EXPECT_EQ(location.error().blame, Blame::User);
  }
  EXPECT_FALSE(parse_location(std::string(9000, 'x'), "/user/alice").has_value());
}

TEST(HdfsPath, KnowsParentsAndChildren) {
  EXPECT_EQ(base_name("/a/b"), "b");
  EXPECT_EQ(base_name("/"), "");
  EXPECT_EQ(parent_of("/a/b"), "/a");
  EXPECT_EQ(parent_of("/a"), "/");
  EXPECT_EQ(child_of("/", "a"), "/a");
  EXPECT_EQ(child_of("/a", "b"), "/a/b");
  EXPECT_TRUE(is_within("/a/b", "/a"));
  EXPECT_TRUE(is_within("/a", "/"));
  EXPECT_FALSE(is_within("/ab", "/a"));
}

}  // namespace
}  // namespace muster::hadoop::hdfs
