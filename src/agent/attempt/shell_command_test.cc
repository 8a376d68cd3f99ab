#include "agent/attempt/shell_command.h"

#include "os/file/local_files.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

namespace muster::agent {
namespace {

namespace fs = std::filesystem;

TEST(ShellCommand, BashPassesOnWhatOtherShellsDrop) {
  const std::unique_ptr<os::Files> files = os::make_local_files(nullptr);
  const auto shell = [&](const std::string& name) {
    return shell_argv(*files, "true", {{"PATH", "/bin"}, {name, "1"}}).front();
  };
  EXPECT_EQ(shell_argv(*files, "a b", {{"PATH", "/bin"}}),
            (std::vector<std::string>{"/bin/sh", "-c", "a b"}));
  EXPECT_EQ(shell("_OK9"), "/bin/sh");
  for (const char* odd : {"a.b", "x-y", "9lives", "BASH_FUNC_module%%"}) {
    EXPECT_EQ(shell(odd), fs::exists("/bin/bash") ? "/bin/bash" : "/bin/sh") << odd;
  }
}

TEST(ShellCommand, OneProgramTakesTheShellsPlace) {
  char name[] = "/tmp/shell-command-XXXXXX";
  const fs::path root = ::mkdtemp(name);
  const std::unique_ptr<os::Files> files = os::make_local_files(nullptr);
  for (const char* file : {"bin/python3", "bin/echo", "bin/if", "work/run.sh", "work/A=1"}) {
    ASSERT_TRUE(files->make_folders((root / file).parent_path()).has_value());
    ASSERT_TRUE(files->write(root / file, "", {.mode = 0755}).has_value());
  }
  ASSERT_TRUE(files->write(root / "work/data.py", "").has_value());
  const auto shown = [&](const std::string& command) {
    return shell_command(*files, command, (root / "bin").string(), root / "work");
  };
  EXPECT_EQ(shown("python3 train.py --name \"a b\" $DATA > log"),
            "exec python3 train.py --name \"a b\" $DATA > log");
  EXPECT_EQ(shown("\n ./run.sh 1\n"), "exec ./run.sh 1");
  EXPECT_EQ(shown((root / "bin/python3").string()), "exec " + (root / "bin/python3").string());
  EXPECT_EQ(shown("cd ../work && ./run.sh 1"), "cd ../work && exec ./run.sh 1");
  EXPECT_EQ(shown("cd / && ./run.sh 1"), "cd / && ./run.sh 1");
  EXPECT_EQ(shown("cd 'a b' && python3 a.py"), "cd 'a b' && python3 a.py");
  EXPECT_EQ(shown("cd /tmp && python3 a.py; true"), "cd /tmp && python3 a.py; true");
  EXPECT_EQ(shown("python3 -c 'import a; f(1)'"), "exec python3 -c 'import a; f(1)'");
  EXPECT_EQ(shown("python3 -c 'a' ; 'b'"), "python3 -c 'a' ; 'b'");
  EXPECT_EQ(shown("python3 \"it's\" ; true'"), "python3 \"it's\" ; true'");
  for (const char* same : {"",
                           " ",
                           "python3 a.py; python3 b.py",
                           "python3 a.py && true",
                           "python3 a.py | tee log",
                           "python3 a.py &",
                           "(python3 a.py)",
                           "python3 $(cat words)",
                           "python3 `cat words`",
                           "python3 a.py\npython3 b.py",
                           "A=1 python3 a.py",
                           "$PYTHON a.py",
                           "'python3' a.py",
                           "echo a",
                           "if true",
                           "exec python3 a.py",
                           "trian.py",
                           "./nowhere.sh",
                           "./data.py",
                           "../bin",
                           "> log python3"}) {
    EXPECT_EQ(shown(same), same);
  }
  fs::remove_all(root);
}

TEST(FirstFolder, IsWhereTheCommandGoesBeforeAnythingElse) {
  EXPECT_EQ(first_folder("cd /data/x && exec python3 a.py", "/task"), "/data/x");
  EXPECT_EQ(first_folder("  cd sub && ./a; cd /tmp", "/task"), "/task/sub");
  EXPECT_EQ(first_folder("cd '/home/a b' && python3 a.py", "/task"), "/home/a b");
  for (const char* same : {"", "python3 a.py", "cd /x", "cd $DATA && ./a", "cd - && ./a",
                           "cd '/it'\\''s' && ./a", "cd 'a' b && ./a", "cd '' && ./a",
                           "cd ~ && ./a", "cd a b && ./a", "cd /x; ./a && ./b", "cdx && ./a"}) {
    EXPECT_EQ(first_folder(same, "/task"), "/task") << same;
  }
}

}  // namespace
}  // namespace muster::agent
