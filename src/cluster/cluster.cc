#include "cluster/cluster.h"

#include <fmt/format.h>

#include <utility>

namespace muster::cluster {

const std::string* Fit::never() const {
  for (const RoleFit& role : roles) {
    if (!role.fits_ever) {
      return &role.reason;
    }
  }
  return nullptr;
}

job::Outcome stopped_outcome(std::string words) {
  return {.result = job::JobResult::Stopped,
          .reason = job::OutcomeReason::StoppedByUser,
          .class_name = "stop.user",
          .message = std::move(words),
          .first_cause = {}};
}

Error unsupported(const Cluster& cluster, std::string_view what, std::string_view reason) {
  return user_error(fmt::format("{} cannot {}: {}", cluster.name(), what, reason),
                    Errc::Unsupported);
}

Result<MasterPlace> place_in(const JobReport& report, const JobFolder& job) {
  struct Place {
    const JobFolder& job;
    Result<MasterPlace> operator()(const Running& running) const { return running.place; }
    Result<MasterPlace> operator()(const Queued& queued) const {
      return cluster_error(queued.reason, Errc::Unavailable);
    }
    Result<MasterPlace> operator()(const Ended& ended) const {
      return cluster_error(ended.words.empty() ? job.id().value + " has ended" : ended.words,
                           Errc::NotFound);
    }
    Result<MasterPlace> operator()(const Lost&) const {
      return cluster_error("no master of this job is running: " + job.id().value, Errc::NotFound);
    }
  };
  return std::visit(Place{job}, report);
}

Result<MasterPlace> locate(Cluster& cluster, const JobFolder& job) {
  MUSTER_TRY(const JobReport report, cluster.report(job));
  return place_in(report, job);
}

}  // namespace muster::cluster
