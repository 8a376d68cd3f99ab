#include "agent/attempt/hadoop_classpath.h"

#include "base/text.h"
#include "os/process/command.h"

#include <array>
#include <chrono>
#include <filesystem>
#include <string_view>
#include <vector>

namespace muster::agent {
namespace {

namespace fs = std::filesystem;

constexpr Duration kPatience = std::chrono::seconds(30);
constexpr std::array<const char*, 2> kHomes = {"HADOOP_HOME", "HADOOP_COMMON_HOME"};

/// Returns the host's Hadoop program, or an empty path.
fs::path find_program(os::Files& files, const Variables& environment) {
  for (const char* const name : kHomes) {
    const auto home = environment.find(name);
    if (home != environment.end() && !home->second.empty()) {
      const fs::path program = fs::path(home->second) / "bin" / "hadoop";
      if (files.exists(program)) {
        return program;
      }
    }
  }
  const auto path = environment.find("PATH");
  for (const std::string_view folder :
       split(path == environment.end() ? std::string_view() : path->second, ':')) {
    const fs::path program = fs::path(folder) / "hadoop";
    if (!folder.empty() && files.exists(program)) {
      return program;
    }
  }
  return {};
}

/// An entry "FOLDER/*" means all its jars; the JVM that libhdfs starts does not expand it.
void add_entry(os::Files& files, std::string_view entry, std::vector<std::string>& entries) {
  constexpr std::string_view kAll = "/*";
  if (!entry.ends_with(kAll)) {
    entries.emplace_back(entry);
    return;
  }
  entry.remove_suffix(kAll.size());
  const auto listed = files.list(fs::path(entry));
  if (!listed.has_value()) {
    return;
  }
  for (const os::FolderEntry& file : *listed) {
    if (file.name.ends_with(".jar") || file.name.ends_with(".JAR")) {
      entries.push_back((fs::path(entry) / file.name).string());
    }
  }
}

}  // namespace

std::string hadoop_classpath(os::Files& files, const Variables& environment) {
  if (environment.contains("SKIP_HADOOP_PATH")) {
    return {};
  }
  const fs::path program = find_program(files, environment);
  if (program.empty()) {
    return {};
  }
  os::SpawnOptions options;
  options.argv = {program.string(), "classpath"};
  options.env = environment;
  options.stderr_to = os::ToNull{};
  const auto printed = os::run_command(std::move(options), kPatience);
  if (!printed.has_value() || printed->exit.code != 0) {
    return {};
  }
  std::vector<std::string> entries;
  for (const std::string_view entry : split(trim(printed->stdout_text), ':')) {
    if (!entry.empty()) {
      add_entry(files, entry, entries);
    }
  }
  return join(entries, ":");
}

}  // namespace muster::agent
