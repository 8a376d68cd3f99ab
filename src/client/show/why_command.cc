#include "base/text.h"
#include "client/commands.h"
#include "client/follow/live_status.h"
#include "client/follow/progress.h"
#include "client/show/failure.h"
#include "client/show/job_finder.h"
#include "client/show/status_text.h"
#include "client/submit/refusals.h"
#include "cluster/wait_reason.h"
#include "verdict/summary.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace muster::client {
namespace {

using cluster::WaitReason;

/// Returns what helps a job that waits for what its master says.
std::string advice_on_wait(const job::Machine& machine) {
  return machine.state().requests.empty()
             ? "it will continue by itself; `muster show` lists every step so far"
             : "`muster ps` lists what else runs: wait for it, stop it, or submit this job again "
               "asking for less (tasks, memory, vcores, gpus)";
}

/// Returns why the job came out as it did; nothing for a job that succeeded.
std::vector<WaitReason> reasons_of_end(const job::Outcome& outcome) {
  if (outcome.result == job::JobResult::Succeeded) {
    return {};
  }
  job::Failure failure;
  failure.class_name = outcome.class_name;
  if (outcome.first_cause) {
    failure = outcome.first_cause->failure;
  }
  std::string text = outcome.message;
  if (!failure.class_name.empty()) {
    text += (text.empty() ? "" : "; ") + verdict::class_line(failure);
  }
  return {{.text = std::move(text), .advice = verdict::advice_on(failure)}};
}

/// Adds what the job's own master says that it is waiting for.
void add_told(const std::string& status, const job::Machine& machine,
              std::vector<WaitReason>& reasons) {
  if (const std::string trouble = log_trouble_of(status); !trouble.empty()) {
    reasons.push_back({.text = "the job's log cannot be written: " + trouble,
                       .advice = "free space there; starts and restarts wait for it"});
  }
  if (std::string waits = waits_for_of(status); !waits.empty()) {
    reasons.push_back({.text = std::move(waits), .advice = advice_on_wait(machine)});
  }
}

void add_stalls(const job::Machine& machine, std::vector<WaitReason>& reasons) {
  for (std::string& stall : describe_stalls(machine)) {
    reasons.push_back({.text = std::move(stall),
                       .advice = "`muster stacks` shows what all tasks do now; `stall: {then: "
                                 "restart}` in the specification moves such a task to another "
                                 "host"});
  }
}

Result<std::vector<WaitReason>> reasons_of(Session& session, const FoundJob& job) {
  std::vector<WaitReason> reasons;
  if (job.ended()) {
    return reasons_of_end(*job.reading.state().outcome);
  }
  if (job.lost()) {
    reasons.push_back({.text = "a master: none is running (the machine went down, or every process "
                               "of the job was killed)",
                       .advice = "submit the job again; `muster clean` removes what is left"});
    return reasons;
  }
  const auto* const running = std::get_if<cluster::Running>(&job.report);
  const std::optional<std::string> live =
      running == nullptr ? std::nullopt : ask_status(session, job.folder, running->place.address);
  const job::Machine& machine = job.reading.replayed.machine;
  add_told(live.value_or(""), machine, reasons);
  add_stalls(machine, reasons);
  const Progress progress = progress_of(machine);
  const cluster::WaitContext context{
      .plan = machine.plan(),
      .refused = standing_refusals(machine.plan(), job.reading.log.records),
      .complete = live && waits_for_of(*live).empty() && progress.running >= progress.tasks_wanted};
  MUSTER_TRY(const std::vector<WaitReason> further,
             session.clusters->of(job.folder).why(job.folder, context));
  reasons.insert(reasons.end(), further.begin(), further.end());
  return reasons;
}

std::string json_of(const FoundJob& job, const std::vector<cluster::WaitReason>& reasons) {
  std::string out = fmt::format(R"({{"schema":"muster.why/1","job":{},"phase":{},"reasons":[)",
                                json_quote(job.folder.id().value),
                                json_quote(to_string(job.reading.state().phase)));
  for (size_t i = 0; i < reasons.size(); ++i) {
    out += fmt::format(R"({}{{"text":{},"advice":{}}})", i == 0 ? "" : ",",
                       json_quote(reasons[i].text),
                       reasons[i].advice.empty() ? "null" : json_quote(reasons[i].advice));
  }
  return out + "]}\n";
}

std::string headline_of(const FoundJob& job, bool has_reasons) {
  const std::string id = job.folder.id().value;
  if (job.ended()) {
    return fmt::format("{} has ended: {}\n", id, to_string(job.reading.state().outcome->result));
  }
  return id +
         (has_reasons ? " is waiting:\n" : " is not waiting for anything: its tasks are running\n");
}

}  // namespace

int show_why(Session& session, const WhyCommand& command) {
  const Result<FoundJob> job = find_job(session, command.id, command.on);
  if (!job) {
    return fail(session.console, job.error());
  }
  const Result<std::vector<WaitReason>> reasons = reasons_of(session, *job);
  if (!reasons) {
    return fail(session.console, reasons.error());
  }
  if (command.json) {
    session.console.out(json_of(*job, *reasons));
    return 0;
  }
  session.console.out(headline_of(*job, !reasons->empty()));
  for (const WaitReason& reason : *reasons) {
    session.console.out(fmt::format(
        "  - {}\n      {}\n", printable(reason.text),
        reason.advice.empty() ? "Muster has no advice for this" : printable(reason.advice)));
  }
  return 0;
}

}  // namespace muster::client
