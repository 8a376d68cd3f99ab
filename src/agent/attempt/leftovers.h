#pragma once

#include "job/ids.h"
#include "os/process/pid.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace muster::agent {

/// How a process is recognized as part of an attempt: by what its environment held when it was
/// started.
struct AttemptMark {
  std::string job;
  std::string role;
  uint32_t index = 0;
  uint32_t number = 0;
};

/// Finds what an ended attempt left behind: daemons that moved to a session of their own and whose
/// parents are gone. They are recognized by their inherited environment; those that wiped it, by
/// having been seen earlier below the attempt's process. Whatever still escapes is ended with the
/// container, by its keeper.
class Leftovers {
 public:
  virtual ~Leftovers() = default;
  /// Notes the processes that now belong to an attempt.
  virtual void saw(job::AttemptId attempt, const std::vector<os::Pid>& family) = 0;
  /// Sends TERM once to each process left of an attempt; returns how many are still alive.
  virtual size_t ask_to_end(job::AttemptId attempt, const AttemptMark& mark) = 0;
  /// Kills what is left of an attempt and forgets it; returns how many processes were killed.
  virtual size_t end(job::AttemptId attempt, const AttemptMark& mark) = 0;
};

/// The real one, over /proc: looks at what lives below `root`. 0 stands for this process's parent,
/// which is the keeper or, if that was killed, whatever took its place.
class ProcLeftovers final : public Leftovers {
 public:
  explicit ProcLeftovers(os::Pid root) : root_(root) {}
  void saw(job::AttemptId attempt, const std::vector<os::Pid>& family) override;
  size_t ask_to_end(job::AttemptId attempt, const AttemptMark& mark) override;
  size_t end(job::AttemptId attempt, const AttemptMark& mark) override;

 private:
  /// A process and when it started: a pid alone may have been reused since.
  using Seen = std::set<std::pair<int32_t, uint64_t>>;
  [[nodiscard]] os::Pid root() const;
  [[nodiscard]] Seen living(const Seen& seen, const AttemptMark& mark);

  os::Pid root_;
  std::map<job::AttemptId, Seen> seen_;
  std::map<job::AttemptId, Seen> asked_;
  Seen bare_;  ///< Those that are known to have no variables at all.
};

/// Returns whether a block of NUL-terminated NAME=VALUE entries carries the mark.
[[nodiscard]] bool carries(std::string_view variables, const AttemptMark& mark);

}  // namespace muster::agent
