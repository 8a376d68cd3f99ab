#include "eventlog/status.h"

#include "eventlog/json_text.h"
#include "job/describe.h"
#include "job/task_page.h"
#include "verdict/summary.h"

#include <algorithm>
#include <map>
#include <optional>

namespace muster::eventlog {
namespace {

std::string iso_or_null(bool known, WallTime when) {
  return known ? json_quote(format_iso(when)) : "null";
}

/// Returns the file with the attempt's last output, or the command that shows it.
std::string log_of(const job::Plan& plan, job::AttemptId attempt, const StatusContext& context) {
  if (!context.logs_folder.starts_with('/')) {
    return fmt::format("{} {}", context.logs_folder, to_string(plan, attempt.task));
  }
  return fmt::format("{}/{}-{}.{}.{}", context.logs_folder, plan.role(attempt.task.role).name,
                     attempt.task.index, attempt.number,
                     plan.spec.logs.merged ? "stdout" : "stderr");
}

std::string cause_json(const job::Plan& plan, const job::FirstCause& cause,
                       const StatusContext& context) {
  return JsonObject()
      .text("task", to_string(plan, cause.attempt.task))
      .number("attempt", cause.attempt.number)
      .text_or_null("host", cause.host.value)
      .text_or_null("container", cause.container.value)
      .number("exit_code", cause.exit_code)
      .number("signal", cause.signal)
      .text("evidence", cause.failure.evidence)
      .text("log", log_of(plan, cause.attempt, context))
      .text_or_null("hint", verdict::advice_on(cause.failure))
      .number("victims", cause.victims)
      .str();
}

std::string address_text(const job::Attempt& attempt) {
  return attempt.address.port == 0
             ? std::string()
             : fmt::format("{}:{}", attempt.address.host, attempt.address.port);
}

std::string stall_json(const job::Attempt& attempt) {
  if (!attempt.stall) {
    return "null";
  }
  const job::StallNote& stall = *attempt.stall;
  return JsonObject()
      .number("silent_s", std::chrono::duration_cast<std::chrono::seconds>(stall.silent).count())
      .text("sure", to_string(stall.sure))
      .text_or_null("place", stall.place)
      .text("evidence", stall.evidence)
      .str();
}

/// The keys are the same for every task; those of an attempt are null until it has one.
std::string task_json(const job::Task& task) {
  const job::Attempt* const last = task.attempts.empty() ? nullptr : &task.attempts.back();
  const std::optional<job::Exit> exit = last == nullptr ? std::nullopt : last->exit;
  return JsonObject()
      .number("index", task.id.index)
      .text("state", to_string(task.state))
      .number("attempts", task.attempts.size())
      .text_or_null("host", last == nullptr ? std::string_view() : last->host.value)
      .number("exit_code", exit ? exit->exit_code : std::nullopt)
      .number("signal", exit ? exit->signal : std::nullopt)
      .text_or_null("attempt_state", last == nullptr ? std::string_view() : to_string(last->state))
      .text_or_null("container", last == nullptr ? std::string_view() : last->container.value)
      .text_or_null("address", last == nullptr ? std::string() : address_text(*last))
      .number("restarts", task.restarts)
      .raw("stall", last == nullptr ? "null" : stall_json(*last))
      .str();
}

std::string roles_json(const job::Plan& plan, const job::State& state) {
  JsonObject roles;
  for (size_t role = 0; role < plan.roles.size() && role < state.tasks.size(); ++role) {
    JsonArray tasks;
    for (const job::Task& task : state.tasks[role]) {
      tasks.raw(task_json(task));
    }
    roles.raw(plan.roles[role].name, JsonObject().raw("tasks", tasks.str()).str());
  }
  return roles.str();
}

/// The newest of each name: a restarted task publishes its endpoint again.
std::string endpoints_json(const job::State& state) {
  std::map<std::string, std::string> by_name;
  for (const job::Endpoint& endpoint : state.endpoints) {
    by_name[endpoint.name] = job::link_of(endpoint.name, endpoint.url);
  }
  JsonObject object;
  for (const auto& [name, url] : by_name) {
    object.text(name, url);
  }
  return object.str();
}

}  // namespace

std::string outcome_json(const job::Plan& plan, const job::State& state,
                         const StatusContext& context) {
  if (state.phase != job::JobPhase::Ended || !state.outcome) {
    return "null";
  }
  const job::Outcome& outcome = *state.outcome;
  return JsonObject()
      .text("result", to_string(outcome.result))
      .text_or_null("class", outcome.class_name)
      .number("exit_status", job::exit_status(outcome.reason))
      .text("reason", to_string(outcome.reason))
      .text_or_null("message", outcome.message)
      .raw("first_cause", outcome.first_cause ? cause_json(plan, *outcome.first_cause, context)
                                              : std::string("null"))
      .str();
}

std::string notice_trouble(const job::State& state) {
  const std::vector<job::NoticeTold>& notices = state.chronicle.notices();
  const auto bad = std::ranges::find_if(
      notices, [](const job::NoticeTold& told) { return told.fate != job::NoticeFate::Delivered; });
  if (bad == notices.end()) {
    return "";
  }
  const auto more = std::ranges::count_if(bad + 1, notices.end(), [](const auto& told) {
    return told.fate != job::NoticeFate::Delivered;
  });
  return job::sentence(*bad) + (more == 0 ? "" : fmt::format(" (and {} more)", more));
}

std::string timeline_json(const job::State& state) {
  JsonArray steps;
  Time before = state.started;
  for (const job::Step& step : state.chronicle.steps()) {
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(step.at - before);
    steps.raw(JsonObject().text("step", step.name).number("ms", took.count()).str());
    before = std::max(before, step.at);
  }
  return steps.str();
}

std::string status_json(const job::Plan& plan, const job::State& state,
                        const StatusContext& context) {
  const bool ended = state.phase == job::JobPhase::Ended;
  const WallTime ended_at = context.started + state.ended.time_since_epoch();
  // The cluster's own words say more than the count of what is missing.
  const std::string& waits =
      context.waits_for.empty() ? state.chronicle.waits_for() : context.waits_for;
  return JsonObject()
      .text("schema", "muster.status/1")
      .text("job", plan.job.value)
      .text_or_null("application_id", context.application_id)
      .text("phase", to_string(state.phase))
      .text("on", context.on)
      .number("generation", state.view.generation.value)
      .raw("outcome", outcome_json(plan, state, context))
      .raw("roles", roles_json(plan, state))
      .raw("endpoints", endpoints_json(state))
      .raw("timeline", timeline_json(state))
      .text("name", plan.name)
      .number("epoch", state.epoch.value)
      .raw("started", iso_or_null(context.started != WallTime{}, context.started))
      .raw("ended", iso_or_null(ended, ended_at))
      .text_or_null("waits_for", ended ? std::string_view() : std::string_view(waits))
      .text_or_null("log_trouble", context.log_trouble)
      .text_or_null("notice_trouble", notice_trouble(state))
      .text_or_null("page", context.page)
      .str();
}

std::string with_page(std::string status, std::string_view page) {
  constexpr std::string_view kNone = R"("page":null})";
  if (!page.empty() && status.ends_with(kNone)) {
    status.resize(status.size() - kNone.size());
    status += fmt::format(R"("page":{}}})", json_quote(page));
  }
  return status;
}

job::State closed_state(job::State state, job::Outcome outcome, Time at) {
  state.phase = job::JobPhase::Ended;
  state.outcome = std::move(outcome);
  state.ended = std::max(at, state.started);
  for (auto& role : state.tasks) {
    for (job::Task& task : role) {
      if (task.state == job::TaskState::Active || task.state == job::TaskState::Waiting) {
        task.state = job::TaskState::Stopped;
      }
    }
  }
  return state;
}

}  // namespace muster::eventlog
