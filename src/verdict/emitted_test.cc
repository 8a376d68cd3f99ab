#include "verdict/failure_class.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

/// Goal: people never see a class that the table, and thus the reference, does not have. Method:
/// look for the names of classes in the sources of every module that can emit one.
namespace muster::verdict {
namespace {

std::string source_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Returns the classes that a source names, in a field or in an argument of something that makes
/// failures.
std::set<std::string> classes_named_in(const std::string& source) {
  static const RE2 places(
      R"re((?:class_name = |\w*(?:failure|deadline|outcome)\w*\(\s*|[.{]name = |kPortInUse = ))re"
      R"re("([a-z_]+\.[a-z_]+|stopped)")re");
  static const RE2 conditional(R"re(class_name = [^,;]*"([a-z_]+\.[a-z_]+)")re");
  std::set<std::string> names;
  for (const RE2* pattern : {&places, &conditional}) {
    re2::StringPiece rest(source);
    std::string name;
    while (RE2::FindAndConsume(&rest, *pattern, &name)) {
      names.insert(name);
    }
  }
  return names;
}

TEST(Emitted, ClassesAreInTheTable) {
  const std::filesystem::path root = std::filesystem::path(MUSTER_SOURCE_DIR) / "src";
  constexpr auto kModules = std::to_array<std::string_view>({"agent", "cluster", "job", "master"});
  std::set<std::string> names;
  for (const std::string_view module : kModules) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / module)) {
      const std::string file = entry.path().filename().string();
      if (!file.ends_with(".cc") || file.ends_with("_test.cc")) {
        continue;
      }
      for (const std::string& name : classes_named_in(source_of(entry.path()))) {
        names.insert(name);
        EXPECT_EQ(std::ranges::count(failure_classes(), name, &FailureClass::name), 1)
            << name << " of " << entry.path() << " is not in src/verdict/failure_class.cc";
      }
    }
  }
  // The search itself must not stop working: these are known to be emitted.
  for (const char* known :
       {"deadline.run", "deadline.queue", "deadline.gather", "deadline.group", "deadline.join",
        "stop.user", "cluster.refused", "cluster.application", "agent.preparation",
        "agent.unknown_attempt", "agent.orphaned", "user.files", "exit.unknown", "after.unmet",
        "host.lost", "memory.limit", "agent.silent"}) {
    EXPECT_TRUE(names.contains(known)) << known << " is no longer found";
  }
}

TEST(Emitted, IsSeenWhereItIsWritten) {
  EXPECT_EQ(classes_named_in(R"(x = {.class_name = "new.class"};)"),
            std::set<std::string>{"new.class"});
  EXPECT_EQ(classes_named_in("infrastructure_failure(\n    \"agent.new\", why)"),
            std::set<std::string>{"agent.new"});
  EXPECT_TRUE(classes_named_in(R"(log.info("agent.hello", {});)").empty());
}

}  // namespace
}  // namespace muster::verdict
