#include "agent/attempt/process_family.h"

#include <csignal>

namespace muster::agent {

ProcessFamily::ProcessFamily(Deps deps, job::AttemptId attempt, AttemptMark mark)
    : deps_(deps), attempt_(attempt), mark_(std::move(mark)) {}

std::vector<os::Pid> ProcessFamily::own() const {
  return lives() ? deps_.processes.members(process_) : std::vector<os::Pid>();
}

std::vector<os::Pid> ProcessFamily::members() const {
  return with_guests([this](os::Pid pid) { return deps_.processes.members(pid); });
}

std::vector<os::Pid> ProcessFamily::members(const os::FamilyRound& round) const {
  return with_guests([&](os::Pid pid) { return deps_.processes.members(pid, round); });
}

template <class MembersOf>
std::vector<os::Pid> ProcessFamily::with_guests(MembersOf members_of) const {
  std::vector<os::Pid> members = lives() ? members_of(process_) : std::vector<os::Pid>();
  for (const os::Pid guest : guests_) {
    const std::vector<os::Pid> theirs = members_of(guest);
    members.insert(members.end(), theirs.begin(), theirs.end());
  }
  return members;
}

void ProcessFamily::note(const std::vector<os::Pid>& members) {
  deps_.leftovers.saw(attempt_, members);
}

/// Like own(), but for callers that must miss no process.
std::vector<os::Pid> ProcessFamily::look() {
  if (gone_) {
    return {};
  }
  std::vector<os::Pid> family = deps_.processes.family(process_);
  gone_ = exit_.has_value() && family.empty();
  return family;
}

void ProcessFamily::ask_to_end(int signal) {
  interrupted_ = signal == SIGINT;
  note(look());
  (void)deps_.processes.signal_group(process_, signal);
  (void)deps_.processes.signal_group(process_, SIGCONT);
}

bool ProcessFamily::wind_up() {
  if (!look().empty()) {
    if (std::exchange(interrupted_, false)) {
      // Run by hand, these would go on; here nothing outlives the program.
      deps_.processes.signal_ignoring(process_, SIGINT, SIGTERM);
    }
    return false;
  }
  end_guests();  // A session has nothing to save, and a shell would ignore TERM.
  return deps_.leftovers.ask_to_end(attempt_, mark_) == 0;
}

void ProcessFamily::kill() {
  if (!exit_) {
    deps_.processes.signal_family(process_, SIGKILL);
  }
  end_guests();
}

void ProcessFamily::finish() {
  if (!gone_) {
    // Those in its group first: they are known without examining every process.
    (void)deps_.processes.signal_group(process_, SIGKILL);
    deps_.processes.signal_family(process_, SIGKILL);
  }
  gone_ = true;
  end_guests();
  deps_.leftovers.end(attempt_, mark_);
}

void ProcessFamily::end_guests() {
  for (const os::Pid guest : std::exchange(guests_, {})) {
    deps_.processes.signal_family(guest, SIGKILL);
  }
}

}  // namespace muster::agent
