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

/// How a process says that it belongs to an attempt: what its environment held when it was started.
struct AttemptMark {
  std::string job;
  std::string role;
  uint32_t index = 0;
  uint32_t number = 0;
};

/// Finds what an ended attempt left behind: daemons that moved to a session of their own and whose
/// parents are gone. They are known by their inherited environment, and those who wiped it by
/// having been seen below the attempt's process before. What still escapes ends with the container,
/// by its keeper.
class Leftovers {
 public:
  virtual ~Leftovers() = default;
  /// Notes the processes that now belong to an attempt.
  virtual void saw(job::AttemptId attempt, const std::vector<os::Pid>& family) = 0;
  /// Sends TERM to what is left of an attempt, once to each; returns how many still live.
  virtual size_t ask_to_end(job::AttemptId attempt, const AttemptMark& mark) = 0;
  /// Kills what is left of an attempt and forgets it; returns how many processes that were.
  virtual size_t end(job::AttemptId attempt, const AttemptMark& mark) = 0;
};

/// The real one, over /proc: looks at what lives below `root`; 0 stands for this process's parent:
/// the keeper, or what took its place when it was killed.
class ProcLeftovers final : public Leftovers {
 public:
  explicit ProcLeftovers(os::Pid root) : root_(root) {}
  void saw(job::AttemptId attempt, const std::vector<os::Pid>& family) override;
  size_t ask_to_end(job::AttemptId attempt, const AttemptMark& mark) override;
  size_t end(job::AttemptId attempt, const AttemptMark& mark) override;

 private:
  /// A process and when it started: a pid alone may be somebody else's by now.
  using Seen = std::set<std::pair<int32_t, uint64_t>>;
  [[nodiscard]] os::Pid root() const;
  [[nodiscard]] Seen living(const Seen& seen, const AttemptMark& mark) const;

  os::Pid root_;
  std::map<job::AttemptId, Seen> seen_;
  std::map<job::AttemptId, Seen> asked_;
};

/// Tells whether a block of NAME=VALUE entries, each ended by a NUL, carries the mark.
[[nodiscard]] bool carries(std::string_view variables, const AttemptMark& mark);

}  // namespace muster::agent
