#pragma once

#include "account/account.h"
#include "account/evidence.h"
#include "account/ledger.h"
#include "client/session.h"
#include "client/show/job_finder.h"

#include <cstdint>
#include <string>
#include <vector>

namespace muster::client {

/// The account of a job that was read, with everything it was made from.
struct JobAccount {
  account::Ledger ledger;
  account::Signs signs;
  account::Uses uses;
  account::HostUses hosts;
  account::Account account;
  WallTime started{};  ///< Wall clock of job time 0.
  /// What the numbers lack, for people: a damaged log, starts that nobody saw.
  std::vector<std::string> notes;

  [[nodiscard]] account::Evidence evidence() const {
    return account::evidence_of(ledger, account.until, signs, uses, hosts);
  }
};

/// Whether the samples of its tasks are read, too; if they are on another machine, they are fetched
/// first.
enum class WithSamples : uint8_t { No, Yes };

/// Makes the account of a job up to now; for one that has ended, up to its end; for one that has
/// lost its master, up to the last thing known.
[[nodiscard]] JobAccount account_of(Session& session, const FoundJob& job,
                                    WithSamples with_samples);

}  // namespace muster::client
