#pragma once

#include "base/result.h"

#include <string>
#include <vector>

namespace muster::tony {

/// The flags of TonY's submitters. Values that may be given often keep their order.
struct Flags {
  std::string executes;
  std::string task_params;
  std::string src_dir;
  std::string python_venv;
  std::string python_binary_path;
  std::string hdfs_classpath;
  std::string conf_file;
  std::string tensorboard_log_dir;  ///< -sidecar_tensorboard_log_dir
  std::vector<std::string> shell_env;
  std::vector<std::string> container_env;
  std::vector<std::string> conf;
};

/// Reads `-flag value`, `--flag value` and `--flag=value`. Unlike TonY, which stops silently at the
/// first word that it does not know, an unknown flag is an error that names the nearest.
[[nodiscard]] Result<Flags> parse_flags(const std::vector<std::string>& arguments);

}  // namespace muster::tony
