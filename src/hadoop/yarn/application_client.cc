#include "hadoop/yarn/application_client.h"

#include "base/time.h"
#include "hadoop/yarn/calling.h"
#include "hadoop/yarn/launch_codec.h"
#include "hadoop/yarn/record_codec.h"
#include "hadoop/yarn/report_codec.h"
#include "hadoop/yarn_client.pb.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace muster::hadoop::yarn {
namespace {

using rpc::Method;
using rpc::Repetition;

constexpr Duration kPollFirst = std::chrono::milliseconds(20);
constexpr Duration kPollMax = std::chrono::milliseconds(500);

Method method(std::string_view name) {
  return {.name = name, .repetition = Repetition::Idempotent};
}

bool is_being_taken(ApplicationState state) {
  return state == ApplicationState::New || state == ApplicationState::NewSaving ||
         state == ApplicationState::Submitted || state == ApplicationState::Unknown;
}

// The first line of the diagnostics says why; explanation.h knows most reasons.
Error refused(const Submission& submission, const ApplicationReport& report) {
  const auto what = fmt::format("the cluster did not take {} in queue {}", to_string(report.id),
                                submission.queue);
  if (report.diagnostics.empty()) {
    return user_error(
        fmt::format("{}: it became {} at once, without a reason", what, to_string(report.state)),
        Errc::Other);
  }
  return explain_exception("", report.diagnostics, what);
}

Error late(const Submission& submission, ApplicationState state) {
  return cluster_error(fmt::format("the cluster has not accepted {} in time, it is {}",
                                   to_string(submission.id), to_string(state)),
                       Errc::DeadlineExceeded);
}

}  // namespace

rt::Async<Result<NewApplication>> ApplicationClient::new_application(HostTime deadline) {
  const pb::GetNewApplicationRequest request;
  // Each repetition only costs a number.
  auto replied = co_await call_explained<pb::GetNewApplicationResponse>(
      proxy_, method("getNewApplication"), request, "cannot get an application id", deadline);
  MUSTER_CO_TRY(const auto reply, std::move(replied));
  co_return NewApplication{.id = decode(reply.application_id()),
                           .largest = decode(reply.maximum_capability())};
}

rt::Async<Status> ApplicationClient::send_submission(const Submission* submission,
                                                     HostTime deadline) {
  pb::SubmitApplicationRequest request;
  encode(*submission, request.mutable_application_submission_context());
  auto replied = co_await call_explained<pb::SubmitApplicationResponse>(
      proxy_, method("submitApplication"), std::move(request),
      fmt::format("cannot submit to queue {}", submission->queue), deadline);
  co_return status_of(replied);
}

rt::Async<Result<ApplicationReport>> ApplicationClient::submit(Submission submission,
                                                               HostTime deadline) {
  while (true) {
    auto sent = co_await send_submission(&submission, deadline);
    MUSTER_CO_TRY_STATUS(std::move(sent));
    auto outcome = co_await settled(&submission, deadline);
    MUSTER_CO_TRY(auto report, std::move(outcome));
    if (report.has_value()) {
      co_return *std::move(report);
    }
  }
}

// Nothing when the resource manager has lost the application and it must be submitted again.
rt::Async<Result<std::optional<ApplicationReport>>> ApplicationClient::settled(
    const Submission* submission, HostTime deadline) {
  auto pause = kPollFirst;
  while (true) {
    auto asked = co_await report(submission->id, deadline);
    if (!asked.has_value() && asked.error().code == Errc::NotFound) {
      co_return std::optional<ApplicationReport>();
    }
    MUSTER_CO_TRY(auto report, std::move(asked));
    if (report.state == ApplicationState::Failed || report.state == ApplicationState::Killed) {
      co_return refused(*submission, report);
    }
    if (!is_being_taken(report.state)) {
      co_return std::optional(std::move(report));
    }
    if (loop_->now() + pause >= deadline) {
      co_return late(*submission, report.state);
    }
    co_await rt::pause_for(*loop_, pause);
    pause = std::min(pause * 2, kPollMax);
  }
}

rt::Async<Result<ApplicationReport>> ApplicationClient::report(ApplicationId id,
                                                               HostTime deadline) {
  pb::GetApplicationReportRequest request;
  encode(id, request.mutable_application_id());
  auto replied = co_await call_explained<pb::GetApplicationReportResponse>(
      proxy_, method("getApplicationReport"), std::move(request),
      fmt::format("cannot ask how {} is", to_string(id)), deadline);
  MUSTER_CO_TRY(const auto reply, std::move(replied));
  co_return decode(reply.application_report());
}

rt::Async<Result<std::vector<ApplicationReport>>> ApplicationClient::applications(
    ApplicationFilter filter, HostTime deadline) {
  pb::GetApplicationsRequest request;
  request.mutable_application_types()->Assign(filter.types.begin(), filter.types.end());
  for (const auto state : filter.states) {
    if (state != ApplicationState::Unknown) {
      request.add_application_states(static_cast<pb::YarnApplicationState>(state));
    }
  }
  request.mutable_users()->Assign(filter.users.begin(), filter.users.end());
  request.mutable_queues()->Assign(filter.queues.begin(), filter.queues.end());
  request.mutable_application_tags()->Assign(filter.tags.begin(), filter.tags.end());
  if (!filter.name.empty()) {
    request.set_name(filter.name);
  }
  if (filter.count_max > 0) {
    request.set_limit(filter.count_max);
  }
  request.set_scope(filter.own ? pb::APPLICATIONS_REQUEST_SCOPE_OWN
                               : pb::APPLICATIONS_REQUEST_SCOPE_ALL);
  auto replied = co_await call_explained<pb::GetApplicationsResponse>(
      proxy_, method("getApplications"), std::move(request), "cannot list applications", deadline);
  MUSTER_CO_TRY(const auto reply, std::move(replied));
  std::vector<ApplicationReport> reports;
  for (const auto& one : reply.applications()) {
    reports.push_back(decode(one));
  }
  co_return reports;
}

