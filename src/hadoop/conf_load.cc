#include "hadoop/conf_load.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace muster::hadoop {
namespace {

using Path = std::filesystem::path;

std::string variable(const ConfSource& source, const std::string& name) {
  const auto found = source.environment.find(name);
  return found == source.environment.end() ? std::string() : found->second;
}

/// Returns whether the folder has a file that only a Hadoop client has. An unreadable file counts:
/// loading it reports why.
bool has_configuration(const Path& folder, const ReadFile& read) {
  return std::ranges::any_of(kConfFiles, [&](const char* name) {
    const Result<std::string> text = read(folder / name);
    return text.has_value() || text.error().code != Errc::NotFound;
  });
}

std::vector<Path> files_over(const ConfSource& source) {
  std::vector<Path> files;
  for (const std::string_view file :
       split(variable(source, std::string(kFilesOverVariable)), ':')) {
    if (!file.empty()) {
      files.emplace_back(file);
    }
  }
  return files;
}

Error nowhere(const std::vector<Path>& folders, std::string_view advice) {
  std::string names;
  for (const Path& folder : folders) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", folder.string());
  }
  return user_error(fmt::format("no Hadoop configuration (core-site.xml, yarn-site.xml) in {}; {}",
                                names, advice),
                    Errc::NotFound);
}

void add(const Path& path, const ConfFile& file, Configuration& to) {
  to.add_file(path.string());
  std::ranges::for_each(file.notes, [&](const std::string& n) { to.note(n); });
  std::ranges::for_each(file.items, [&](const ConfItem& item) { to.add(item); });
}

}  // namespace

Result<std::vector<Path>> find_conf_folders(const ConfSource& source, const ReadFile& read) {
  if (!source.folder.empty()) {
    if (!has_configuration(source.folder, read)) {
      return nowhere({source.folder}, "fix the path of the cluster's `conf`");
    }
    return std::vector<Path>{source.folder};
  }
  std::vector<Path> named;
  for (const char* name : {"HADOOP_CONF_DIR", "YARN_CONF_DIR"}) {
    if (const std::string folder = variable(source, name);
        !folder.empty() && std::ranges::find(named, Path(folder)) == named.end()) {
      named.emplace_back(folder);
    }
  }
  if (!named.empty()) {
    if (std::ranges::none_of(named, [&](const Path& p) { return has_configuration(p, read); })) {
      return nowhere(named, "fix HADOOP_CONF_DIR (or YARN_CONF_DIR)");
    }
    return named;
  }
  std::vector<Path> usual;
  if (const std::string home = variable(source, "HADOOP_HOME"); !home.empty()) {
    usual.push_back(Path(home) / "etc/hadoop");
  }
  usual.emplace_back("/etc/hadoop/conf");
  usual.emplace_back("/etc/hadoop");
  for (const Path& folder : usual) {
    if (has_configuration(folder, read)) {
      return std::vector<Path>{folder};
    }
  }
  // The rest of a configuration lies beside those of its files that are named.
  std::vector<Path> beside;
  for (const Path& file : files_over(source)) {
    if (std::ranges::find(beside, file.parent_path()) == beside.end()) {
      beside.push_back(file.parent_path());
    }
  }
  if (!beside.empty()) {
    return beside;
  }
  return nowhere(usual, "set HADOOP_CONF_DIR to the folder that has them");
}

Result<Configuration> load_configuration(const ConfSource& source, const ReadFile& read) {
  MUSTER_TRY(const std::vector<Path> folders, find_conf_folders(source, read));
  Surroundings surroundings{.environment = source.environment, .properties = source.properties};
  surroundings.properties.emplace("java.io.tmpdir", "/tmp");
  Configuration configuration(std::move(surroundings));
  for (const char* name : kConfFiles) {
    for (const Path& folder : folders) {
      const Result<std::string> text = read(folder / name);
      if (!text) {
        if (text.error().code == Errc::NotFound) {
          continue;
        }
        return text.error().within("cannot read the Hadoop configuration");
      }
      MUSTER_TRY(const ConfFile file, parse_conf_file(folder / name, *text, read, folders));
      add(folder / name, file, configuration);
      break;
    }
  }
  for (const Path& path : files_over(source)) {
    const Result<std::string> text = read(path);
    if (!text) {
      return text.error().within("cannot read the Hadoop configuration");
    }
    MUSTER_TRY(const ConfFile file, parse_conf_file(path, *text, read, folders));
    add(path, file, configuration);
  }
  return configuration;
}

}  // namespace muster::hadoop
