#pragma once

#include "base/result.h"

#include <string>
#include <utility>
#include <vector>

namespace muster::tony {

/// The flags of TonY's submitters, and those of `muster tony`. Values that may be given often keep
/// their order.
struct Flags {
  std::string executes;
  std::string task_params;
  std::string src_dir;
  std::string python_venv;
  std::string python_binary_path;
  std::string hdfs_classpath;
  std::string conf_file;            ///< Also a word that ends in .xml and belongs to no flag.
  std::string tensorboard_log_dir;  ///< -sidecar_tensorboard_log_dir
  std::vector<std::string> shell_env;
  std::vector<std::string> container_env;
  std::vector<std::string> conf;
  bool debug = false;  ///< Has no effect: nothing lies around that it could keep.
  bool help = false;

  // Muster's own.
  bool convert = false;              ///< Only print the specification.
  bool explain = false;              ///< Only say what becomes of each setting.
  std::string on;                    ///< The cluster; empty: yarn.
  std::vector<std::string> set;      ///< KEY=VALUE of the specification.
  std::vector<std::string> setting;  ///< KEY=VALUE of TonY, below `-conf`; replaces whole lists.
  std::vector<std::string> default_setting;  ///< KEY=VALUE of TonY, below every file.
  bool json = false;                         ///< As in `muster run`.
  bool quiet = false;                        ///< As in `muster run`.
  bool notebook = false;                     ///< Lead a port of this machine to the task's TB_PORT.
  bool muster_exit_status = false;           ///< Instead of TonY's 0 and 255.

  /// TonY's flags as they were given, with their values: {"-executes", "train.py"}.
  std::vector<std::pair<std::string, std::string>> given;
  /// TonY's flags that take one value but were given several times: the first counts, as in TonY.
  std::vector<std::string> repeated;
};

/// Parses `-flag value`, `--flag value`, `--flag=value` and `-flag=value`. Muster's own flags need
/// two dashes; after `-task_params` they are a value, for the program. Unlike TonY, which stops
/// silently at the first unknown word, an unknown flag is an error that names the nearest. For
/// TonY's single-value flags the first counts, for Muster's the last.
[[nodiscard]] Result<Flags> parse_flags(const std::vector<std::string>& arguments);

/// Returns what `-help` prints.
[[nodiscard]] std::string flags_help();

}  // namespace muster::tony
