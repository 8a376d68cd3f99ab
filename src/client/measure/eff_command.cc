#include "base/text.h"
#include "client/commands.h"
#include "client/measure/account_text.h"
#include "client/measure/job_account.h"
#include "client/measure/sent_again.h"
#include "client/show/failure.h"
#include "client/show/job_finder.h"
#include "spec/read/layers.h"
#include "spec/write/serialize.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

namespace muster::client {
namespace {

std::string phase_word(const FoundJob& job) {
  const job::State& state = job.reading.state();
  if (job.lost()) {
    return "lost";
  }
  return std::string(job.ended() && state.outcome ? to_string(state.outcome->result)
                                                  : to_string(state.phase));
}

/// Judges by the account, and by what this job and those before it of its name sent to the cluster.
std::vector<account::Advice> advice_on(Session& session, const FoundJob& job,
                                       const JobAccount& account) {
  account::Evidence evidence = account.evidence();
  evidence.staged = sent_again(*session.files, job.folder);
  return account::advise(evidence);
}

/// Returns the settings in the advice, each key once: the first piece of advice on a key counts.
std::vector<std::string> sets_of(const std::vector<account::Advice>& advice) {
  std::vector<std::string> sets;
  std::set<std::string> keys;
  for (const account::Advice& each : advice) {
    for (const std::string& set : each.sets) {
      if (keys.insert(set.substr(0, set.find('='))).second) {
        sets.push_back(set);
      }
    }
  }
  return sets;
}

/// Returns the job's specification with the advice applied.
Result<std::string> advised_spec(const FoundJob& job, const std::vector<account::Advice>& advice) {
  MUSTER_TRY(const spec::Spec spec, spec::parse_json(job.reading.plan_file.spec_json));
  spec::Layers layers;
  layers.spec = spec::TextInput{job.folder.id().value, spec::to_yaml(spec)};
  layers.sets = sets_of(advice);
  MUSTER_TRY(const spec::Loaded loaded, spec::load(layers));
  std::string head;
  for (const std::string& set : layers.sets) {
    head += "# changed: " + printable(set) + "\n";
  }
  return head + spec::to_yaml(loaded.spec);
}

}  // namespace

int show_account(Session& session, const EffCommand& command) {
  const Result<FoundJob> job = find_job(session, command.id, command.on);
  if (!job) {
    return fail(session.console, job.error());
  }
  const JobAccount account = account_of(session, *job, WithSamples::Yes);
  const std::vector<account::Advice> advice = advice_on(session, *job, account);
  const AccountView view{.job = job->folder.id().value,
                         .phase = phase_word(*job),
                         .account = account.account,
                         .advice = advice,
                         .notes = account.notes};
  session.console.out(command.json ? account_json(view)
                                   : account_text(view, session.console.screen().colour));
  return 0;
}

int show_advice(Session& session, const AdviseCommand& command) {
  const Result<FoundJob> job = find_job(session, command.id, command.on);
  if (!job) {
    return fail(session.console, job.error());
  }
  const JobAccount account = account_of(session, *job, WithSamples::Yes);
  const std::vector<account::Advice> advice = advice_on(session, *job, account);
  if (command.spec) {
    const Result<std::string> text = advised_spec(*job, advice);
    if (!text) {
      return fail(session.console, text.error());
    }
    session.console.out(*text);
    return 0;
  }
  if (command.json) {
    session.console.out(fmt::format(R"({{"schema":"muster.advice/1","job":{},"advice":{}}})"
                                    "\n",
                                    json_quote(job->folder.id().value), advice_json(advice)));
    return 0;
  }
  if (advice.empty()) {
    session.console.out(fmt::format(
        "no advice for {}: everything known about it is within the limits of every rule\n",
        job->folder.id().value));
    return 0;
  }
  session.console.out(advice_text(advice, session.console.screen().colour));
  return 0;
}

}  // namespace muster::client
