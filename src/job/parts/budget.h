#pragma once

#include "base/time.h"
#include "job/plan.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace muster::job {

/// Returns the rungs of a task that are tried from `first` on, in order. They never include `Job`:
/// it is tried only when the job would fail otherwise.
[[nodiscard]] std::span<const Rung> rungs_from(Rung first);

/// Returns how often `rung` may be tried within the budget's window.
[[nodiscard]] uint32_t limit_of(const RestartBudget& budget, Rung rung);

/// What has been charged to one task or, for Rung::Job, to the job. Charges older than the window
/// no longer count.
class Ledger {
 public:
  /// Charges `rung` at `now` and returns true; returns false, with nothing charged, when its count
  /// is spent.
  [[nodiscard]] bool charge(Rung rung, Time now, const RestartBudget& budget);

  /// Returns the charges of all rungs within the window that ends at `now`.
  [[nodiscard]] uint32_t count(Time now, const RestartBudget& budget) const;

  /// Returns the charges of one rung within that window.
  [[nodiscard]] uint32_t count(Rung rung, Time now, const RestartBudget& budget) const;

  struct Charge {
    Rung rung;
    Time at;
  };
  [[nodiscard]] const std::vector<Charge>& charges() const { return charges_; }

 private:
  std::vector<Charge> charges_;
};

/// Returns the wait before the n-th restart (from 1): min(low * 2^(n-1), high), and up to a tenth
/// more, taken from `random_bits` so that the members of a wave do not come back in step.
[[nodiscard]] Duration backoff_of(Duration low, Duration high, uint32_t n, uint64_t random_bits);

/// Mixes the parts into 64 well-spread bits: the machine's only source of jitter. Equal parts,
/// equal bits.
[[nodiscard]] uint64_t jitter_bits(uint64_t seed, uint64_t first, uint64_t second);

}  // namespace muster::job
