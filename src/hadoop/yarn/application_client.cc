#include "hadoop/yarn/application_client.h"

#include "base/time.h"
#include "hadoop/yarn/calling.h"
#include "hadoop/yarn/launch_codec.h"
#include "hadoop/yarn/record_codec.h"
#include "hadoop/yarn_client.pb.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
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
  const auto what =
      fmt::format("the cluster rejected {} in queue {}", to_string(report.id), submission.queue);
  if (report.diagnostics.empty()) {
    return user_error(fmt::format("{}: it went straight to {} and gives no reason", what,
                                  to_string(report.state)),
                      Errc::Other);
  }
  return explain_exception("", report.diagnostics, what);
}

Error late(const Submission& submission, ApplicationState state) {
  return cluster_error(fmt::format("the cluster has not accepted {} in time; it is {}",
                                   to_string(submission.id), to_string(state)),
                       Errc::DeadlineExceeded);
}

std::string text_or_nothing(const std::string& text) {
  constexpr std::string_view kNoText = "N/A";
  return text == kNoText ? std::string() : text;
}

// Enumerators are in the order of the numbers on the wire, which count from 1.
template <class State>
State state_from(bool present, int number) {
  return present ? static_cast<State>(number) : State::Unknown;
}

ApplicationReport decode_report(const pb::ApplicationReport& from) {
  return {.id = decode(from.application_id()),
          .queue = from.queue(),
          .type = from.application_type(),
          .tags = {from.application_tags().begin(), from.application_tags().end()},
          .state = state_from<ApplicationState>(from.has_yarn_application_state(),
                                                from.yarn_application_state()),
          .final_status = static_cast<FinalStatus>(from.final_application_status()),
          .diagnostics = text_or_nothing(from.diagnostics()),
          .host = text_or_nothing(from.host()),
          .rpc_port = from.rpc_port(),
          .submitted_ms = from.submit_time(),
          .started_ms = from.start_time(),
          .finished_ms = from.finish_time(),
          .user = from.user()};
}

QueueRights decode_rights(const pb::QueueUserAclInfo& from) {
  return {.queue = from.queue_name(),
          .submit = std::ranges::find(from.user_acls(), pb::QUEUE_ACL_SUBMIT_APPLICATIONS) !=
                    from.user_acls().end()};
}

}  // namespace

rt::Async<Result<NewApplication>> ApplicationClient::new_application(HostTime deadline) {
  const pb::GetNewApplicationRequest request;
  // Each repetition costs only a number.
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

// Returns nullopt if the resource manager has lost the application and it must be submitted again.
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
      fmt::format("cannot get the report of {}", to_string(id)), deadline);
  MUSTER_CO_TRY(const auto reply, std::move(replied));
  co_return decode_report(reply.application_report());
}

rt::Async<Result<std::vector<ApplicationReport>>> ApplicationClient::applications(
    ApplicationFilter filter, HostTime deadline) {
  pb::GetApplicationsRequest request;
  request.mutable_users()->Assign(filter.users.begin(), filter.users.end());
  request.mutable_application_tags()->Assign(filter.tags.begin(), filter.tags.end());
  for (const ApplicationState state : filter.states) {
    if (state != ApplicationState::Unknown) {
      request.add_application_states(static_cast<pb::YarnApplicationState>(state));
    }
  }
  if (filter.finished_since_ms > 0) {
    request.set_finish_begin(filter.finished_since_ms);
    request.set_finish_end(std::numeric_limits<int64_t>::max());
  }
  auto replied = co_await call_explained<pb::GetApplicationsResponse>(
      proxy_, method("getApplications"), std::move(request), "cannot list applications", deadline);
  MUSTER_CO_TRY(const auto reply, std::move(replied));
  std::vector<ApplicationReport> reports;
  for (const auto& one : reply.applications()) {
    reports.push_back(decode_report(one));
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
      co_return cluster_error(fmt::format("{}: the cluster did not do it in time", what),
                              Errc::DeadlineExceeded);
    }
    co_await rt::pause_for(*loop_, pause);
    pause = std::min(pause * 2, kPollMax);
  }
}

rt::Async<Result<ClusterMetrics>> ApplicationClient::metrics(HostTime deadline) {
  const pb::GetClusterMetricsRequest request;
  auto replied = co_await call_explained<pb::GetClusterMetricsResponse>(
      proxy_, method("getClusterMetrics"), request, "cannot count the cluster's nodes", deadline);
  MUSTER_CO_TRY(const auto reply, std::move(replied));
  const auto& metrics = reply.cluster_metrics();
  co_return ClusterMetrics{.nodes = metrics.num_node_managers(),
                           .active = metrics.num_active_nms()};
}

rt::Async<Result<std::vector<NodeReport>>> ApplicationClient::nodes(std::vector<NodeState> states,
                                                                    HostTime deadline) {
  pb::GetClusterNodesRequest request;
  for (const auto state : states) {
    if (state != NodeState::Unknown) {
      request.add_node_states(static_cast<pb::NodeState>(state));
    }
  }
  auto replied = co_await call_explained<pb::GetClusterNodesResponse>(
      proxy_, method("getClusterNodes"), std::move(request), "cannot list the cluster's nodes",
      deadline);
  MUSTER_CO_TRY(const auto reply, std::move(replied));
  std::vector<NodeReport> reports;
  for (const auto& one : reply.node_reports()) {
    reports.push_back(decode(one));
  }
  co_return reports;
}

rt::Async<Result<std::vector<std::string>>> ApplicationClient::node_labels(HostTime deadline) {
  const pb::GetClusterNodeLabelsRequest request;
  auto replied = co_await call_explained<pb::GetClusterNodeLabelsResponse>(
      proxy_, method("getClusterNodeLabels"), request, "cannot list the cluster's node labels",
      deadline);
  MUSTER_CO_TRY(const auto reply, std::move(replied));
  std::vector<std::string> labels;
  for (const auto& one : reply.node_labels()) {
    labels.push_back(one.name());
  }
  co_return labels;
}

rt::Async<Result<QueueInfo>> ApplicationClient::queue(std::string name, HostTime deadline) {
  pb::GetQueueInfoRequest request;
  request.set_queue_name(name);
  request.set_include_applications(false);
  request.set_include_child_queues(false);
  auto replied = co_await call_explained<pb::GetQueueInfoResponse>(
      proxy_, method("getQueueInfo"), std::move(request),
      fmt::format("cannot get information on queue {}", name), deadline);
  MUSTER_CO_TRY(const auto reply, std::move(replied));
  if (!reply.has_queue_info()) {
    co_return user_error(fmt::format("the cluster has no queue {}", name), Errc::NotFound);
  }
  const auto& queue = reply.queue_info();
  co_return QueueInfo{
      .name = queue.queue_name(),
      .state = state_from<QueueState>(queue.has_state(), queue.state()),
      .labels = {queue.accessible_node_labels().begin(), queue.accessible_node_labels().end()}};
}

rt::Async<Result<std::vector<QueueRights>>> ApplicationClient::queue_rights(HostTime deadline) {
  const pb::GetQueueUserAclsInfoRequest request;
  auto replied = co_await call_explained<pb::GetQueueUserAclsInfoResponse>(
      proxy_, method("getQueueUserAcls"), request, "cannot get the queues' access rights",
      deadline);
  MUSTER_CO_TRY(const auto reply, std::move(replied));
  std::vector<QueueRights> rights;
  for (const auto& one : reply.queue_user_acls()) {
    rights.push_back(decode_rights(one));
  }
  co_return rights;
}

}  // namespace muster::hadoop::yarn
