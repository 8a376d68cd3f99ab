#include "job/parts/budget.h"

#include "base/check.h"
#include "base/split_mix.h"

#include <algorithm>
#include <array>

namespace muster::job {

namespace {

constexpr std::array kTaskRungs = {Rung::Process, Rung::Container, Rung::Host};
constexpr std::array kInfrastructureRungs = {Rung::Infrastructure};

bool within(Time charged, Time now, const RestartBudget& budget) {
  return !budget.window || now - charged < *budget.window;
}

}  // namespace

std::span<const Rung> rungs_from(Rung first) {
  const std::span<const Rung> ladder(kTaskRungs);
  switch (first) {
    case Rung::Process:
      return ladder;
    case Rung::Container:
      return ladder.subspan(1);
    case Rung::Host:
      return ladder.subspan(2);
    case Rung::Infrastructure:
      return kInfrastructureRungs;
    case Rung::Job:
    case Rung::None:
      return {};
  }
  MUSTER_CHECK(false, "unknown Rung");
}

uint32_t limit_of(const RestartBudget& budget, Rung rung) {
  switch (rung) {
    case Rung::Process:
      return budget.process;
    case Rung::Container:
      return budget.container;
    case Rung::Host:
      return budget.host;
    case Rung::Infrastructure:
      return budget.infrastructure;
    case Rung::Job:
      return budget.job;
    case Rung::None:
      return 0;
  }
  MUSTER_CHECK(false, "unknown Rung");
}

bool Ledger::charge(Rung rung, Time now, const RestartBudget& budget) {
  std::erase_if(charges_, [&](const Charge& old) { return !within(old.at, now, budget); });
  const auto spent = std::ranges::count(charges_, rung, &Charge::rung);
  if (static_cast<uint64_t>(spent) >= limit_of(budget, rung)) {
    return false;
  }
  charges_.push_back({rung, now});
  return true;
}

uint32_t Ledger::count(Time now, const RestartBudget& budget) const {
  return static_cast<uint32_t>(std::ranges::count_if(
      charges_, [&](const Charge& charge) { return within(charge.at, now, budget); }));
}

uint32_t Ledger::count(Rung rung, Time now, const RestartBudget& budget) const {
  return static_cast<uint32_t>(std::ranges::count_if(charges_, [&](const Charge& charge) {
    return charge.rung == rung && within(charge.at, now, budget);
  }));
}

Duration backoff_of(Duration low, Duration high, uint32_t n, uint64_t random_bits) {
  Duration wait = std::min(low, high);
  for (uint32_t doubled = 1; doubled < n && wait < high && wait.count() > 0; ++doubled) {
    wait = wait > high / 2 ? high : wait * 2;
  }
  const uint64_t tenth = static_cast<uint64_t>(wait.count()) / 10;
  return wait + Duration(static_cast<int64_t>(random_bits % (tenth + 1)));
}

uint64_t jitter_bits(uint64_t seed, uint64_t first, uint64_t second) {
  const uint64_t mixed = mix_bits(mix_bits(seed + kSplitMixStep) ^ (first + kSplitMixStep));
  return mix_bits(mixed ^ (second + kSplitMixStep));
}

}  // namespace muster::job
