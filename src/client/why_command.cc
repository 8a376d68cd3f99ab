#include "base/text.h"
#include "client/commands.h"
#include "client/failure.h"
#include "client/job_finder.h"
#include "client/live_status.h"
#include "client/progress.h"
#include "client/refusals.h"
#include "client/status_text.h"
#include "cluster/wait_reason.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace muster::client {
namespace {

using cluster::WaitReason;

/// What the job's own master says that it waits for.
void add_told(const std::string& status, std::vector<WaitReason>& reasons) {
  if (const std::string trouble = log_trouble_of(status); !trouble.empty()) {
    reasons.push_back({.text = "the job's log cannot be written: " + trouble,
                       .advice = "free space there; starts and restarts wait for it"});
  }
  if (std::string waits = waits_for_of(status); !waits.empty()) {
    reasons.push_back({.text = std::move(waits), .advice = {}});
  }
}

Result<std::vector<WaitReason>> reasons_of(Session& session, const FoundJob& job) {
  std::vector<WaitReason> reasons;
  if (job.ended()) {
    return reasons;
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
  add_told(live.value_or(""), reasons);
  const job::Machine& machine = job.reading.replayed.machine;
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
  const std::string id = job->folder.id().value;
  if (reasons->empty()) {
    session.console.out(job->ended() ? id + " has ended: see `muster status`\n"
                                     : id + " waits for nothing: its tasks are running\n");
    return 0;
  }
  session.console.out(id + " waits:\n");
  for (const WaitReason& reason : *reasons) {
    session.console.out("  - " + printable(reason.text) + "\n");
    if (!reason.advice.empty()) {
      session.console.out("      " + reason.advice + "\n");
    }
  }
  return 0;
}

}  // namespace muster::client
