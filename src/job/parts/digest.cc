#include "job/parts/digest.h"

#include "job/parts/machine_parts.h"

namespace muster::job {

namespace {

void add(Digest& digest, const Attempt& attempt) {
  digest.add(attempt.number);
  digest.add(attempt.container);
  digest.add(attempt.slot);
  digest.add(attempt.state);
  digest.add(attempt.generation);
  digest.add(attempt.address.host);
  digest.add(attempt.address.port);
  digest.add(static_cast<uint64_t>(attempt.pid));
  for (const Time at : {attempt.placed, attempt.joined, attempt.started, attempt.ended}) {
    digest.add(at);
  }
  digest.add(attempt.exit ? static_cast<uint64_t>(attempt.exit->exit_code.value_or(-1))
                          : 1ULL << 40);
  digest.add(attempt.part ? static_cast<uint64_t>(*attempt.part) : 9);
  if (attempt.stall) {
    digest.add(attempt.stall->at);
    digest.add(attempt.stall->sure);
  }
}

void add(Digest& digest, const Container& container) {
  digest.add(container.id);
  digest.add(container.host);
  digest.add(container.state);
  digest.add(container.agent_address);
  digest.add(container.suspected ? 1ULL : 0ULL);
  digest.add(container.occupants);
  digest.add(container.live);
}

void add(Digest& digest, const Cohort& cohort) {
  digest.add(cohort.id);
  for (const Cohort::Share& share : cohort.shares) {
    digest.add(share.role);
    digest.add(share.members);
    digest.add(share.granted);
    digest.add(share.joined);
  }
  for (const uint32_t number : {cohort.gather.id.value, cohort.hold.id.value,
                                cohort.regather.id.value, cohort.given_back, cohort.postponed}) {
    digest.add(number);
  }
}

void add_intent(Digest& digest, const MachineParts& parts, TaskId id) {
  const Roles::Flags& flags = parts.roles.flags(id);
  const Asks::Wish& wish = parts.asks.of(id);
  const Places::Seat& seat = parts.places.of(id);
  const Gangs::Membership& member = parts.gangs.of(id);
  const Attempts::Run& run = parts.attempts.of(id);
  for (const bool flag : {wish.wanted, flags.given_up, seat.at_home, member.granted, member.joined,
                          flags.final, flags.ever_started, run.new_ports, seat.leaves}) {
    digest.add(flag ? 1ULL : 0ULL);
  }
  digest.add(wish.placement);
  for (const uint32_t number :
       {member.cohort, parts.blame.victim_of(id), parts.attempts.batches().of(id), run.number_floor,
        wish.backoff.value, run.join.id.value, wish.request.value}) {
    digest.add(number);
  }
  for (const Ledger::Charge& charge : parts.failures.ladder().ledger(id).charges()) {
    digest.add(charge.rung);
    digest.add(charge.at);
  }
}

}  // namespace

uint64_t digest_of(const MachineParts& parts) {
  Digest digest;
  digest.add(parts.turn.now);
  digest.add(parts.state.phase);
  digest.add(parts.state.epoch);
  digest.add(parts.state.view.generation);
  digest.add(parts.state.chronicle.waits_for());
  for (const std::vector<Task>& role : parts.state.tasks) {
    for (const Task& task : role) {
      digest.add(task.state);
      digest.add(task.restarts);
      for (const Attempt& attempt : task.attempts) {
        add(digest, attempt);
      }
      add_intent(digest, parts, task.id);
    }
  }
  for (const auto& [id, container] : parts.state.containers) {
    add(digest, container);
  }
  for (const auto& [id, request] : parts.state.requests) {
    digest.add(id);
    digest.add(request.cancelled ? 1ULL : 0ULL);
  }
  for (const auto& [id, timer] : parts.timers.pending()) {
    digest.add(id);
    digest.add(kind_of(timer.purpose));
    digest.add(timer.at);
  }
  for (const auto& [id, cohort] : parts.gangs.cohorts()) {
    add(digest, cohort);
  }
  for (const Member& member : parts.state.view.members) {
    digest.add(member.task);
    digest.add(member.attempt);
    digest.add(member.address.port);
  }
  for (const AttemptId& old : parts.fence.watched()) {
    digest.add(old.task);
    digest.add(old.number);
  }
  for (const TaskId loss : parts.blame.waiting()) {
    digest.add(loss);
  }
  const Tally sum = parts.lives.sum();
  for (const uint32_t number :
       {parts.blame.waves(), parts.gangs.count(), parts.attempts.batches().count(),
        parts.asks.count(), parts.timers.count(), sum.active, sum.started,
        parts.lives.containers_open(), parts.views.floor().value, parts.lives.starts_awaited()}) {
    digest.add(number);
  }
  if (parts.state.outcome) {
    digest.add(parts.state.outcome->result);
    digest.add(parts.state.outcome->message);
  }
  return digest.value();
}

}  // namespace muster::job
