#include "hadoop/name_service.h"

#include "hadoop/conf_fixture_test.h"

#include <gtest/gtest.h>

namespace muster::hadoop {
namespace {

const std::vector<std::pair<std::string, std::string>> kPair{
    {"fs.defaultFS", "hdfs://ns1"},
    {"dfs.nameservices", "ns1,ns2"},
    {"dfs.client.failover.proxy.provider.ns1", "x.ConfiguredFailoverProxyProvider"},
    {"dfs.ha.namenodes.ns1", "nn1, nn2"},
    {"dfs.namenode.rpc-address.ns1.nn1", "a.example"},
    {"dfs.namenode.rpc-address.ns1.nn2", "b.example:9000"}};

TEST(NameService, OneNameNodeIsAnAddress) {
  const Configuration configuration = configured({{"fs.defaultFS", "hdfs://nn.example"}});
  const Result<HdfsPath> path = hdfs_path(configuration, "/data/x y%20");
  ASSERT_TRUE(path.has_value()) << path.error().message;
  EXPECT_EQ(path->path, "/data/x y%20");
  EXPECT_EQ(path->service, (NameService{"nn.example:8020", false, {{"", {"nn.example", 8020}}}}));
  EXPECT_EQ(hdfs_path(configuration, "hdfs://other:9")->path, "/");
  EXPECT_EQ(hdfs_path(configuration, "hdfs://other:9/a:b")->service.name, "other:9");
  EXPECT_EQ(hdfs_path(configuration, "hdfs:///a")->path, "/a");
  EXPECT_EQ(hdfs_path(configuration, "below/home:me")->path, "below/home:me");
  EXPECT_EQ(hdfs_path(configuration, "")->path, "");
}

TEST(NameService, ALogicalNameHasAllItsNameNodes) {
  const Result<NameService> service = default_name_service(configured(kPair));
  ASSERT_TRUE(service.has_value()) << service.error().message;
  EXPECT_EQ(
      *service,
      (NameService{"ns1", true, {{"nn1", {"a.example", 8020}}, {"nn2", {"b.example", 9000}}}}));
}

TEST(NameService, SaysWhatALogicalNameLacks) {
  auto items = kPair;
  items.pop_back();
  EXPECT_EQ(default_name_service(configured(items)).error().message,
            "the Hadoop configuration lacks dfs.namenode.rpc-address.ns1.nn2: dfs.ha.namenodes.ns1 "
            "names the NameNode nn2: set its address");
  items[3].second = " ";
  EXPECT_EQ(default_name_service(configured(items)).error().message,
            "test.xml:4:3: error: dfs.ha.namenodes.ns1 is \"\": list the ids of its NameNodes in "
            "hdfs-site.xml");
  EXPECT_EQ(hdfs_path(configured(kPair), "hdfs://ns1:8020/x").error().message,
            "hdfs://ns1:8020 has a port, but ns1 is a name service: remove the port");
}

TEST(NameService, RefusesWhatIsNoHdfs) {
  EXPECT_EQ(default_name_service(Configuration()).error().message,
            "the Hadoop configuration lacks fs.defaultFS: Muster needs an HDFS here, "
            "hdfs://HOST:PORT or hdfs://NAMESERVICE (is HADOOP_CONF_DIR the right folder?)");
  EXPECT_NE(default_name_service(configured({{"fs.defaultFS", "viewfs://c"}}))
                .error()
                .message.find("test.xml:1:3: error: fs.defaultFS is \"viewfs://c\""),
            std::string::npos);
  EXPECT_NE(default_name_service(configured({{"fs.defaultFS", "hdfs:///"}}))
                .error()
                .message.find("the NameNode is missing"),
            std::string::npos);
  const Result<HdfsPath> s3 = hdfs_path(configured(kPair), "s3a://bucket/x");
  EXPECT_EQ(s3.error().code, Errc::Unsupported);
  EXPECT_EQ(hdfs_path(configured(kPair), "hdfs://n@n/").error().message,
            "hdfs://n@n names no NameNode: write hdfs://HOST:PORT or one of the name services ns1, "
            "ns2");
}

TEST(NameService, ReadsTheOldestFormOfTheDefault) {
  EXPECT_EQ(default_name_service(configured({{"fs.default.name", "nn:9000"}}))->name, "nn:9000");
  EXPECT_EQ(default_name_service(configured({{"fs.default.name", "nn"}}))->name, "nn:8020");
}

}  // namespace
}  // namespace muster::hadoop
