#include "cluster/yarn/client/application_end.h"

#include "cluster/job_report.h"

#include <fmt/format.h>

#include <utility>

namespace muster::cluster::yarn {
namespace {

namespace rm = hadoop::yarn;

/// The master registered its end itself; an application that somebody killed did not.
bool said_farewell(const rm::ApplicationReport& report) {
  return report.state == rm::ApplicationState::Finished;
}

/// The resource manager says who killed an application, then with what message.
bool was_stopped(const rm::ApplicationReport& report, std::string_view words) {
  if (said_farewell(report)) {
    return report.final_status == rm::FinalStatus::Killed;
  }
  return report.state == rm::ApplicationState::Killed &&
         words.find(fmt::format("diagnostic message: {}", kStoppedBy)) != std::string_view::npos;
}

}  // namespace

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

}  // namespace muster::cluster::yarn
