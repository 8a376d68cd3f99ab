#pragma once

#include "account/ledger.h"
#include "base/time.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace muster::account {

/// What jobs are grouped by.
enum class UsageBy : uint8_t { User, Queue, Name, Day, Host };

/// "user", "queue", "name", "day", "host".
[[nodiscard]] std::string_view to_string(UsageBy by);

/// What one group used.
struct UsageRow {
  uint32_t jobs = 0;
  uint32_t failed = 0;  ///< Jobs that ended in failure, among them.
  Duration granted{};   ///< Container time.
  Duration productive{};
  Duration queued{};        ///< Not by day or host: it passes before either is known.
  double memory_gib_s = 0;  ///< Requested.
  double core_s = 0;
  double gpu_s = 0;

  [[nodiscard]] std::optional<double> goodput() const;
};

/// A job as it enters the sums.
struct UsedBy {
  std::string user;
  std::string queue;
  std::string name;
  bool failed = false;
  WallTime started{};  ///< Wall clock of job time 0.
  Duration queued_before{};
};

/// Sums up what jobs used. What lies before `since` is left out; a job with nothing after it is not
/// counted.
class Usage {
 public:
  Usage(UsageBy by, WallTime since) : by_(by), since_(since) {}

  /// Adds a job up to `until`, in its own time.
  void add(const UsedBy& job, const Ledger& ledger, Time until, const Signs& signs);
  /// Returns the rows by key, in order.
  [[nodiscard]] const std::map<std::string, UsageRow>& rows() const { return rows_; }

 private:
  [[nodiscard]] std::string key_of(const UsedBy& job, const Line& line, WallTime at) const;
  void add(const UsedBy& job, const job::Plan& plan, const Line& line,
           std::map<std::string, UsageRow>& rows) const;

  UsageBy by_;
  WallTime since_;
  std::map<std::string, UsageRow> rows_;
};

}  // namespace muster::account
