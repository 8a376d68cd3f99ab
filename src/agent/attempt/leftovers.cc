#include "agent/attempt/leftovers.h"

#include "os/process/process_tree.h"

#include <csignal>
#include <fstream>
#include <iterator>
#include <string_view>
#include <unistd.h>

namespace muster::agent {
namespace {

std::string read_variables(os::Pid pid) {
  std::ifstream file("/proc/" + std::to_string(pid.value) + "/environ", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool holds_entry(std::string_view variables, const std::string& entry) {
  for (size_t at = variables.find(entry); at != std::string_view::npos;
       at = variables.find(entry, at + 1)) {
    const size_t end = at + entry.size();
    const bool starts = at == 0 || variables[at - 1] == '\0';
    if (starts && (end == variables.size() || variables[end] == '\0')) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool carries(std::string_view variables, const AttemptMark& mark) {
  return holds_entry(variables, "MUSTER_JOB_ID=" + mark.job) &&
         holds_entry(variables, "MUSTER_ROLE=" + mark.role) &&
         holds_entry(variables, "MUSTER_INDEX=" + std::to_string(mark.index)) &&
         holds_entry(variables, "MUSTER_ATTEMPT=" + std::to_string(mark.number));
}

os::Pid ProcLeftovers::root() const { return root_.value != 0 ? root_ : os::Pid{::getppid()}; }

void ProcLeftovers::saw(job::AttemptId attempt, const std::vector<os::Pid>& family) {
  if (family.size() < 2) {
    return;  // The shell itself is watched anyway.
  }
  Seen& seen = seen_[attempt];
  // Processes that left the family after they were seen are kept as long as they live. Each is
  // checked by itself, because listing all processes of the host every second would be expensive.
  std::erase_if(seen, [](const std::pair<int32_t, uint64_t>& process) {
    const auto now = os::read_living(os::Pid(process.first));
    return !now || now->start_ticks != process.second;
  });
  for (const os::Pid member : family) {
    if (const auto process = os::read_living(member)) {
      seen.emplace(process->pid.value, process->start_ticks);
    }
  }
}

/// For a moment in exec(), a process shows no variables, so those without are looked at again.
ProcLeftovers::Seen ProcLeftovers::living(const Seen& seen, const AttemptMark& mark) {
  constexpr int kLooks = 20;
  for (int look = 1;; ++look) {
    Seen found;
    Seen bare;
    bool all_known = true;
    for (const os::ProcessInfo& process : os::list_descendants(root())) {
      if (process.zombie || process.pid.value == ::getpid()) {
        continue;
      }
      const std::pair<int32_t, uint64_t> key{process.pid.value, process.start_ticks};
      if (seen.contains(key)) {
        found.insert(key);
        continue;
      }
      const std::string variables = read_variables(process.pid);
      if (carries(variables, mark)) {
        found.insert(key);
      } else if (variables.empty()) {
        bare.insert(key);
        all_known = all_known && bare_.contains(key);
      }
    }
    if (all_known || look == kLooks) {
      bare_ = std::move(bare);
      return found;
    }
    // lint: allow(sleep) the kernel does not report that it has started a program
    ::usleep(1000);
  }
}

size_t ProcLeftovers::ask_to_end(job::AttemptId attempt, const AttemptMark& mark) {
  const Seen left = living(seen_[attempt], mark);
  Seen& asked = asked_[attempt];
  for (const auto& process : left) {
    if (asked.insert(process).second) {
      ::kill(process.first, SIGTERM);
      ::kill(process.first, SIGCONT);
    }
  }
  return left.size();
}

size_t ProcLeftovers::end(job::AttemptId attempt, const AttemptMark& mark) {
  const Seen seen = seen_[attempt];
  seen_.erase(attempt);
  asked_.erase(attempt);
  Seen ended;
  // A process may fork between the look and the signal, so look until nothing new is found. One
  // that was killed may still be there at the next look.
  for (int round = 0; round < 8; ++round) {
    size_t found = 0;
    for (const auto& process : living(seen, mark)) {
      if (::kill(process.first, SIGKILL) == 0) {
        ended.insert(process);
        ++found;
      }
    }
    if (found == 0) {
      break;
    }
  }
  return ended.size();
}

}  // namespace muster::agent
