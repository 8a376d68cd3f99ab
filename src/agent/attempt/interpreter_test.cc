#include "agent/attempt/interpreter.h"

#include "os/file/local_files.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

namespace muster::agent {
namespace {

namespace fs = std::filesystem;

TEST(Interpreter, IsTheOneThatTheShellWouldFind) {
  char name[] = "/tmp/interpreter-XXXXXX";
  const fs::path root = ::mkdtemp(name);
  const std::unique_ptr<os::Files> files = os::make_local_files(nullptr);
  for (const char* file : {"a/python3", "b/python3", "b/python3.11", "work/env/bin/python"}) {
    ASSERT_TRUE(files->make_folders((root / file).parent_path()).has_value());
    ASSERT_TRUE(files->write(root / file, "").has_value());
  }
  const std::string path = (root / "a").string() + ":" + (root / "b").string();
  const auto found = [&](std::string_view command) {
    const std::string text = python_of(*files, command, path, root / "work");
    return text.empty() ? text : fs::relative(text, root).string();
  };
  EXPECT_EQ(found("python3 train.py"), "a/python3");
  EXPECT_EQ(found("exec python3.11 -u train.py"), "b/python3.11");
  EXPECT_EQ(found("env/bin/python train.py"), "work/env/bin/python");
  EXPECT_EQ(found((root / "b/python3").string() + " train.py"), "b/python3");
  EXPECT_EQ(found("./run.sh python_data"), "a/python3") << "most scripts run that";
  EXPECT_EQ(found("python2 train.py"), "");
  fs::remove_all(root);
}

}  // namespace
}  // namespace muster::agent
