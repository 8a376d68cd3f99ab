#pragma once

#include "base/log.h"
#include "cluster/job_folder.h"
#include "cluster/yarn/client/application_file.h"
#include "cluster/yarn/session.h"
#include "hadoop/yarn/report.h"
#include "os/file/files.h"
#include "rt/io_loop.h"
#include "rt/run_to_end.h"
#include "spec/spec.h"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace muster::cluster::yarn {

/// The variable that names the user to act on behalf of, as for Hadoop's own tools.
inline constexpr std::string_view kProxyVariable = "HADOOP_PROXY_USER";

/// A client's Session, opened with the first call that needs it, on a loop of its own that runs
/// inside each call.
class ClientSession {
 public:
  struct Options {
    std::filesystem::path conf;                      ///< SiteSource::conf.
    std::map<std::string, std::string> environment;  ///< Of the client.
    /// Called with the reason why a call waits for the cluster, and with "" when it no longer does;
    /// may be empty.
    std::function<void(std::string_view why)> on_wait;
  };

  /// `files` must outlive this.
  ClientSession(os::Files& files, Options options) : files_(files), options_(std::move(options)) {}

  /// Fails if the configuration is wrong.
  [[nodiscard]] Result<Session*> open();
  /// The same, with the configuration that the job was submitted with if none is open yet.
  [[nodiscard]] Result<Session*> open_for(const ApplicationFile& application);

  /// The job's application.json; NotFound for a job that was never here.
  [[nodiscard]] Result<ApplicationFile> application_of(const JobFolder& job);
  /// What the resource manager reports about a job's application.
  [[nodiscard]] Result<hadoop::yarn::ApplicationReport> report_of(
      const ApplicationFile& application);

  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] rt::IoLoop& loop() { return loop_; }
  /// Returns when a call that people wait for gives up.
  [[nodiscard]] HostTime soon() const;
  /// Lets time pass, for something that is polled.
  void pause(Duration pause) { loop_.run_until(loop_.now() + pause); }
  /// Runs `work`, which uses open(), to its end.
  template <class T>
  T run(rt::Async<T> work) {
    return rt::run_to_end(loop_, std::move(work));
  }

 private:
  os::Files& files_;
  log::NullSink quiet_;
  Options options_;
  rt::IoLoop loop_;
  std::unique_ptr<Session> session_;
};

/// Returns where in HDFS a user's jobs and files are, as an absolute path: `yarn.staging`, or a
/// folder of their own.
[[nodiscard]] Result<std::string> staging_root(ClientSession& session, const spec::Spec& spec);

}  // namespace muster::cluster::yarn
