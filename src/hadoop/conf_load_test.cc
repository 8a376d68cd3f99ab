#include "hadoop/conf_load.h"

#include "hadoop/conf_fixture_test.h"

#include <gtest/gtest.h>

namespace muster::hadoop {
namespace {

std::string site(const std::string& properties) {
  return "<configuration>" + properties + "</configuration>";
}

TEST(ConfLoad, LaysTheFilesOverEachOther) {
  const ReadFile read =
      read_from({{"/h/core-site.xml", site(property("a", "1") + property("b", "core"))},
                 {"/h/hdfs-site.xml", site(property("a", "2"))},
                 {"/y/core-site.xml", site(property("a", "not read"))},
                 {"/y/yarn-site.xml", site(property("b", "${a} ${java.io.tmpdir}"))}});
  const Result<Configuration> configuration =
      load_configuration({.folder = {},
                          .environment = {{"HADOOP_CONF_DIR", "/h"}, {"YARN_CONF_DIR", "/y"}},
                          .properties = {}},
                         read);
  ASSERT_TRUE(configuration.has_value()) << configuration.error().message;
  EXPECT_EQ(*configuration->text("b"), "2 /tmp");
  EXPECT_EQ(configuration->files(),
            (std::vector<std::string>{"/h/core-site.xml", "/h/hdfs-site.xml", "/y/yarn-site.xml"}));
}

TEST(ConfLoad, LooksInTheUsualPlaces) {
  const std::string empty = site("");
  const ConfSource nothing;
  EXPECT_EQ(find_conf_folders(nothing, read_from({{"/etc/hadoop/conf/core-site.xml", empty},
                                                  {"/etc/hadoop/core-site.xml", empty}}))
                ->front(),
            "/etc/hadoop/conf");
  const ConfSource home{.folder = {}, .environment = {{"HADOOP_HOME", "/opt/h"}}, .properties = {}};
  EXPECT_EQ(
      find_conf_folders(home, read_from({{"/opt/h/etc/hadoop/yarn-site.xml", empty}}))->front(),
      "/opt/h/etc/hadoop");
  EXPECT_EQ(find_conf_folders(home, read_from({})).error().message,
            "no Hadoop configuration (core-site.xml, yarn-site.xml) in /opt/h/etc/hadoop, "
            "/etc/hadoop/conf, /etc/hadoop; set HADOOP_CONF_DIR to the folder that has them");
}

TEST(ConfLoad, LaysNamedFilesOverThoseOfTheFolders) {
  const ReadFile read = read_from({{"/h/core-site.xml", site(property("a", "1"))},
                                   {"/h/yarn-site.xml", site(property("b", "folder"))},
                                   {"/x/core-site.xml", site(property("c", "beside"))},
                                   {"/x/hdfs.xml", site(property("a", "2"))},
                                   {"/x/yarn.xml", site(property("b", "over ${a}"))}});
  ConfSource source;
  source.environment = {{"HADOOP_CONF_DIR", "/h"},
                        {"MUSTER_HADOOP_FILES", "/x/hdfs.xml:/x/yarn.xml"}};
  Result<Configuration> configuration = load_configuration(source, read);
  ASSERT_TRUE(configuration.has_value()) << configuration.error().message;
  EXPECT_EQ(*configuration->text("b"), "over 2");
  source.environment.erase("HADOOP_CONF_DIR");
  configuration = load_configuration(source, read);
  ASSERT_TRUE(configuration.has_value()) << configuration.error().message;
  EXPECT_EQ(configuration->files(),
            (std::vector<std::string>{"/x/core-site.xml", "/x/hdfs.xml", "/x/yarn.xml"}));
  source.environment["MUSTER_HADOOP_FILES"] = "/x/typo.xml";
  EXPECT_FALSE(load_configuration(source, read).has_value());
}

TEST(ConfLoad, AFolderThatIsNamedMustHaveOne) {
  const ReadFile read = read_from({{"/etc/hadoop/conf/core-site.xml", site("")}});
  const ConfSource named{
      .folder = {}, .environment = {{"HADOOP_CONF_DIR", "/typo"}}, .properties = {}};
  const Result<Configuration> configuration = load_configuration(named, read);
  ASSERT_FALSE(configuration.has_value());
  EXPECT_EQ(configuration.error().code, Errc::NotFound);
  EXPECT_EQ(configuration.error().message,
            "no Hadoop configuration (core-site.xml, yarn-site.xml) in /typo; fix HADOOP_CONF_DIR "
            "(or YARN_CONF_DIR)");
  EXPECT_FALSE(find_conf_folders({.folder = "/prod", .environment = {}, .properties = {}}, read));
}

TEST(ConfLoad, SaysWhyAFileCannotBeRead) {
  const ReadFile denied = [](const std::filesystem::path& path) -> Result<std::string> {
    return Error{Errc::PermissionDenied, Blame::User, path.string() + ": Permission denied"};
  };
  const ConfSource named{.folder = "/c", .environment = {}, .properties = {}};
  EXPECT_EQ(load_configuration(named, denied).error().message,
            "cannot read the Hadoop configuration: /c/core-site.xml: Permission denied");
  EXPECT_NE(load_configuration(named, read_from({{"/c/core-site.xml", "<configuration>"}}))
                .error()
                .message.find("/c/core-site.xml:1:"),
            std::string::npos);
}

}  // namespace
}  // namespace muster::hadoop
