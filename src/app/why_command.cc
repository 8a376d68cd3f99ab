#include "app/commands.h"
#include "app/failure.h"
#include "app/job_finder.h"
#include "app/live_status.h"
#include "base/text.h"
#include "client/progress.h"
#include "client/refusals.h"
#include "client/status_text.h"
#include "cluster/yarn/container_end.h"
#include "cluster/yarn/fit.h"
#include "cluster/yarn/wait_look.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::app {
namespace {

namespace yarn = cluster::yarn;

/// The largest container that the job asks for, and the label of its role.
yarn::WaitAsk ask_of(const job::Plan& plan) {
  const job::RolePlan* largest = nullptr;
  const auto memory = [&](const job::RolePlan& one) {
    return yarn::container_share(plan, one).memory_bytes;
  };
  for (const job::RolePlan& role : plan.roles) {
    if (largest == nullptr || memory(role) > memory(*largest)) {
      largest = &role;
    }
  }
  if (largest == nullptr) {
    return {};
  }
  const spec::Role* const role = spec::find_role(plan.spec, largest->name);
  std::string label = role == nullptr ? std::string() : role->node_label;
  return {.largest = yarn::resource_of(yarn::container_share(plan, *largest)),
          .label = label.empty() ? plan.spec.yarn.node_label : std::move(label)};
}

Result<std::vector<yarn::WaitReason>> reasons_on_yarn(Session& session, const FoundJob& job) {
  const auto client = yarn_client_of(session, job.entry.folder);
  MUSTER_TRY(const yarn::WaitFacts facts,
             yarn::look_at_wait(client->cluster(), job.entry.folder.root(),
                                ask_of(job.reading.replayed.machine.plan())));
  return yarn::explain_wait(facts);
}

Result<std::vector<yarn::WaitReason>> reasons_of(Session& session, const FoundJob& job) {
  std::vector<yarn::WaitReason> reasons;
  if (!job.reading.has_master) {
    reasons.push_back({.text = "a master: none runs (the machine went down, or every process of "
                               "the job was killed)",
                       .advice = "submit the job again; `muster clean` removes what is left"});
    return reasons;
  }
  const std::optional<std::string> live = ask_status(session, job.entry.folder);
  const std::string waits = live ? client::waits_for_of(*live) : std::string();
  if (const std::string trouble = live ? client::log_trouble_of(*live) : ""; !trouble.empty()) {
    reasons.push_back({.text = "the job's log cannot be written: " + trouble,
                       .advice = "make room there; starts and restarts wait for it"});
  }
  if (!waits.empty()) {
    reasons.push_back({.text = waits, .advice = {}});
  }
  for (std::string& refused :
       client::standing_refusals(job.reading.replayed.machine.plan(), job.reading.log.records)) {
    std::string advice(yarn::advice_for(refused));
    reasons.push_back({.text = std::move(refused), .advice = std::move(advice)});
  }
  const client::Progress progress = client::progress_of(job.reading.replayed.machine);
  const bool all_run = live && waits.empty() && progress.running >= progress.tasks_wanted;
  if (is_on_yarn(session, job.entry.folder) && !all_run) {
    MUSTER_TRY(const std::vector<yarn::WaitReason> further, reasons_on_yarn(session, job));
    reasons.insert(reasons.end(), further.begin(), further.end());
  }
  return reasons;
}

std::string json_of(const FoundJob& job, const std::vector<yarn::WaitReason>& reasons) {
  std::string out = fmt::format(R"({{"schema":"muster.why/1","job":{},"phase":{},"reasons":[)",
                                json_quote(job.entry.folder.id().value),
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
  const bool ended = job->entry.ended || job->reading.state().phase == job::JobPhase::Ended;
  const Result<std::vector<yarn::WaitReason>> reasons =
      ended ? std::vector<yarn::WaitReason>() : reasons_of(session, *job);
  if (!reasons) {
    return fail(session.console, reasons.error());
  }
  if (command.json) {
    session.console.out(json_of(*job, *reasons));
    return 0;
  }
  const std::string id = job->entry.folder.id().value;
  if (reasons->empty()) {
    session.console.out(ended ? id + " has ended: `muster status` tells how\n"
                              : id + " waits for nothing: its tasks run\n");
    return 0;
  }
  session.console.out(id + " waits:\n");
  for (const yarn::WaitReason& reason : *reasons) {
    session.console.out("  - " + printable(reason.text) + "\n");
    if (!reason.advice.empty()) {
      session.console.out("      " + reason.advice + "\n");
    }
  }
  return 0;
}

}  // namespace muster::app
