#include "cluster/yarn/staging/job_files.h"

#include "os/file/local_files.h"

#include <gtest/gtest.h>

#include <memory>

namespace muster::cluster::yarn {
namespace {

spec::File collected(const std::string& src, spec::Unpack unpack = spec::Unpack::Auto) {
  const std::unique_ptr<os::Files> files = os::make_local_files(nullptr);
  spec::Spec spec;
  spec.files.push_back({.src = src, .as = {}, .unpack = unpack});
  JobFiles job_files(*files, "/tmp");
  EXPECT_TRUE(job_files.collect(spec).has_value());
  EXPECT_EQ(job_files.remotes().at(0).link, spec.files[0].src);
  EXPECT_EQ(job_files.remotes().at(0).address, src);
  return spec.files[0];
}

TEST(JobFiles, LinksHaveNamesThatNoShellReadsOtherwise) {
  const spec::File file = collected("hdfs:///data/cost $HOME `id` \"é\\.txt");
  EXPECT_EQ(file.src, "files/1/cost__HOME__id______.txt");
  EXPECT_EQ(file.as, "cost $HOME `id` \"é\\.txt");
}

TEST(JobFiles, ArchivesKeepTheEndingByWhichTheyAreUnpacked) {
  EXPECT_EQ(collected("hdfs:///data/my $set.tar.gz").src, "files/1/my__set.tar.gz");
  EXPECT_EQ(collected("hdfs:///data/my $set.tar.gz").as, "my $set");
  EXPECT_EQ(collected("hdfs:///data/my $set.tar.gz", spec::Unpack::No).as, "my $set.tar.gz");
}

TEST(JobFiles, OrdinaryNamesNeedNoOther) {
  const spec::File file = collected("hdfs:///data/labels-2.csv");
  EXPECT_EQ(file.src, "files/1/labels-2.csv");
  EXPECT_EQ(file.as, "");
}

}  // namespace
}  // namespace muster::cluster::yarn