rt::Async<Result<std::vector<AttemptReport>>> ApplicationClient::attempts(ApplicationId id,
                                                                          HostTime deadline) {
  pb::GetApplicationAttemptsRequest request;
  encode(id, request.mutable_application_id());
  auto replied = co_await call_explained<pb::GetApplicationAttemptsResponse>(
      proxy_, method("getApplicationAttempts"), std::move(request),
      fmt::format("cannot list the attempts of {}", to_string(id)), deadline);
  MUSTER_CO_TRY(const auto reply, std::move(replied));
  std::vector<AttemptReport> reports;
  for (const auto& one : reply.application_attempts()) {
    reports.push_back(decode(one));
  }
  co_return reports;
}

rt::Async<Result<std::vector<ContainerReport>>> ApplicationClient::containers(AttemptId id,
                                                                              HostTime deadline) {
  pb::GetContainersRequest request;
  encode(id, request.mutable_application_attempt_id());
  auto replied = co_await call_explained<pb::GetContainersResponse>(
      proxy_, method("getContainers"), std::move(request),
      fmt::format("cannot list the containers of {}", to_string(id)), deadline);
  MUSTER_CO_TRY(const auto reply, std::move(replied));
  std::vector<ContainerReport> reports;
  for (const auto& one : reply.containers()) {
    reports.push_back(decode(one));
  }
  co_return reports;
}

rt::Async<Status> ApplicationClient::kill(ApplicationId id, std::string why, HostTime deadline) {
  pb::KillApplicationRequest request;
  encode(id, request.mutable_application_id());
  if (!why.empty()) {
    request.set_diagnostics(why);
  }
  auto pause = kPollFirst;
  const auto what = fmt::format("cannot kill {}", to_string(id));
  while (true) {
    auto replied = co_await call_explained<pb::KillApplicationResponse>(
        proxy_, method("forceKillApplication"), request, what, deadline);
    MUSTER_CO_TRY(const auto reply, std::move(replied));
    if (reply.is_kill_completed()) {
      co_return Status();
    }
    if (loop_->now() + pause >= deadline) {
      co_return cluster_error(fmt::format("{}: the cluster has not done it in time", what),
                              Errc::DeadlineExceeded);
    }
    co_await rt::pause_for(*loop_, pause);
    pause = std::min(pause * 2, kPollMax);
  }
}

rt::Async<Status> ApplicationClient::fail_attempt(AttemptId id, HostTime deadline) {
  pb::FailApplicationAttemptRequest request;
  encode(id, request.mutable_application_attempt_id());
  auto replied = co_await call_explained<pb::FailApplicationAttemptResponse>(
      proxy_, method("failApplicationAttempt"), std::move(request),
      fmt::format("cannot end {}", to_string(id)), deadline);
  co_return status_of(replied);
}

rt::Async<Status> ApplicationClient::move_to_queue(ApplicationId id, std::string queue,
                                                   HostTime deadline) {
  pb::MoveApplicationAcrossQueuesRequest request;
  encode(id, request.mutable_application_id());
  request.set_target_queue(queue);
  auto replied = co_await call_explained<pb::MoveApplicationAcrossQueuesResponse>(
      proxy_, method("moveApplicationAcrossQueues"), std::move(request),
      fmt::format("cannot move {} to queue {}", to_string(id), queue), deadline);
  co_return status_of(replied);
}

rt::Async<Result<int32_t>> ApplicationClient::set_priority(ApplicationId id, int32_t priority,
                                                           HostTime deadline) {
  pb::UpdateApplicationPriorityRequest request;
  encode(id, request.mutable_application_id());
  request.mutable_application_priority()->set_priority(priority);
  auto replied = co_await call_explained<pb::UpdateApplicationPriorityResponse>(
      proxy_, method("updateApplicationPriority"), std::move(request),
      fmt::format("cannot set the priority of {}", to_string(id)), deadline);
  MUSTER_CO_TRY(const auto reply, std::move(replied));
  co_return reply.application_priority().priority();
}

rt::Async<Status> ApplicationClient::set_end(ApplicationId id, WallTime when, HostTime deadline) {
  pb::UpdateApplicationTimeoutsRequest request;
  encode(id, request.mutable_application_id());
  auto* const entry = request.add_application_timeouts();
  entry->set_application_timeout_type(pb::APPLICATION_TIMEOUT_TYPE_LIFETIME);
  // Java's form has a numeric zone: "2026-11-21T09:30:00.125+0000".
  auto text = format_iso(when);
  text.replace(text.size() - 1, 1, "+0000");
  entry->set_expire_time(std::move(text));
  auto replied = co_await call_explained<pb::UpdateApplicationTimeoutsResponse>(
      proxy_, method("updateApplicationTimeouts"), std::move(request),
      fmt::format("cannot set the lifetime of {}", to_string(id)), deadline);
  co_return status_of(replied);
}

rt::Async<Status> ApplicationClient::signal(ContainerId id, ContainerSignal signal,
                                            HostTime deadline) {
  pb::SignalContainerRequest request;
  encode(id, request.mutable_container_id());
  request.set_command(static_cast<pb::SignalContainerCommand>(static_cast<int>(signal) + 1));
  auto replied = co_await call_explained<pb::SignalContainerResponse>(
      proxy_, method("signalToContainer"), std::move(request),
      fmt::format("cannot signal {}", to_string(id)), deadline);
  co_return status_of(replied);
}

}  // namespace muster::hadoop::yarn
