#include "client/tony/tony_folders.h"

#include <gtest/gtest.h>

#include <map>

namespace muster::client {
namespace {

struct FakeRemote final : RemoteFiles {
  std::map<std::string, std::vector<std::string>> places;
  int asked = 0;

  Result<std::string> read(const std::string& uri, uint64_t /*limit_bytes*/) override {
    return user_error(uri);
  }
  Result<std::vector<std::string>> files_at(const std::string& uri) override {
    ++asked;
    const auto found = places.find(uri);
    return found != places.end() ? Result<std::vector<std::string>>(found->second)
                                 : user_error(uri, Errc::NotFound);
  }
};

std::vector<std::string> sources(const std::vector<spec::File>& files) {
  std::vector<std::string> names;
  for (const spec::File& file : files) {
    names.push_back(file.src);
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(TonyFolders, AreReplacedByTheirFiles) {
  FakeRemote remote;
  remote.places = {{"hdfs:///lib", {"hdfs:///lib/a.jar", "hdfs:///lib/b.zip"}},
                   {"hdfs:///one", {"hdfs:///one"}}};
  tony::Converted converted;
  converted.spec.files = {{.src = "hdfs:///lib"},
                          {.src = "hdfs:///one", .as = "eins"},
                          {.src = "here"},
                          {.src = "hdfs:///x.zip", .unpack = spec::Unpack::Yes}};
  converted.spec.roles = {spec::Role{.name = "worker", .files = converted.spec.files}};
  const auto missing = expand_folders(remote, {}, converted);
  ASSERT_TRUE(missing.has_value());
  EXPECT_EQ(*missing, Names());
  const Names wanted = {"hdfs:///lib/a.jar", "hdfs:///lib/b.zip", "hdfs:///one", "here",
                        "hdfs:///x.zip"};
  EXPECT_EQ(sources(converted.spec.files), wanted);
  EXPECT_EQ(sources(*converted.spec.roles[0].files), wanted);
  EXPECT_EQ(converted.spec.files[1].unpack, spec::Unpack::No);
  EXPECT_EQ(converted.spec.files[2].as, "eins");
  EXPECT_EQ(remote.asked, 2) << "once for each";
}

TEST(TonyFolders, OfTheClassPathMayBeMissingAndOthersAreForTheClusterToName) {
  FakeRemote remote;
  tony::Flags flags;
  flags.hdfs_classpath = "/gone, hdfs://nn/too";
  tony::Converted converted;
  converted.spec.files = {{.src = "hdfs:///gone"}, {.src = "hdfs://nn/too"}, {.src = "hdfs:///x"}};
  const auto missing = expand_folders(remote, flags, converted);
  ASSERT_TRUE(missing.has_value());
  EXPECT_EQ(*missing, (Names{"hdfs:///gone", "hdfs://nn/too"}));
  EXPECT_EQ(sources(converted.spec.files), (Names{"hdfs:///x"}));
}

}  // namespace
}  // namespace muster::client
