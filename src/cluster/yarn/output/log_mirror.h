#pragma once

#include "base/result.h"
#include "cluster/yarn/client/client_session.h"
#include "cluster/yarn/output/copy_budget.h"
#include "cluster/yarn/output/node_logs.h"
#include "hadoop/yarn/ids.h"
#include "os/file/files.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cluster::yarn {

/// A container, and the node that has its log files.
struct LogSource {
  std::string container;  ///< "container_1700000000000_0007_01_000002".
  std::string node;       ///< "host:45454".
};

/// Limits on the cost and the content of a copy of somebody else's output.
struct MirrorLimits {
  /// Node managers are asked only for containers of this user's applications, whatever the job's
  /// log, which its owner controls, says (PermissionDenied otherwise); "": for all.
  std::string owner = {};
  /// For the whole copy, as CopyBudget counts; more is NeverFits.
  uint64_t bytes_max = UINT64_MAX;
  /// For one call; longer is DeadlineExceeded.
  std::optional<Duration> time_max = std::nullopt;
};

/// Returns how much disk such a copy takes, as CopyBudget counts. May be called on any thread.
[[nodiscard]] uint64_t copied_bytes(os::Files& files, const std::filesystem::path& folder);

/// Copies the tasks' output of a job into a folder here, from where YARN keeps it: node managers
/// serve it while containers live and until it is in HDFS, in the cluster's own file for each node.
/// The copy uses the names that the files have in the containers; what exists already is not
/// fetched again. Calls block.
class LogMirror {
 public:
  /// `folder`: the job's logs here.
  LogMirror(ClientSession& session, os::Files& files, std::filesystem::path folder,
            MirrorLimits limits = {})
      : session_(session), files_(files), folder_(std::move(folder)), limits_(std::move(limits)) {}

  /// What a copy lacks, as text for users; empty if it is complete so far.
  using Gaps = std::vector<std::string>;

  /// For a running job: copies from its node managers, as far as the output is written.
  [[nodiscard]] Result<Gaps> bring_live(const std::vector<LogSource>& sources);
  /// For a job that is over: copies from HDFS, else from the node managers. `user`: whose job it
  /// is.
  [[nodiscard]] Result<Gaps> bring_ended(const std::vector<LogSource>& sources,
                                         const std::string& user);

 private:
  [[nodiscard]] Status begin();
  [[nodiscard]] Status spend(uint64_t bytes);
  [[nodiscard]] Status check_owner(const LogSource& source);
  [[nodiscard]] Result<std::vector<NodeLogFile>> list_on_node(const std::string& server,
                                                              const LogSource& source);
  /// Returns how many files its node shows.
  [[nodiscard]] Result<size_t> bring_from_node(const LogSource& source);
  /// The same for a container that has ended. NotFound if its node is removing the files, as it
  /// does once they are in HDFS: then some may be missing here.
  [[nodiscard]] Status bring_rest_from_node(const LogSource& source);
  [[nodiscard]] Status bring_file(const LogSource& source, const std::string& node_page,
                                  const std::string& name, uint64_t size_bytes);
  [[nodiscard]] Result<std::set<std::string>> bring_aggregated(
      const hadoop::yarn::ApplicationId& application, const std::set<std::string>& wanted,
      const std::string& user);
  [[nodiscard]] rt::Async<Result<std::set<std::string>>> read_folder(
      Session* session, std::string folder, const std::set<std::string>* wanted);
  [[nodiscard]] Result<std::string> page_of_node(const std::string& node);
  [[nodiscard]] Result<std::string> get(const std::string& server, const std::string& target);

  ClientSession& session_;
  os::Files& files_;
  std::filesystem::path folder_;
  MirrorLimits limits_;
  CopyBudget budget_;                                          ///< Of the call that is being made.
  std::map<std::string, std::string> node_pages_;              ///< By node; "host:8042".
  std::map<hadoop::yarn::ApplicationId, std::string> owners_;  ///< As far as they were asked for.
  std::vector<std::string> cut_;  ///< Files of which only the end is here.
};

}  // namespace muster::cluster::yarn
