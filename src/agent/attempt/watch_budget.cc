#include "agent/attempt/watch_budget.h"

#include <algorithm>

namespace muster::agent {
namespace {

constexpr Duration::rep kWhole = 1000;

}  // namespace

WatchBudget::WatchBudget(Options options, HostTime now)
    : options_(options), free_at_(now - options.saved_max * kWhole / options.share_per_mille) {}

bool WatchBudget::affords(HostTime now) const { return free_at_ <= now; }

void WatchBudget::pay(HostTime now, Duration spent) {
  const HostTime oldest = now - options_.saved_max * kWhole / options_.share_per_mille;
  free_at_ = std::max(free_at_, oldest) + spent * kWhole / options_.share_per_mille;
  paid_ += spent;
}

}  // namespace muster::agent
