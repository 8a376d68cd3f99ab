#include "client/reach/notebook_folder.h"

#include <gtest/gtest.h>

#include <string_view>

namespace muster::client {
namespace {

bool share(std::string_view one, std::string_view other) {
  const bool shared = share_files(one, other, "alice");
  EXPECT_EQ(share_files(other, one, "alice"), shared) << one << " and " << other;
  return shared;
}

TEST(NotebookFolder, IsTheSameHoweverItIsWritten) {
  for (const std::string_view one :
       {"notebooks/digits", "notebooks//digits/", "./notebooks/digits",
        "/user/alice/notebooks/digits", "hdfs:/user/alice/notebooks/digits",
        "hdfs:///user/alice/notebooks/digits", "hdfs://nn:8020/user/alice/notebooks/digits/"}) {
    EXPECT_TRUE(share(one, "notebooks/digits")) << one;
    EXPECT_TRUE(share(one, "hdfs:///user/alice/notebooks/digits")) << one;
  }
  EXPECT_TRUE(share("hdfs://nn", "hdfs:///"));
}

TEST(NotebookFolder, HasFilesInCommonWithOneThatContainsIt) {
  EXPECT_TRUE(share("hdfs:///team", "hdfs:///team/notebooks/a"));
  EXPECT_TRUE(share("hdfs:///", "notebooks/a"));
}

TEST(NotebookFolder, IsNotAnothersWithASimilarName) {
  EXPECT_FALSE(share("notebooks/digits", "notebooks/digits2"));
  EXPECT_FALSE(share("notebooks/digits", "/user/bob/notebooks/digits"));
  EXPECT_FALSE(share("notebooks/digits", "/notebooks/digits"));
  EXPECT_FALSE(share("hdfs://one/team", "hdfs://other/team"));
}

}  // namespace
}  // namespace muster::client
