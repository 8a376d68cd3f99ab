#pragma once

#include "base/result.h"
#include "base/time.h"

#include <cstdint>
#include <optional>

namespace muster::cluster::yarn {

/// What somebody's files may cost whoever copies them, in bytes and in time. Unlimited if no limits
/// are given.
class CopyBudget {
 public:
  /// A file, or anything else that takes a request of its own, costs at least this much.
  static constexpr uint64_t kPieceMin = 4096;

  CopyBudget() = default;
  /// `most`: the bytes of a copy; `has`: those that it has already; `until`: when it has to end.
  CopyBudget(uint64_t most, uint64_t has, std::optional<HostTime> until)
      : most_(most), left_(most - (has < most ? has : most)), until_(until) {}

  /// NeverFits: more than allowed. DeadlineExceeded: it takes too long.
  [[nodiscard]] Status spend(uint64_t bytes, HostTime now);
  /// Gives back the budget for bytes that are removed from the copy.
  void give_back(uint64_t bytes) { left_ += most_ - left_ < bytes ? most_ - left_ : bytes; }

 private:
  uint64_t most_ = UINT64_MAX;
  uint64_t left_ = UINT64_MAX;
  std::optional<HostTime> until_;
};

}  // namespace muster::cluster::yarn
