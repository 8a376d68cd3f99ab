// What the probe does as a client.
#include "hadoop/yarn/record_codec.h"
#include "hadoop/yarn_client.pb.h"
#include "probe.h"

namespace muster::probe {

json::object Probe::submit(const json::object& request) {
  auto fresh = run(applications_->new_application(by(request)));
  if (!fresh.has_value()) {
    return of(fresh.error());
  }
  application_ = fresh->id;
  manager_->set_unmanaged(flag_of(request, "unmanaged"));
  yarn::Submission submission{
      .id = application_,
      .name = text_of(request, "name", "probe"),
      .queue = text_of(request, "queue", "default"),
      .type = "MUSTER",
      .tags = {"muster-probe"},
      .master = {.environment = {{"GREETING", "hello"}}, .commands = texts_of(request, "commands")},
      .master_resources = {.memory_mb = number_of(request, "memory", 128), .vcores = 1},
      .node_label = {},
      .attempts_max = static_cast<int32_t>(number_of(request, "attempts", 1)),
      .keep_containers = flag_of(request, "keep")};
  const auto submitted = run(applications_->submit(std::move(submission), by(request)));
  if (!submitted.has_value()) {
    return of(submitted.error());
  }
  auto answer = report(request);
  answer["largest"] = of(fresh->largest);
  return answer;
}

Result<pb::ApplicationReport> Probe::read_report(const json::object& request) {
  pb::GetApplicationReportRequest message;
  yarn::encode(id(request), message.mutable_application_id());
  MUSTER_TRY(auto reply, ask<pb::GetApplicationReportResponse>(
                             manager_.get(), "getApplicationReport", std::move(message), request));
  return reply.application_report();
}

json::object Probe::report(const json::object& request) {
  const auto report = read_report(request);
  return report.has_value() ? of(*report) : of(report.error());
}

json::object Probe::about_application(const std::string& what, const json::object& request) {
  if (what == "report") {
    return report(request);
  }
  if (what == "kill") {
    return said(run(applications_->kill(id(request), text_of(request, "why", ""), by(request))));
  }
  if (what == "fail_attempt") {
    pb::FailApplicationAttemptRequest message;
    auto* const attempt = message.mutable_application_attempt_id();
    yarn::encode(id(request), attempt->mutable_application_id());
    attempt->set_attempt_id(static_cast<int32_t>(number_of(request, "attempt", 1)));
    return said(yarn::status_of(ask<pb::FailApplicationAttemptResponse>(
        manager_.get(), "failApplicationAttempt", std::move(message), request)));
  }
  return {{"error", "the probe does not know how to " + what}};
}

json::object Probe::about_cluster(const std::string& what, const json::object& request) {
  if (what == "metrics") {
    const auto metrics = run(applications_->metrics(by(request)));
    return metrics.has_value()
               ? json::object{{"active", metrics->active}, {"nodes", metrics->nodes}}
               : of(metrics.error());
  }
  if (what == "nodes") {
    return said("nodes", run(applications_->nodes({}, by(request))));
  }
  if (what == "queue") {
    return said("", run(applications_->queue(text_of(request, "queue", "root"), by(request))));
  }
  if (what == "list") {
    return said("applications",
                run(applications_->applications({.tags = texts_of(request, "tags")}, by(request))));
  }
  if (what == "rights") {
    const auto rights = run(applications_->queue_rights(by(request)));
    json::object queues;
    for (const auto& one : rights.has_value() ? *rights : std::vector<yarn::QueueRights>()) {
      queues[one.queue] = one.submit;
    }
    return rights.has_value() ? json::object{{"queues", queues}} : of(rights.error());
  }
  if (what == "labels") {
    return said("labels", run(applications_->node_labels(by(request))));
  }
  if (what.ends_with("token")) {
    return about_token(what, request);
  }
  if (what.starts_with("rest_") || what == "activities") {
    return about_pages(what, request);
  }
  return about_application(what, request);
}

}  // namespace muster::probe
