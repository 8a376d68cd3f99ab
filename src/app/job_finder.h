#pragma once

#include "app/session.h"
#include "app/yarn_client.h"
#include "client/home.h"
#include "client/job_reader.h"
#include "cluster/yarn/job_directory.h"
#include "spec/spec.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace muster::app {

/// A YARN cluster whose jobs are looked at, whoever submitted them from wherever.
class RemoteJobs {
 public:
  /// `on`: as typed; empty: the cluster that the environment or the site file configures. nullopt
  /// if that is none, or this machine. Errors: no such cluster; the layers' own.
  [[nodiscard]] static Result<std::unique_ptr<RemoteJobs>> open(Session& session,
                                                                const std::string& on);

  /// Finds a job there, and makes its folder here.
  [[nodiscard]] Result<client::JobEntry> bring(const std::string& id);
  [[nodiscard]] Result<client::JobEntry> bring(const cluster::yarn::KnownJob& job);
  [[nodiscard]] cluster::yarn::JobDirectory& directory() { return *directory_; }
  [[nodiscard]] YarnClient& client() { return client_; }
  /// Where in HDFS its jobs are.
  [[nodiscard]] const std::string& root() const { return root_; }

 private:
  RemoteJobs(Session& session, std::string name, std::string conf);
  Status find_root(const spec::Spec& defaults);

  Session& session_;
  std::string name_;
  std::string conf_;
  std::string root_;
  YarnClient client_;
  std::optional<cluster::yarn::JobDirectory> directory_;
};

/// Finds the job that the user means: among those of this host, else on the cluster (`on`, as in
/// RemoteJobs::open).
[[nodiscard]] Result<client::JobEntry> find_entry(Session& session, const std::string& id,
                                                  const std::string& on);

/// A job, read from its folder here.
struct FoundJob {
  client::JobEntry entry;
  client::JobReading reading;
};

/// Finds and reads a job. One of a YARN cluster is brought up to date first: the log as far as it
/// is written, the summary if it has ended.
[[nodiscard]] Result<FoundJob> find_job(Session& session, const std::string& id,
                                        const std::string& on);

/// Brings log and summary of a YARN job here. The summary of one that its cluster ended without
/// its master is made from what the cluster says.
[[nodiscard]] Status bring_up_to_date(Session& session, client::JobEntry& entry);

}  // namespace muster::app
