#include "notice/document.h"

#include "base/redaction.h"
#include "base/text.h"
#include "job/describe.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <optional>
#include <string_view>

namespace muster::notice {
namespace {

namespace json = boost::json;

constexpr size_t kTextMax = 4096;

/// Makes a text fit for any reader: no secrets, no control bytes except line feeds, valid UTF-8,
/// bounded.
std::string clean(std::string_view text, const Context& context) {
  const std::string open =
      context.secrets == nullptr ? std::string(text) : redact(text, *context.secrets);
  std::string out;
  for (const std::string_view line : split(open, '\n')) {
    out += (out.empty() ? "" : "\n") + printable(line);
  }
  if (out.size() <= kTextMax) {
    return out;
  }
  out.resize(kTextMax);
  while (const auto bad = find_invalid_utf8(out)) {
    out.resize(*bad);
  }
  return out + "...";
}

json::value text_or_null(std::string_view text, const Context& context) {
  return text.empty() ? json::value() : json::value(clean(text, context));
}

json::value number_or_null(const std::optional<int32_t>& number) {
  return number ? json::value(*number) : json::value();
}

const job::FirstCause* cause_of(const Notice& notice, const job::State& state) {
  if (notice.on == spec::Occasion::End) {
    return state.outcome && state.outcome->first_cause ? &*state.outcome->first_cause : nullptr;
  }
  const std::optional<job::FirstCause>& first = state.chronicle.first_cause();
  return notice.on == spec::Occasion::FirstCause && first ? &*first : nullptr;
}

json::value cause_json(const job::FirstCause* cause, const job::Plan& plan,
                       const Context& context) {
  if (cause == nullptr) {
    return {};
  }
  return json::object{{"task", to_string(plan, cause->attempt.task)},
                      {"attempt", cause->attempt.number},
                      {"host", text_or_null(cause->host.value, context)},
                      {"class", clean(cause->failure.class_name, context)},
                      {"exit_code", number_or_null(cause->exit_code)},
                      {"signal", number_or_null(cause->signal)},
                      {"evidence", clean(cause->failure.evidence, context)},
                      {"hint", text_or_null(cause->failure.hint, context)}};
}

std::string end_sentence(const job::Plan& plan, const job::State& state) {
  const job::Outcome& outcome = *state.outcome;
  std::string text = fmt::format("{} {} after {}", plan.job.value, to_string(outcome.result),
                                 format_duration(state.ended - state.started));
  return outcome.message.empty() ? text : fmt::format("{}: {}", text, outcome.message);
}

}  // namespace

std::string sentence(const Notice& notice, const job::Plan& plan, const job::State& state) {
  switch (notice.on) {
    case spec::Occasion::Start:
      return fmt::format("{} is running: {}", plan.job.value,
                         job::count_of(plan.task_count(), "task"));
    case spec::Occasion::FirstCause:
      return fmt::format("{}: {}", plan.job.value, describe(plan, *state.chronicle.first_cause()));
    case spec::Occasion::Stall:
      return fmt::format("{}: {} has done nothing for {}", plan.job.value,
                         to_string(plan, notice.attempt->task), format_duration(notice.silent));
    case spec::Occasion::End:
      return end_sentence(plan, state);
  }
  return plan.job.value;
}

std::string document(const Notice& notice, const job::Plan& plan, const job::State& state,
                     const Context& context) {
  const bool ended = notice.on == spec::Occasion::End;
  const std::string_view page = context.page;
  json::object object{{"schema", "muster.notice/1"},
                      {"id", plan.job.value + "/" + notice.id},
                      {"on", std::string(to_string(notice.on))},
                      {"time", format_iso(context.now)},
                      {"job", plan.job.value},
                      {"name", clean(plan.name, context)},
                      {"cluster", clean(context.on, context)},
                      {"application_id", text_or_null(context.application_id, context)},
                      {"page", text_or_null(page.substr(0, page.find('#')), context)},
                      {"message", clean(sentence(notice, plan, state), context)},
                      {"result", json::value()},
                      {"class", json::value()},
                      {"exit_status", json::value()},
                      {"cause", cause_json(cause_of(notice, state), plan, context)},
                      {"task", json::value()},
                      {"attempt", json::value()}};
  if (ended && state.outcome) {
    object["result"] = std::string(to_string(state.outcome->result));
    object["class"] = text_or_null(state.outcome->class_name, context);
    object["exit_status"] = job::exit_status(state.outcome->reason);
  }
  if (notice.attempt) {
    object["task"] = to_string(plan, notice.attempt->task);
    object["attempt"] = notice.attempt->number;
  }
  return json::serialize(object) + "\n";
}

std::string mail(const Notice& notice, const job::Plan& plan, const job::State& state,
                 const Context& context, const std::vector<std::string>& to) {
  // Ids of jobs and names of occasions are plain ASCII; nothing else goes into the header.
  std::string what(to_string(notice.on));
  if (notice.on == spec::Occasion::End && state.outcome) {
    what = to_string(state.outcome->result);
  }
  std::string text = fmt::format(
      "To: {}\nSubject: [muster] {}: {}\nAuto-Submitted: auto-generated\nX-Muster-Notice: {}/{}\n"
      "MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n"
      "Content-Transfer-Encoding: 8bit\n\n{}\n",
      join(to, ", "), plan.job.value, what, plan.job.value, notice.id,
      clean(sentence(notice, plan, state), context));
  if (const job::FirstCause* cause = cause_of(notice, state)) {
    text +=
        fmt::format("\n  first cause  {}, attempt {} on {}\n  class        {}\n",
                    to_string(plan, cause->attempt.task), cause->attempt.number,
                    clean(cause->host.value, context), clean(cause->failure.class_name, context));
    const std::string evidence = clean(cause->failure.evidence, context);
    for (const std::string_view line : split(evidence, '\n')) {
      text += fmt::format("  | {}\n", line);
    }
    text += cause->failure.hint.empty()
                ? ""
                : fmt::format("  what to do   {}\n", clean(cause->failure.hint, context));
  }
  return text + fmt::format("\nmuster show {}\n", plan.job.value);
}

}  // namespace muster::notice
