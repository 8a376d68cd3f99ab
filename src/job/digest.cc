#include "job/digest.h"

#include "job/machine_impl.h"

/// A hash of everything the machine knows, for replay checks.
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

}  // namespace

void Machine::Impl::add_intent(Digest& digest, TaskId id) const {
  const Roles::Flags& flags = roles_.flags(id);
  const Asks::Wish& wish = asks_.of(id);
  const Places::Seat& seat = places_.of(id);
  const Gangs::Membership& member = gangs_.of(id);
  const Attempts::Run& run = attempts_.of(id);
  for (const bool flag : {wish.wanted, flags.given_up, seat.at_home, member.granted, member.joined,
                          flags.final, flags.ever_started, run.new_ports, seat.leaves}) {
    digest.add(flag ? 1ULL : 0ULL);
  }
  digest.add(wish.placement);
  for (const uint32_t number : {member.cohort, blame_.victim_of(id), run.batch, run.number_floor,
                                wish.backoff.value, run.join.id.value, wish.request.value}) {
    digest.add(number);
  }
  for (const Ledger::Charge& charge : failures_.ladder().ledger(id).charges()) {
    digest.add(charge.rung);
    digest.add(charge.at);
  }
}

uint64_t Machine::Impl::digest() const {
  Digest digest;
  digest.add(turn_.now);
  digest.add(state_.phase);
  digest.add(state_.epoch);
  digest.add(state_.generation);
  digest.add(state_.waits_for);
  for (const std::vector<Task>& role : state_.tasks) {
    for (const Task& task : role) {
      digest.add(task.state);
      digest.add(task.restarts);
      for (const Attempt& attempt : task.attempts) {
        add(digest, attempt);
      }
      add_intent(digest, task.id);
    }
  }
  for (const auto& [id, container] : state_.containers) {
    add(digest, container);
  }
  for (const auto& [id, request] : state_.requests) {
    digest.add(id);
    digest.add(request.cancelled ? 1ULL : 0ULL);
  }
  for (const auto& [id, timer] : timers_.pending()) {
    digest.add(id);
    digest.add(kind_of(timer.purpose));
    digest.add(timer.at);
  }
  for (const auto& [id, cohort] : gangs_.cohorts()) {
    add(digest, cohort);
  }
  for (const Member& member : state_.view.members) {
    digest.add(member.task);
    digest.add(member.attempt);
    digest.add(member.address.port);
  }
  for (const AttemptId& old : fence_.watched()) {
    digest.add(old.task);
    digest.add(old.number);
  }
  for (const TaskId loss : blame_.waiting()) {
    digest.add(loss);
  }
  const Tally sum = lives_.sum();
  for (const uint32_t number : {blame_.waves(), gangs_.count(), attempts_.batches(), asks_.count(),
                                timers_.count(), sum.active, sum.started, lives_.containers_open(),
                                views_.floor().value, lives_.starts_awaited()}) {
    digest.add(number);
  }
  if (state_.outcome) {
    digest.add(state_.outcome->result);
    digest.add(state_.outcome->message);
  }
  return digest.value();
}

}  // namespace muster::job
