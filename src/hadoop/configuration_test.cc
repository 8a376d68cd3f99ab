#include "hadoop/configuration.h"

#include "hadoop/conf_fixture_test.h"

#include <gtest/gtest.h>

namespace muster::hadoop {
namespace {

std::string text(const Configuration& configuration, std::string_view name) {
  const Result<std::string> value = configuration.text(name);
  return value ? *value : value.error().message;
}

TEST(Configuration, LaterWinsUnlessAnEarlierOneIsFinal) {
  Configuration configuration;
  configuration.add({"a", "1", false, {"core-site.xml", 1, 1}});
  configuration.add({"a", "2", true, {"core-site.xml", 2, 1}});
  configuration.add({"a", "3", false, {"hdfs-site.xml", 3, 1}});
  EXPECT_EQ(text(configuration, "a"), "2");
  ASSERT_EQ(configuration.notes().size(), 1U);
  EXPECT_EQ(configuration.notes()[0],
            "hdfs-site.xml:3:1: a has no effect: it is final in core-site.xml:2:1");
  configuration.set("a", "4", "--set");
  EXPECT_EQ(text(configuration, "a"), "4");
}

TEST(Configuration, OldNamesSetAndFindTheNewOnes) {
  const Configuration configuration = configured({{"fs.default.name", " hdfs://nn "}});
  EXPECT_EQ(text(configuration, "fs.defaultFS"), "hdfs://nn");
  EXPECT_EQ(text(configuration, "fs.default.name"), "hdfs://nn");
  EXPECT_TRUE(configuration.is_set("fs.defaultFS"));
  EXPECT_EQ(*Configuration().number("dfs.block.size"), 134217728);
}

TEST(Configuration, FillsInVariables) {
  const Configuration configuration = configured(
      {{"dir", "${user.home}/x"},
       {"deep", "a${dir}b${dir}c"},
       {"env", "${env.SET}|${env.EMPTY}|${env.EMPTY:-one}|${env.EMPTY-two}|${env.NONE-three}"},
       {"unset", "${env.NONE}"},
       {"unbound", "x${not.there}y${dir}"},
       {"self", "a${self}"},
       {"nested", "${${which}}"},
       {"which", "dir"},
       {"odd", "$ ${ } ${} ${a b} $${dir}"},
       {"default", "${dfs.replication}"}},
      {.environment = {{"SET", "s"}, {"EMPTY", ""}}, .properties = {{"user.home", "/home/me"}}});
  EXPECT_EQ(text(configuration, "deep"), "a/home/me/xb/home/me/xc");
  EXPECT_EQ(text(configuration, "env"), "s||one||three");
  EXPECT_EQ(text(configuration, "unset"), "${env.NONE}");
  EXPECT_EQ(text(configuration, "unbound"), "x${not.there}y${dir}");
  EXPECT_EQ(text(configuration, "self"), "a${self}");
  EXPECT_EQ(text(configuration, "nested"), "/home/me/x");
  EXPECT_EQ(text(configuration, "odd"), "$ ${ } ${} ${a b} $/home/me/x");
  EXPECT_EQ(text(configuration, "default"), "3");
}

TEST(Configuration, LimitsWhatVariablesCanGrowTo) {
  Configuration configuration = configured({{"a", "${b}"}, {"b", "${a}"}});
  EXPECT_EQ(text(configuration, "a"),
            "test.xml:1:3: error: a is \"${b}\": it needs 20 or more expansions of ${...}; write "
            "the value itself");
  configuration.add({"large", std::string(900'000, 'x'), false, {}});
  configuration.add({"two", "${large}${large}", false, {"test.xml", 9, 1}});
  EXPECT_EQ(text(configuration, "two"),
            "test.xml:9:1: error: two is \"${large}${large}\": it grows beyond 1 MiB when ${...} "
            "is expanded");
}

TEST(Configuration, BlamesThePlaceOfAWrongValue) {
  const Configuration configuration = configured({{"dfs.replication", "three"},
                                                  {"dfs.blocksize", "128mb"},
                                                  {"ipc.client.connect.timeout", "20 s"},
                                                  {"yarn.resourcemanager.address", "${env.RM}:x"},
                                                  {"ipc.client.ping", "maybe"}},
                                                 {.environment = {{"RM", "rm"}}, .properties = {}});
  EXPECT_EQ(configuration.number("dfs.replication").error().message,
            "test.xml:1:3: error: dfs.replication is \"three\": must be a whole number");
  EXPECT_EQ(configuration.size_bytes("dfs.blocksize").error().message,
            "test.xml:2:3: error: dfs.blocksize is \"128mb\": must be a number of bytes, such as "
            "134217728 or 128m");
  EXPECT_NE(configuration.duration("ipc.client.connect.timeout", Duration(1))
                .error()
                .message.find("must be a time"),
            std::string::npos);
  EXPECT_EQ(configuration.address("yarn.resourcemanager.address", 8032).error().message,
            "test.xml:4:3: error: yarn.resourcemanager.address is \"${env.RM}:x\": that makes "
            "\"rm:x\"; must be an address of the form host:port or host (then port 8032)");
  EXPECT_EQ(*configuration.flag("ipc.client.ping"), true);
  EXPECT_EQ(configuration.number("no.such.key").error().message,
            "the Hadoop configuration lacks no.such.key: must be a whole number");
  EXPECT_NE(configuration.number("dfs.replication", 1, 512).error().message.find("three"),
            std::string::npos);
}

TEST(Configuration, GoesAlongAsXml) {
  const Configuration configuration = configured({{"a", "${env.X} <&>"}, {"b", " blank "}},
                                                 {.environment = {{"X", "x"}}, .properties = {}});
  const Result<ConfFile> file = parse_conf_file("c.xml", configuration.to_xml(), read_from({}), {});
  ASSERT_TRUE(file.has_value()) << file.error().message;
  ASSERT_EQ(file->items.size(), 2U);
  EXPECT_EQ(file->items[0].value, "x <&>");
  EXPECT_EQ(file->items[1].value, "blank");
}

}  // namespace
}  // namespace muster::hadoop
