#include "fs/run.h"

#include "fs/file_systems.h"
#include "testing/memory_files.h"

#include <gtest/gtest.h>

namespace muster::fs {
namespace {

constexpr std::string_view kCoreSite = R"(<configuration><property>
  <name>fs.defaultFS</name><value>hdfs://nn.example:8020</value>
</property></configuration>)";

class RecordingTerminal : public Terminal {
 public:
  void out(std::string_view text) override { printed += text; }
  void err(std::string_view text) override { printed += text; }
  void status(std::string_view /*text*/) override {}
  int fail(const Error& error) override {
    errors.push_back(error.message);
    return 2;
  }

  std::string printed;
  std::vector<std::string> errors;
};

struct Machine {
  testing::MemoryTree tree;
  testing::MemoryFiles files{tree};
  std::map<std::string, std::string, std::less<>> environment{{"USER", "alice"},
                                                              {"HADOOP_USER_NAME", "alice"}};
  RecordingTerminal terminal;

  Machine() {
    EXPECT_TRUE(files.make_folders("/conf", 0700));
    EXPECT_TRUE(files.write("/conf/core-site.xml", kCoreSite, {}));
  }
  int run(Verb verb, std::vector<std::string> paths) {
    return fs::run({.terminal = terminal, .files = files, .environment = environment, .now = {}},
                   {.verb = verb, .paths = std::move(paths), .conf = "/conf"});
  }
};

TEST(FsRun, SaysWhichConfigurationIsMissing) {
  Machine machine;
  EXPECT_TRUE(machine.files.remove("/conf/core-site.xml"));
  EXPECT_EQ(machine.run(Verb::Ls, {"/"}), 2);
  ASSERT_EQ(machine.terminal.errors.size(), 1U);
  EXPECT_NE(machine.terminal.errors[0].find("core-site.xml"), std::string::npos);
}

TEST(FsRun, GoesOnAfterAPathThatIsNone) {
  Machine machine;
  EXPECT_EQ(machine.run(Verb::Cat, {"s3://bucket/a", "file:///b"}), 2);
  EXPECT_EQ(machine.terminal.errors.size(), 2U);
}

TEST(FsRun, WantsATargetOfACopy) {
  Machine machine;
  EXPECT_EQ(machine.run(Verb::Put, {"a"}), 2);
  EXPECT_EQ(machine.terminal.errors,
            std::vector<std::string>{"name what is to be copied and where to"});
}

TEST(FileSystems, ShareOneForEachAuthority) {
  Machine machine;
  const auto systems = FileSystems::open({.files = machine.files,
                                          .environment = machine.environment,
                                          .now = {},
                                          .conf = "/conf",
                                          .on_wait = {}});
  ASSERT_TRUE(systems.has_value()) << systems.error().message;
  const Result<Place> home = (*systems)->place("data/");
  const Result<Place> other = (*systems)->place("hdfs://other.example:9000/a");
  const Result<Place> again = (*systems)->place("hdfs://other.example:9000/b");
  ASSERT_TRUE(home.has_value() && other.has_value() && again.has_value());
  EXPECT_EQ(home->path, "/user/alice/data");
  EXPECT_TRUE(home->folder);
  EXPECT_EQ(home->prefix, "");
  EXPECT_EQ(other->prefix, "hdfs://other.example:9000");
  EXPECT_EQ(other->fs, again->fs);
  EXPECT_NE(other->fs, home->fs);
}

}  // namespace
}  // namespace muster::fs
