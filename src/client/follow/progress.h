#pragma once

#include "job/fact.h"
#include "job/machine.h"

#include <optional>
#include <string>
#include <string_view>

namespace muster::client {

/// How far a job has come, in numbers for people.
struct Progress {
  uint32_t containers_wanted = 0;
  uint32_t containers_granted = 0;
  uint32_t tasks_wanted = 0;
  uint32_t joined = 0;
  uint32_t running = 0;
  uint32_t succeeded = 0;
  uint32_t failed = 0;
  bool operator==(const Progress&) const = default;
};

/// Counts over the state's tasks and containers.
[[nodiscard]] Progress progress_of(const job::Machine& machine);

/// Returns the phase line: "gathering: containers 3/4, joined 2/4 (1.2 s), waiting for ...". Times
/// are since the job's start.
[[nodiscard]] std::string phase_line(const job::Machine& machine, Time now);

/// Returns whether two reasons for waiting are the same sentence apart from the numbers in it.
[[nodiscard]] bool same_but_for_numbers(std::string_view one, std::string_view other);

/// Says in one line what a fact means for people, given the machine that has just applied it;
/// nullopt for what the phase line shows anyway. Covered are the end of a task that failed or was
/// lost and what is done about it, a new generation, a takeover, a stop, a suspected agent, a
/// refused ask, and an endpoint.
[[nodiscard]] std::optional<std::string> narrate(const job::Machine& machine,
                                                 const job::Fact& fact);

/// Returns an endpoint's address for people; a page behind the job's page has no address of its
/// own.
[[nodiscard]] std::string endpoint_text(const job::Endpoint& endpoint);

/// "exit code 7", "signal 9 (SIGKILL)", "success".
[[nodiscard]] std::string describe_exit(const job::Exit& exit);

/// "worker:7 on h3 hangs, silent for 10 min (certain): worker:7 sleeps in load (train.py:31); ...".
[[nodiscard]] std::string describe_stall(const job::Plan& plan, job::AttemptId attempt,
                                         const job::StallNote& note, const job::HostName& host);
/// Returns the same for each of a job's tasks that hangs now.
[[nodiscard]] std::vector<std::string> describe_stalls(const job::Machine& machine);

}  // namespace muster::client
