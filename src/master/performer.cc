#include "master/performer.h"

namespace muster::master {

void Performer::perform(const job::Action& action) {
  std::visit([this](const auto& kind) { on(kind); }, action);
}

void Performer::on(const job::RequestContainer& action) { parts_.link.request(action); }

void Performer::on(const job::CancelRequest& action) { parts_.link.cancel(action.request); }

void Performer::on(const job::LaunchAgent& action) {
  parts_.link.launch(parts_.launch_order(action.container));
}

void Performer::on(const job::ReleaseContainer& action) {
  parts_.agents.dismiss(action.container, "the container is released");
  parts_.liveness.forget(action.container);
  parts_.link.release(action.container);
}

void Performer::on(const job::PrepareAttempt& action) {
  parts_.agents.order(action.container, action);
}

void Performer::on(const job::StartAttempt& action) {
  parts_.agents.order(action.container, action);
}

void Performer::on(const job::StopAttempt& action) {
  parts_.agents.order(action.container, action);
}

void Performer::on(const job::SetDeadline& action) { parts_.deadlines.set(action); }

void Performer::on(const job::ClearDeadline& action) { parts_.deadlines.clear(action.deadline); }

void Performer::on(const job::Reconcile&) { parts_.reconcile(); }

void Performer::on(const job::Finish& action) { parts_.finish(action.outcome); }

}  // namespace muster::master
