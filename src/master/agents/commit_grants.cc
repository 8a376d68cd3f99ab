#include "master/agents/commit_grants.h"

#include <fmt/format.h>

#include <utility>

namespace muster::master {

void CommitGrants::asked(const job::ContainerId& container, const wire::CommitAsked& asked) {
  wire::CommitAnswered answer{asked.attempt, asked.generation, asked.name, ""};
  const job::Machine& machine = decider_.machine();
  if (!machine.may_commit(asked.attempt, asked.generation)) {
    answer.refusal = fmt::format("generation {} may not commit now; the current one is {}",
                                 asked.generation.value, machine.state().view.generation.value);
    answer_(container, answer);
    return;
  }
  const uint64_t index =
      decider_.enter(job::CheckpointCommitted{asked.attempt, asked.generation, asked.name});
  waiting_.emplace(index, Grant{container, std::move(answer)});
}

void CommitGrants::released(uint64_t index) {
  if (const auto found = waiting_.find(index); found != waiting_.end()) {
    const Grant grant = std::move(found->second);
    waiting_.erase(found);
    answer_(grant.container, grant.answer);
  }
}

}  // namespace muster::master
