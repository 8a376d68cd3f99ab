#include "cluster/yarn/client/hadoop_doctor.h"

#include "testing/memory_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>

namespace muster::cluster::yarn {
namespace {

using Verdict = Finding::Verdict;

class HadoopDoctorTest : public ::testing::Test {
 protected:
  /// Writes a file into the folder that HADOOP_CONF_DIR names.
  void write(const std::string& name, const std::string& content) {
    input_.environment["HADOOP_CONF_DIR"] = "/conf";
    ASSERT_TRUE(files_.make_folders("/conf", 0755));
    ASSERT_TRUE(files_.write("/conf/" + name, content));
  }
  void set(const std::string& name,
           std::initializer_list<std::pair<const char*, const char*>> values) {
    std::string text = "<configuration>\n";
    for (const auto& [key, value] : values) {
      text += fmt::format("<property><name>{}</name><value>{}</value></property>\n", key, value);
    }
    write(name, text + "</configuration>\n");
  }
  std::vector<Finding> findings() { return examine_hadoop(files_, input_); }
  /// Returns the last finding, which must be bad.
  Finding worst() {
    const std::vector<Finding> all = findings();
    EXPECT_EQ(all.back().verdict, Verdict::Bad) << all.back().text;
    return all.back();
  }

  testing::MemoryTree tree_;
  testing::MemoryFiles memory_{tree_};
  os::Files& files_ = memory_;
  HadoopDoctorInput input_{.environment = {{"USER", "alice"}, {"HOME", "/home/alice"}},
                           .uid = 7,
                           .now = WallTime(std::chrono::hours(24 * 365 * 50)),
                           .kerberos_helper = "/bin/muster-krb5",
                           .patience = Duration::zero()};
};

TEST_F(HadoopDoctorTest, NotesThatNoClusterIsConfigured) {
  const std::vector<Finding> all = findings();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].verdict, Verdict::Note);
  EXPECT_NE(all[0].advice.find("HADOOP_CONF_DIR"), std::string::npos);
}

TEST_F(HadoopDoctorTest, AFolderThatIsNamedMustHaveFiles) {
  input_.environment["HADOOP_CONF_DIR"] = "/nowhere";
  EXPECT_NE(worst().text.find("/nowhere"), std::string::npos);
}

TEST_F(HadoopDoctorTest, NamesThePlaceOfAMistake) {
  write("core-site.xml", "<configuration>\n<property><name>a</name>\n");
  EXPECT_NE(worst().text.find("/conf/core-site.xml:"), std::string::npos);
}

TEST_F(HadoopDoctorTest, TellsEveryValueThatIsWrong) {
  set("core-site.xml", {{"hadoop.rpc.protection", "secret"}});
  set("hdfs-site.xml", {{"dfs.replication", "many"}});
  const std::vector<Finding> all = findings();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_NE(all[1].text.find("/conf/core-site.xml:2"), std::string::npos) << all[1].text;
  EXPECT_NE(all[2].text.find("/conf/hdfs-site.xml:2"), std::string::npos) << all[2].text;
}

TEST_F(HadoopDoctorTest, SaysWhatIsMissingForKerberos) {
  set("core-site.xml", {{"hadoop.security.authentication", "kerberos"}});
  input_.environment["KRB5CCNAME"] = "FILE:/tickets";
  const Finding found = worst();
  EXPECT_EQ(found.subject, "login");
  EXPECT_NE(found.text.find("kinit"), std::string::npos) << found.text;
}

TEST_F(HadoopDoctorTest, SaysThatATokenFileIsMissing) {
  set("core-site.xml", {{"fs.defaultFS", "hdfs://nn"}});
  input_.environment["HADOOP_TOKEN_FILE_LOCATION"] = "/tokens";
  const Finding found = worst();
  EXPECT_EQ(found.subject, "tokens");
  EXPECT_NE(found.text.find("/tokens"), std::string::npos);
}

TEST_F(HadoopDoctorTest, AsksBothMasters) {
  set("core-site.xml", {{"fs.defaultFS", "file:///"}});
  const std::vector<Finding> all = findings();
  ASSERT_GE(all.size(), 2U);
  EXPECT_EQ(all[all.size() - 2].subject, "hdfs");
  EXPECT_NE(all[all.size() - 2].text.find("fs.defaultFS"), std::string::npos);
  EXPECT_EQ(all.back().subject, "yarn");
}

}  // namespace
}  // namespace muster::cluster::yarn
