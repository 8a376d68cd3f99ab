#include "master/performer.h"

#include "job/unheard.h"

#include <utility>

namespace muster::master {

Performer::Performer(const Deps& deps, OnFinish on_finish)
    : deps_(deps),
      on_finish_(std::move(on_finish)),
      deadlines_(deps.loop, deps.decider.clock(),
                 [this](job::DeadlineId id) { deps_.decider.enter(job::DeadlinePassed{id}); }) {}

void Performer::perform(const job::Action& action) {
  std::visit([this](const auto& kind) { on(kind); }, action);
}

void Performer::on(const job::RequestContainer& action) { deps_.link.request(action); }

void Performer::on(const job::CancelRequest& action) { deps_.link.cancel(action.request); }

void Performer::on(const job::LaunchAgent& action) {
  deps_.link.launch(deps_.admission.launch_order(action.container));
}

void Performer::on(const job::ReleaseContainer& action) {
  deps_.agents.release(action.container);
  const bool unheard = job::ended_unheard(deps_.decider.machine().state(), action.container);
  deps_.link.release(action.container, unheard ? cluster::Confirm::Yes : cluster::Confirm::No);
}

void Performer::on(const job::PrepareAttempt& action) {
  deps_.agents.order(action.container, action);
}

void Performer::on(const job::StartAttempt& action) {
  deps_.agents.order(action.container, action);
}

void Performer::on(const job::StopAttempt& action) { deps_.agents.order(action.container, action); }

void Performer::on(const job::SetDeadline& action) { deadlines_.set(action); }

void Performer::on(const job::ClearDeadline& action) { deadlines_.clear(action.deadline); }

void Performer::on(const job::Reconcile&) {
  deps_.agents.call_agents();
  deps_.link.reconcile();
}

void Performer::on(const job::Finish& action) { on_finish_(action.outcome); }

}  // namespace muster::master
