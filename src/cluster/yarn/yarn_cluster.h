#pragma once

#include "cluster/cluster.h"
#include "cluster/yarn/application_file.h"
#include "cluster/yarn/job_files.h"
#include "cluster/yarn/session.h"
#include "cluster/yarn/staging.h"
#include "hadoop/yarn/report.h"
#include "hadoop/yarn/submission.h"
#include "os/files.h"
#include "rt/run_to_end.h"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace muster::cluster::yarn {

/// The variable that names on whose behalf somebody acts, as for Hadoop's own tools.
inline constexpr std::string_view kProxyVariable = "HADOOP_PROXY_USER";

/// The client's side of a YARN cluster: files go into HDFS by their content, the master runs as the
/// application master. Has a loop of its own, which runs inside each call.
class YarnCluster final : public Cluster {
 public:
  struct Options {
    std::string name = "yarn";                       ///< As the user calls it.
    std::filesystem::path conf;                      ///< SiteSource::conf.
    std::filesystem::path program;                   ///< This binary: all that is shipped.
    std::map<std::string, std::string> environment;  ///< Of the client: also for secret entries.
    /// Told why a call waits for the cluster, and "" when it no longer does; may be empty.
    std::function<void(std::string_view why)> on_wait;
  };

  YarnCluster(os::Files& files, log::Sink& log, Options options)
      : files_(files), log_(log), options_(std::move(options)) {}

  [[nodiscard]] std::string_view name() const override { return options_.name; }
  /// Also Unsupported, for what a plan asks that this version cannot do on YARN.
  Result<Fit> fit(const job::Plan& plan) override;
  /// Returns as soon as the cluster has accepted the job, which may wait in its queue for long: the
  /// address is empty then. Writes the job's application.json.
  Result<MasterPlace> submit(const Submission& submission) override;
  /// Unavailable, with the cluster's words, while the job waits for its master; NotFound when the
  /// application is over.
  Result<MasterPlace> locate(const std::filesystem::path& job_folder) override;

  /// Waits until the job's master can be reached or the application is over. `waits` is called
  /// with what it waits for, in the cluster's words, whenever that changes; false from it gives up
  /// (Cancelled). An application that ended before its master was there is an error with the
  /// reason; one whose master was there and has gone is NotFound.
  Result<MasterPlace> await_master(const std::filesystem::path& job_folder,
                                   const std::function<bool(const std::string& why)>& waits);
  /// The job's page through the cluster's proxy. Asks nobody.
  Result<std::string> page_of(const std::filesystem::path& job_folder);
  /// Copies the log and the summary of a job that has ended, or ends within a few seconds, into its
  /// folder here. NotFound if its master wrote none.
  Status bring_home(const std::filesystem::path& job_folder);
  /// Copies the log of a job that runs, as far as it is written, into its folder here.
  Status bring_log(const std::filesystem::path& job_folder);
  /// Puts the summary of a job that its master could not write beside the job's log in HDFS.
  Status publish_summary(const std::filesystem::path& job_folder);
  /// What the resource manager tells of a job's application.
  Result<hadoop::yarn::ApplicationReport> report_of(const std::filesystem::path& job_folder);
  /// Kills the application, for a job whose master cannot be asked.
  Status kill(const std::filesystem::path& job_folder, const std::string& why);

  /// The lines to the cluster, opened with the first call. Errors: the configuration's.
  Result<Session*> session();
  /// The same for a job's own cluster.
  Result<Session*> session_of(const std::filesystem::path& job_folder);
  /// The job's application.json.
  Result<ApplicationFile> application_of(const std::filesystem::path& job_folder);
  /// Where in HDFS the user's jobs and files are, absolute.
  Result<std::string> staging_root(const spec::Spec& spec);
  /// When a call that people wait for gives up.
  [[nodiscard]] HostTime soon() const;
  /// Runs `work`, which uses session(), to its end.
  template <class T>
  T run(rt::Async<T> work) {
    return rt::run_to_end(loop_, std::move(work));
  }

 private:
  struct Prepared;

  Result<Session*> session_of(const ApplicationFile& application);
  Result<hadoop::Credentials> credentials_of(const spec::Spec& spec, const std::string& secret);
  Status add_secrets(const spec::Environment& entries, const std::string& prefix,
                     hadoop::Credentials& credentials);

  [[nodiscard]] rt::Async<Result<Fit>> ask_fit(const job::Plan* plan);
  [[nodiscard]] rt::Async<Result<hadoop::yarn::ApplicationReport>> submit_now(Prepared* prepared);
  [[nodiscard]] rt::Async<Status> stage(Prepared* prepared);
  [[nodiscard]] rt::Async<Status> stage_files(Prepared* prepared);
  [[nodiscard]] rt::Async<Result<bool>> fetch(std::string folder, std::filesystem::path to);
  [[nodiscard]] rt::Async<Status> fetch_log(std::string folder, std::filesystem::path to);

  os::Files& files_;
  log::Sink& log_;
  Options options_;
  rt::IoLoop loop_;
  std::unique_ptr<Session> session_;
};

}  // namespace muster::cluster::yarn
