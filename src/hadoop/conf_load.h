#pragma once

#include "base/result.h"
#include "hadoop/conf_file.h"
#include "hadoop/configuration.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster::hadoop {

/// The files of a Hadoop client, in the order in which they are laid over each other.
inline constexpr const char* kConfFiles[] = {"core-site.xml", "hdfs-site.xml", "yarn-site.xml",
                                             "resource-types.xml"};

/// Names files that override those of the folders, later ones overriding earlier ones; separated by
/// colons. For users whose cluster's files are elsewhere, as the settings of a TonY job say.
inline constexpr std::string_view kFilesOverVariable = "MUSTER_HADOOP_FILES";

struct ConfSource {
  /// The folder named by the site file's `clusters` or the command line; empty: looked for.
  std::filesystem::path folder;
  std::map<std::string, std::string> environment;
  /// What Java calls system properties: user.name, user.home; java.io.tmpdir is added if missing.
  std::map<std::string, std::string> properties;
};

/// Returns the folders to look into, first match wins for each file: `source.folder`; else
/// $HADOOP_CONF_DIR, then $YARN_CONF_DIR; else the one of $HADOOP_HOME/etc/hadoop,
/// /etc/hadoop/conf and /etc/hadoop that has a core-site.xml or yarn-site.xml. NotFound, naming all
/// of them, if no such file is anywhere; or the folders of the files that are to be laid over.
[[nodiscard]] Result<std::vector<std::filesystem::path>> find_conf_folders(const ConfSource& source,
                                                                           const ReadFile& read);

/// Reads the client's configuration. A missing file is skipped as in Hadoop; an invalid one is an
/// error that names file and line. Blocks as long as `read` does.
[[nodiscard]] Result<Configuration> load_configuration(const ConfSource& source,
                                                       const ReadFile& read);

}  // namespace muster::hadoop
