#include "job/machine_impl.h"

/// Preemption with notice: the tasks of the container are told and get that time to save, the
/// container is given back, and they are asked for again. It is charged to the infrastructure
/// budget, not as a failure.
namespace muster::job {

void Machine::Impl::on(const PreemptionNoticed& notice) {
  Container* container = find_container(notice.container);
  if (container == nullptr || stopping() ||
      (container->state != ContainerState::Launching &&
       container->state != ContainerState::Ready)) {
    return;
  }
  std::vector<Move> moves;
  for (const TaskId id : container->tasks) {
    const Attempt* attempt = live_attempt(id);
    if (attempt != nullptr && attempt->container == container->id &&
        attempt->state != AttemptState::Stopping) {
      moves.push_back({.task = id,
                       .placement = Placement::NewContainer,
                       .reason = StopReason::Preemption,
                       .grace = notice.in});
    }
  }
  // With nothing left to charge the tasks run on until the container is really taken; that end
  // decides.
  if (moves.empty() || !charge(Rung::Infrastructure, moves.front().task)) {
    return;
  }
  ++wave;
  wave_at = now;
  wave_cured = true;
  restart(std::move(moves), {});
}

}  // namespace muster::job
