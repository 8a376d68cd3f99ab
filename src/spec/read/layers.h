#pragma once

#include "base/result.h"
#include "spec/keys/keys.h"
#include "spec/read/document.h"
#include "spec/spec.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::spec {

/// The content of one file, and the name it has in messages.
struct TextInput {
  std::string name;
  std::string text;
};

/// A framework as data, by the name that jobs give it.
struct FrameworkInput {
  std::string name;
  TextInput file;
};

/// A job given on the command line instead of in a file. The texts are those the user typed.
struct QuickOptions {
  std::optional<std::string> tasks;         ///< -n
  std::optional<std::string> framework;     ///< --framework
  std::optional<std::string> name;          ///< --name
  std::vector<std::string> roles;           ///< --role, as in "ps=1,memory=2g" or "worker=2..8"
  std::optional<std::string> memory;        ///< --memory: of each task whose --role names none.
  std::optional<std::string> vcores;        ///< --vcores, likewise.
  std::optional<std::string> gpus;          ///< --gpus, likewise.
  std::optional<std::string> max_restarts;  ///< --max-restarts: restart.process.
  std::vector<std::string> command;         ///< The words after `--`.
  /// Tasks that request no GPUs see those of their host, as when run by hand; if containers have a
  /// size, they see none.
  bool shares_gpus = true;
  /// logs.merged: for those who read both streams of the tasks in one place.
  bool merges_streams = false;
};

/// Everything that values may come from, in rising precedence after the built-in ones. All as text:
/// this module opens no files and reads no environment.
struct Layers {
  /// Those of the site and the user; an earlier one hides a later one of the same name.
  std::vector<FrameworkInput> frameworks;
  std::optional<TextInput> site;    ///< /etc/muster/site.yaml
  std::optional<TextInput> config;  ///< $MUSTER_HOME/config.yaml
  /// The variables whose name begins with MUSTER_SET_; others are ignored.
  std::vector<std::pair<std::string, std::string>> environment;
  std::optional<TextInput> spec;  ///< Exactly one of `spec` and `quick` is given.
  std::optional<QuickOptions> quick;
  std::vector<std::string> sets;  ///< --set, as in "roles.worker.tasks=8"
  std::vector<std::string> args;  ///< Words to append to the top-level command of `spec`.
};

/// A job ready to be planned.
struct Loaded {
  Spec spec;
  Node document;                      ///< All layers merged; tells where each value came from.
  std::vector<std::string> warnings;  ///< "FILE:LINE:COLUMN: warning: ...", one line each.
  std::map<std::string, ClusterEntry>
      clusters;  ///< The names that `--on` may use besides the types.
  Cleaning cleaning;
};

/// Merges the layers and checks the result. On failure the error's message has at most 10 lines
/// "FILE:LINE:COLUMN: error: message". Pure: the same layers give the same result.
[[nodiscard]] Result<Loaded> load(const Layers& layers);

/// The same for a job without any file or layer.
[[nodiscard]] Result<Spec> from_quick(const QuickOptions& options);

/// Returns the clusters that the site and the user's configuration name, without needing a job.
[[nodiscard]] Result<std::map<std::string, ClusterEntry>> load_clusters(const Layers& layers);

/// Returns how long the site and the user's configuration keep ended jobs.
[[nodiscard]] Result<Cleaning> load_cleaning(const Layers& layers);

/// Returns which ways into running jobs the site forbids.
[[nodiscard]] Result<std::vector<Prohibition>> load_forbidden(const Layers& layers);

/// Returns what the site file says about portals; the other layers have no say.
[[nodiscard]] Result<PortalRules> load_portal_rules(const Layers& layers);

/// Returns, for `muster config --explain KEY`, one line for each layer's value of the key, with the
/// effective one marked. Works without a spec, too.
[[nodiscard]] Result<std::string> config_explain(const Layers& layers, std::string_view key);

/// Returns, for `muster config`, every key that a layer sets, with its value and where it was set,
/// one line each, plus the named clusters.
[[nodiscard]] Result<std::string> config_overview(const Layers& layers);

}  // namespace muster::spec
