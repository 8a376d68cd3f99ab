#include "app/application_end.h"

#include <fmt/format.h>

#include <utility>

namespace muster::app {
namespace {

namespace rm = hadoop::yarn;

/// The master registered its end itself; an application that somebody killed did not.
bool said_farewell(const rm::ApplicationReport& report) {
  return report.state == rm::ApplicationState::Finished;
}

/// The resource manager says by whom an application was killed, then with which words.
bool was_stopped(const rm::ApplicationReport& report, std::string_view words) {
  if (said_farewell(report)) {
    return report.final_status == rm::FinalStatus::Killed;
  }
  return report.state == rm::ApplicationState::Killed &&
         words.find(fmt::format("diagnostic message: {}", kStoppedBy)) != std::string_view::npos;
}

}  // namespace

job::Outcome stopped_outcome(std::string words) {
  return {.result = job::JobResult::Stopped,
          .reason = job::OutcomeReason::StoppedByUser,
          .class_name = "stop.user",
          .message = std::move(words)};
}

job::Outcome outcome_of(const rm::ApplicationReport& report, std::string words) {
  if (said_farewell(report) && report.final_status == rm::FinalStatus::Succeeded) {
    return {};
  }
  if (was_stopped(report, words)) {
    return stopped_outcome(std::move(words));
  }
  return {.result = job::JobResult::Failed,
          .reason = job::OutcomeReason::ClusterFailed,
          .class_name = "cluster.application",
          .message = std::move(words)};
}

job::Outcome ask_outcome(cluster::yarn::YarnCluster& cluster,
                         const std::filesystem::path& job_folder, std::string words) {
  const Result<rm::ApplicationReport> report = cluster.report_of(job_folder);
  return outcome_of(report.value_or(rm::ApplicationReport()), std::move(words));
}

}  // namespace muster::app
