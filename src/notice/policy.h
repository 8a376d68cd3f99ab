#pragma once

#include "base/time.h"
#include "job/fact.h"
#include "job/plan.h"
#include "job/state.h"
#include "spec/settings.h"

#include <chrono>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::notice {

/// Something to announce, once.
struct Notice {
  std::string id;  ///< Unique within the job: "start", "end", "stall:worker:1#2".
  spec::Occasion on = spec::Occasion::End;
  std::optional<job::AttemptId> attempt;  ///< Of a stall.
  Duration silent{};                      ///< Of a stall: for how long.

  bool operator==(const Notice&) const = default;
};

/// One notice over one channel.
struct Delivery {
  Notice notice;
  job::NoticeWay way = job::NoticeWay::Command;

  bool operator==(const Delivery&) const = default;
};

/// Determines which notices are due, from the facts in the log and the state that they led to. Feed
/// it every fact, including those of earlier masters, in order.
class Policy {
 public:
  explicit Policy(spec::Notify wanted) : wanted_(std::move(wanted)) {}

  void take(const job::Plan& plan, const job::Fact& fact);
  /// Returns what has happened and is neither delivered nor given up, oldest first. The same state
  /// gives the same list.
  [[nodiscard]] std::vector<Delivery> due(const job::State& state) const;

 private:
  void note(const job::NoticeTold& told);
  void note(const job::Plan& plan, const job::AttemptStalled& stalled);
  [[nodiscard]] bool wants(spec::Occasion occasion) const;
  [[nodiscard]] std::vector<job::NoticeWay> ways() const;
  [[nodiscard]] std::vector<Notice> noticed(const job::State& state) const;

  spec::Notify wanted_;
  std::vector<Notice> stalls_;
  std::vector<std::pair<std::string, job::NoticeWay>> settled_;
};

/// Stalls beyond these are not announced: a hanging job with thousands of tasks is one message, not
/// thousands.
inline constexpr size_t kStallsMax = 8;

/// How long after the first attempt the last one begins, while the job is running.
inline constexpr Duration kTryFor = std::chrono::minutes(10);

/// Returns how long to wait after `tries` failed attempts (1 or more) before the next, `since`
/// after the first began; nullopt to give up. While the job is ending, waits are 2 s at most.
[[nodiscard]] std::optional<Duration> wait_before(uint32_t tries, Duration since, bool ending);

}  // namespace muster::notice
