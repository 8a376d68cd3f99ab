#include "job/parts/attempt_facts.h"

#include "job/elastic.h"
#include "job/parts/barriers.h"
#include "job/parts/machine_parts.h"

#include <utility>

namespace muster::job {

void AttemptFacts::joined(TaskId id, const Address& address) {
  if (!parts_.attempts.joined(id, address)) {
    return;
  }
  const Cohort* cohort = parts_.gangs.cohort_of(id);
  if (cohort != nullptr && !cohort->gang &&
      parts_.plan.role(id.role).membership == spec::Membership::Rejoin &&
      parts_.plan.barrier == spec::Barrier::Gang && !parts_.attempts.keeps_address(id, address)) {
    // The others know it under its old address: they restart, too, with a new view.
    parts_.restarts.regroup({}, id);
  }
  barriers_.open_if_complete(parts_.gangs.of(id).cohort);
}

void AttemptFacts::pass_on(TaskId id, Attempts::Meaning meaning) {
  if (meaning.failed) {
    parts_.failures.failed(std::move(*meaning.failed));
  } else if (meaning.succeeded) {
    succeeded(id);
  }
}

void AttemptFacts::succeeded(TaskId id) {
  if (parts_.plan.role(id.role).membership == spec::Membership::Static) {
    parts_.roles.succeeded_for_now(id);
  } else {
    parts_.attempts.make_final(id);
  }
  if (ranges(parts_.plan, id.role)) {
    parts_.attempts.stop_growing(id.role);
  }
  parts_.roles.ask_review();
}

}  // namespace muster::job
