// What the probe does as a client.
#include "probe.h"

namespace muster::probe {

json::object Probe::submit(const json::object& request) {
  auto fresh = run(applications_->new_application(by(request)));
  if (!fresh.has_value()) {
    return of(fresh.error());
  }
  application_ = fresh->id;
  yarn::Submission submission{
      .id = application_,
      .name = text_of(request, "name", "probe"),
      .queue = text_of(request, "queue", "default"),
      .type = "MUSTER",
      .tags = {"muster-probe"},
      .master = {.environment = {{"GREETING", "hello"}}, .commands = texts_of(request, "commands")},
      .master_resources = {.memory_mb = number_of(request, "memory", 128), .vcores = 1},
      .master_node_label = text_of(request, "master_label", ""),
      .attempts_max = static_cast<int32_t>(number_of(request, "attempts", 1)),
      .keep_containers = flag_of(request, "keep"),
      .unmanaged = flag_of(request, "unmanaged")};
  if (request.contains("lifetime")) {
    submission.lifetime_s = number_of(request, "lifetime", 0);
  }
  auto report = run(applications_->submit(std::move(submission), by(request)));
  if (!report.has_value()) {
    return of(report.error());
  }
  auto answer = of(*report);
  answer["largest"] = of(fresh->largest);
  return answer;
}

json::object Probe::about_application(const std::string& what, const json::object& request) {
  if (what == "report") {
    return said("", run(applications_->report(id(request), by(request))));
  }
  if (what == "kill") {
    return said(run(applications_->kill(id(request), text_of(request, "why", ""), by(request))));
  }
  if (what == "move") {
    return said(
        run(applications_->move_to_queue(id(request), text_of(request, "queue", ""), by(request))));
  }
  if (what == "priority") {
    const auto priority = run(applications_->set_priority(
        id(request), static_cast<int32_t>(number_of(request, "priority", 0)), by(request)));
    return priority.has_value() ? json::object{{"priority", *priority}} : of(priority.error());
  }
  if (what == "lifetime") {
    return said(run(applications_->set_end(
        id(request), loop_.wall_now() + std::chrono::seconds(number_of(request, "seconds", 0)),
        by(request))));
  }
  if (what == "attempts") {
    const auto attempts = run(applications_->attempts(id(request), by(request)));
    if (!attempts.has_value()) {
      return of(attempts.error());
    }
    json::array list;
    for (const auto& attempt : *attempts) {
      list.emplace_back(json::object{{"id", to_string(attempt.id)},
                                     {"state", std::string(to_string(attempt.state))},
                                     {"diagnostics", attempt.diagnostics}});
    }
    return {{"attempts", list}};
  }
  const yarn::AttemptId attempt{.application = id(request),
                                .number = static_cast<int32_t>(number_of(request, "attempt", 1))};
  if (what == "fail_attempt") {
    return said(run(applications_->fail_attempt(attempt, by(request))));
  }
  if (what == "containers") {
    const auto containers = run(applications_->containers(attempt, by(request)));
    if (!containers.has_value()) {
      return of(containers.error());
    }
    json::object states;
    for (const auto& container : *containers) {
      states[to_string(container.id)] = std::string(to_string(container.state));
    }
    return {{"containers", states}};
  }
  return {{"error", "the probe does not know how to " + what}};
}

json::object Probe::about_cluster(const std::string& what, const json::object& request) {
  if (what == "metrics") {
    const auto metrics = run(applications_->metrics(by(request)));
    return metrics.has_value() ? json::object{{"active", metrics->active},
                                              {"nodes", metrics->nodes},
                                              {"lost", metrics->lost}}
                               : of(metrics.error());
  }
  if (what == "nodes") {
    return said("nodes", run(applications_->nodes({}, by(request))));
  }
  if (what == "queue") {
    return said("",
                run(applications_->queue(text_of(request, "queue", "root"), true, by(request))));
  }
  if (what == "list") {
    yarn::ApplicationFilter filter{.tags = texts_of(request, "tags")};
    if (flag_of(request, "running")) {
      filter.states = {yarn::ApplicationState::Running};
    }
    return said("applications", run(applications_->applications(std::move(filter), by(request))));
  }
  if (what == "rights") {
    const auto rights = run(applications_->queue_rights(by(request)));
    json::object queues;
    for (const auto& one : rights.has_value() ? *rights : std::vector<yarn::QueueRights>()) {
      queues[one.queue] = one.submit;
    }
    return rights.has_value() ? json::object{{"queues", queues}} : of(rights.error());
  }
  if (what == "types") {
    const auto types = run(applications_->resource_types(by(request)));
    json::object units;
    for (const auto& one : types.has_value() ? *types : std::vector<yarn::ResourceType>()) {
      units[one.name] = one.unit;
    }
    return types.has_value() ? json::object{{"types", units}} : of(types.error());
  }
  if (what == "labels") {
    return labels(run(applications_->node_labels(by(request))));
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
