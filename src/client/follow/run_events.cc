#include "client/follow/run_events.h"

#include "base/text.h"
#include "eventlog/json_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::client {
namespace {

constexpr size_t kOutputLineMax = 1U << 20;

std::string quote_or_null(const std::string& text) {
  return text.empty() ? "null" : json_quote(text);
}

}  // namespace

void RunEvents::print(std::string_view event, std::string_view members) {
  console_.out(fmt::format("{{\"event\":\"{}\",\"time\":{}{}}}\n", event,
                           json_quote(format_iso(clock_())), members));
}

void RunEvents::submitted(const Submission& submission) {
  print("submitted",
        fmt::format(R"(,"schema":"muster.run/1","job":{},"application_id":{},"on":{},"page":{})",
                    json_quote(submission.job_id), quote_or_null(submission.application_id),
                    json_quote(submission.on), quote_or_null(submission.page)));
}

void RunEvents::phase(std::string_view phase) {
  print("phase", fmt::format(R"(,"phase":{})", json_quote(phase)));
}

void RunEvents::tasks(const job::Plan& plan, const job::State& state) {
  told_tasks_.resize(state.tasks.size());
  for (size_t role = 0; role < state.tasks.size(); ++role) {
    std::vector<ToldTask>& told = told_tasks_[role];
    for (const job::Task& task : state.tasks[role]) {
      const ToldTask now{
          .state = task.state,
          .attempts = task.attempts.size(),
          .last = task.attempts.empty() ? job::AttemptState{} : task.attempts.back().state};
      const bool is_new = task.id.index >= told.size();
      if (is_new) {
        told.resize(task.id.index + 1);
      }
      if (is_new || told[task.id.index] != now) {
        told[task.id.index] = now;
        print_task(plan, task);
      }
    }
  }
}

void RunEvents::print_task(const job::Plan& plan, const job::Task& task) {
  eventlog::JsonObject members;
  members.text("task", to_string(plan, task.id))
      .text("state", to_string(task.state))
      .number("attempt", task.attempts.size());
  const job::Attempt* const last = task.attempts.empty() ? nullptr : &task.attempts.back();
  const std::optional<job::Exit> exit = last == nullptr ? std::nullopt : last->exit;
  members
      .text_or_null("attempt_state", last == nullptr ? std::string_view() : to_string(last->state))
      .text_or_null("host", last == nullptr ? std::string_view() : last->host.value)
      .text_or_null("container", last == nullptr ? std::string_view() : last->container.value)
      .number("exit_code", exit ? exit->exit_code : std::nullopt)
      .number("signal", exit ? exit->signal : std::nullopt);
  const std::string object = members.str();
  print("task", "," + object.substr(1, object.size() - 2));
}

void RunEvents::told(std::string_view text) {
  print("told", fmt::format(R"(,"text":{})", json_quote(text)));
}

void RunEvents::output(const job::Plan& plan, const StreamId& stream, std::string_view bytes) {
  std::string& partial = partials_[stream];
  while (!bytes.empty()) {
    const size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::string_view piece = bytes.substr(0, std::min(end, kOutputLineMax - partial.size()));
    partial += piece;
    bytes.remove_prefix(piece.size());
    const bool whole = !bytes.empty() && bytes.front() == '\n';
    if (whole || partial.size() == kOutputLineMax) {
      print_line(plan, stream, partial);
      partial.clear();
      bytes.remove_prefix(whole ? 1 : 0);
    }
  }
}

void RunEvents::finish_output(const job::Plan& plan) {
  for (const auto& [stream, partial] : partials_) {
    if (!partial.empty()) {
      print_line(plan, stream, partial);
    }
  }
  partials_.clear();
}

void RunEvents::print_line(const job::Plan& plan, const StreamId& stream, std::string_view line) {
  print("output", fmt::format(R"(,"task":{},"attempt":{},"stream":"{}","line":{})",
                              json_quote(to_string(plan, stream.first.task)), stream.first.number,
                              stream.second == wire::OutputStream::Stderr ? "stderr" : "stdout",
                              json_quote(line)));
}

void RunEvents::ended(std::string_view status) {
  while (status.ends_with('\n')) {
    status.remove_suffix(1);
  }
  print("ended", fmt::format(R"(,"status":{})", status.empty() ? "null" : status));
}

}  // namespace muster::client
