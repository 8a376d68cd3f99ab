#include "job/machine_impl.h"

#include <string_view>

/// A hash of everything the machine knows, for replay checks.
namespace muster::job {

namespace {

/// FNV-1a over words, with a final mix by jitter_bits.
class Digest {
 public:
  void add(uint64_t word) { hash_ = (hash_ ^ word) * 0x100000001B3ULL; }
  void add(std::string_view text) {
    add(text.size());
    for (const char each : text) {
      add(static_cast<uint64_t>(static_cast<unsigned char>(each)));
    }
  }
  template <class Tag, class Representation>
  void add(const Strong<Tag, Representation>& strong) {
    add(strong.value);
  }
  void add(Time at) { add(static_cast<uint64_t>(at.time_since_epoch().count())); }
  void add(TaskId id) {
    add(id.role);
    add(id.index);
  }
  template <class E>
    requires std::is_enum_v<E>
  void add(E value) {
    add(static_cast<uint64_t>(value));
  }
  [[nodiscard]] uint64_t value() const { return jitter_bits(hash_, 0, 0); }

 private:
  uint64_t hash_ = 0xCBF29CE484222325ULL;
};

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
}

void add(Digest& digest, const Intent& next) {
  for (const bool flag : {next.wanted, next.given_up, next.at_home, next.granted, next.joined,
                          next.latched, next.ever_started, next.new_ports, next.leaves}) {
    digest.add(flag ? 1ULL : 0ULL);
  }
  digest.add(next.placement);
  for (const uint32_t number : {next.cohort, next.victim_of, next.stop_batch, next.number_floor,
                                next.backoff.value, next.join.value, next.request.value}) {
    digest.add(number);
  }
  for (const Ledger::Charge& charge : next.ledger.charges()) {
    digest.add(charge.rung);
    digest.add(charge.at);
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
  for (const uint32_t number : {cohort.gather.value, cohort.hold.value, cohort.regather.value,
                                cohort.given_back, cohort.postponed}) {
    digest.add(number);
  }
}

}  // namespace

uint64_t Machine::digest() const {
  const Impl& inside = *impl_;
  const State& state = inside.state;
  Digest digest;
  digest.add(inside.now);
  digest.add(state.phase);
  digest.add(state.epoch);
  digest.add(state.generation);
  digest.add(state.waits_for);
  for (const std::vector<Task>& role : state.tasks) {
    for (const Task& task : role) {
      digest.add(task.state);
      digest.add(task.restarts);
      for (const Attempt& attempt : task.attempts) {
        add(digest, attempt);
      }
      add(digest, inside.intents[task.id.role.value][task.id.index]);
    }
  }
  for (const auto& [id, container] : state.containers) {
    add(digest, container);
  }
  for (const auto& [id, request] : state.requests) {
    digest.add(id);
    digest.add(request.cancelled ? 1ULL : 0ULL);
  }
  for (const auto& [id, what] : inside.pending) {
    digest.add(id);
    digest.add(what.kind);
    digest.add(what.at);
  }
  for (const auto& [id, cohort] : inside.cohorts) {
    add(digest, cohort);
  }
  for (const Member& member : state.view.members) {
    digest.add(member.task);
    digest.add(member.attempt);
    digest.add(member.address.port);
  }
  for (const Cause& loss : inside.losses) {
    digest.add(loss.task());
  }
  for (const uint32_t number :
       {inside.wave, inside.cohort_count, inside.batch_count, inside.request_count,
        inside.deadline_count, inside.live, inside.live_started, inside.containers_open,
        inside.generation_floor, inside.starts_awaited}) {
    digest.add(number);
  }
  if (state.outcome) {
    digest.add(state.outcome->result);
    digest.add(state.outcome->message);
  }
  return digest.value();
}

}  // namespace muster::job
