#pragma once

#include "base/result.h"
#include "cluster/cluster.h"
#include "cluster/yarn/client/client_session.h"
#include "cluster/yarn/client/fit.h"
#include "hadoop/credentials.h"
#include "hadoop/yarn/report.h"
#include "os/file/files.h"
#include "rt/async.h"

#include <filesystem>
#include <string>

namespace muster::cluster::yarn {

/// Takes a plan to an application that the cluster has accepted: files go into HDFS by their
/// content, and the master runs as the application master. Calls block.
class YarnSubmitter {
 public:
  /// `program`: this binary, all that is shipped. The others outlive this.
  YarnSubmitter(ClientSession& session, os::Files& files, std::filesystem::path program)
      : session_(session), files_(files), program_(std::move(program)) {}

  /// Also Unsupported, for requests in a plan that this version cannot satisfy on YARN.
  [[nodiscard]] Result<Fit> fit(const job::Plan& plan);
  /// Cluster::submit(): returns as soon as the cluster has accepted the job, which may wait in its
  /// queue for a long time. Writes the job's application.json.
  [[nodiscard]] Result<MasterPlace> submit(const Submission& submission);

 private:
  struct Prepared;

  Result<hadoop::Credentials> credentials_of(const spec::Spec& spec, const std::string& secret);
  Status add_secrets(const spec::Environment& entries, const std::string& prefix,
                     hadoop::Credentials& credentials);
  [[nodiscard]] rt::Async<Result<Fit>> ask_fit(const job::Plan* plan);
  /// What the cluster has for the plan, as far as fit_to() looks at it.
  [[nodiscard]] rt::Async<Result<ClusterOffer>> ask_offer(const job::Plan* plan,
                                                          hadoop::yarn::Resource largest);
  [[nodiscard]] rt::Async<Result<hadoop::yarn::ApplicationReport>> submit_now(Prepared* prepared);
  [[nodiscard]] rt::Async<Status> stage(Prepared* prepared);
  [[nodiscard]] rt::Async<Status> stage_files(Prepared* prepared);

  ClientSession& session_;
  os::Files& files_;
  std::filesystem::path program_;
  Session* line_ = nullptr;  ///< Open, while a call is under way.
};

}  // namespace muster::cluster::yarn
