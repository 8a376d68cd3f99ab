#pragma once

#include "base/result.h"
#include "client/submit/job_source.h"
#include "cluster/cluster.h"
#include "cluster/home.h"
#include "job/plan.h"
#include "os/file/files.h"
#include "rt/loop.h"

#include <functional>
#include <string>
#include <vector>

namespace muster::client {

/// What a submission works with. All must outlive the call.
struct SubmitDeps {
  os::Files& files;
  rt::Random& random;
  cluster::Cluster& cluster;
  const cluster::Home& home;
  /// Makes the Plan of a Spec for a job id and seed.
  std::function<Result<job::Plan>(const spec::Spec&, const std::string& job_id, uint64_t seed)>
      make_plan;
};

/// The user, as far as the job needs to know.
struct Submitter {
  std::string user;
  std::string python;  ///< The python3 on PATH; "" if there is none.
  WallTime now{};
  bool follows = false;  ///< The user follows the job at once.
};

/// A job that was started.
struct Submitted {
  cluster::JobFolder folder;
  cluster::MasterPlace place;
  job::Plan plan;
};

/// Makes a job's folder (0700, secrets 0600) and starts its master. Whatever fails, nothing
/// half-done is left behind. A job that can never fit is refused by the cluster (code NeverFits).
[[nodiscard]] Result<Submitted> submit_job(const SubmitDeps& deps, const ReadJob& job,
                                           const Submitter& submitter);

/// Returns a job id: the name, made fit for folders and host names, and six random letters and
/// digits.
[[nodiscard]] std::string make_job_id(std::string_view name, rt::Random& random);

}  // namespace muster::client
