#pragma once

#include "base/result.h"
#include "os/file/files.h"
#include "spec/read/layers.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace muster::client {

/// Where a job comes from: a specification file, or the quick form of the command line.
struct JobSource {
  std::string spec;                    ///< The file as typed; empty: `quick`.
  spec::QuickOptions quick;            ///< Used when there is no file.
  std::vector<std::string> sets;       ///< --set
  std::vector<std::string> arguments;  ///< After `--`, with a file.
  bool elsewhere = false;              ///< Tasks run on other hosts, without the user's folder.
};

/// The client's environment, read by the app.
struct Surroundings {
  std::filesystem::path site_file = "/etc/muster/site.yaml";
  std::filesystem::path user_config;     ///< $MUSTER_HOME/config.yaml
  std::filesystem::path working_folder;  ///< Absolute.
  std::map<std::string, std::string, std::less<>> environment;
};

/// A job as read, ready to be planned.
struct ReadJob {
  spec::Loaded loaded;  ///< With paths made absolute.
  /// What the user wrote; for the quick form, the equivalent specification.
  std::string spec_text;
};

/// Reads the files of the layers (site, user's configuration, specification); the first two need
/// not exist.
[[nodiscard]] Result<spec::Layers> read_layers(os::Files& files, const JobSource& source,
                                               const Surroundings& surroundings);

/// Reads, checks (job_checks.h) and completes a job: secrets must have values, relative paths
/// become absolute (those of a specification are relative to it). In the quick form the tasks run
/// in the user's own folder, as they would by hand. Errors are the user's: at most 10 lines with
/// file, line and column.
[[nodiscard]] Result<ReadJob> read_job(os::Files& files, const JobSource& source,
                                       const Surroundings& surroundings);

}  // namespace muster::client
