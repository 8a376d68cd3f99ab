#include "agent/attempt/hadoop_classpath.h"

#include "os/file/local_files.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace muster::agent {
namespace {

namespace fs = std::filesystem;

class HadoopClasspath : public ::testing::Test {
 protected:
  HadoopClasspath() {
    char name[] = "/tmp/hadoop-classpath-XXXXXX";
    root_ = ::mkdtemp(name);
    fs::create_directories(root_ / "bin");
    fs::create_directories(root_ / "lib");
    for (const char* const file : {"b.jar", "a.jar", "notes.txt"}) {
      std::ofstream(root_ / "lib" / file) << "";
    }
  }
  ~HadoopClasspath() override { fs::remove_all(root_); }

  void install(const std::string& script) const {
    const fs::path program = root_ / "bin/hadoop";
    std::ofstream(program) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(program, fs::perms::owner_all);
  }
  std::string found(Variables environment) {
    environment.emplace("PATH", root_ / "bin:/usr/bin:/bin");
    return hadoop_classpath(*files_, environment);
  }

  fs::path root_;
  std::unique_ptr<os::Files> files_ = os::make_local_files(nullptr);
};

TEST_F(HadoopClasspath, IsWhatTheHostsProgramPrintsWithItsJars) {
  install("[ \"$*\" = classpath ] && echo \"/etc/hadoop:" + (root_ / "lib").string() + "/*\"");
  const std::string lib = (root_ / "lib").string();
  EXPECT_EQ(found({}), "/etc/hadoop:" + lib + "/a.jar:" + lib + "/b.jar");
  EXPECT_EQ(found({{"PATH", "/usr/bin:/bin"}, {"HADOOP_HOME", root_}}), found({}));
}

TEST_F(HadoopClasspath, IsEmptyWhereThereIsNoneOrNobodyWantsIt) {
  EXPECT_EQ(found({}), "");
  install("exit 1");
  EXPECT_EQ(found({}), "");
  install("echo /a");
  EXPECT_EQ(found({{"SKIP_HADOOP_PATH", "1"}}), "");
}

}  // namespace
}  // namespace muster::agent
