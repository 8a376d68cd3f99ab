#include "os/process/family_rounds.h"

#include "os/host/proc_text.h"
#include "rt/fd.h"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <linux/magic.h>
#include <string_view>
#include <sys/vfs.h>
#include <unistd.h>
#include <utility>

namespace muster::os {
namespace {

/// More new processes than this are not examined; then every family is listed anew.
constexpr int32_t kNewMax = 50;
/// In any case, a family is listed anew after this many rounds.
constexpr uint32_t kRoundsKeptMax = 20;

/// Returns the number that was last given to a process or thread; nullopt if it cannot be seen. The
/// file ends in "0.20 0.18 0.12 1/80 11206"; in a container, another file system may stand in for
/// it.
std::optional<int32_t> last_given_out() {
  const rt::Fd file(::open("/proc/loadavg", O_RDONLY | O_CLOEXEC));
  struct statfs system{};
  if (!file.valid() || ::fstatfs(file.get(), &system) != 0 || system.f_type != PROC_SUPER_MAGIC) {
    return std::nullopt;
  }
  std::array<char, 128> buffer{};
  const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
  const std::string_view text(buffer.data(), got > 0 ? static_cast<size_t>(got) : 0);
  const auto number = parse_decimal(text.substr(std::min(text.size(), text.rfind(' ') + 1)));
  return number && *number > 0 && *number <= INT32_MAX
             ? std::optional(static_cast<int32_t>(*number))
             : std::nullopt;
}

/// Returns the parents of the processes (also those of threads) with numbers after `from`, up to
/// `to`.
std::optional<std::set<Pid>> parents_of_new(std::optional<int32_t> from,
                                            std::optional<int32_t> to) {
  if (!from || !to || *to < *from || *to - *from > kNewMax) {
    return std::nullopt;
  }
  std::set<Pid> parents;
  for (int32_t number = *from + 1; number <= *to; ++number) {
    if (const auto process = read_living(Pid(number))) {
      parents.insert(process->parent);
    }
  }
  return parents;
}

bool same(const ProcessInfo& one, const ProcessInfo& other) {
  return one.pid == other.pid && one.start_ticks == other.start_ticks;
}

bool has(const std::vector<ProcessInfo>& processes, const ProcessInfo& wanted) {
  return std::ranges::any_of(processes,
                             [&](const ProcessInfo& process) { return same(process, wanted); });
}

}  // namespace

std::optional<std::vector<ProcessInfo>> still_members(const std::vector<ProcessInfo>& members,
                                                      const std::vector<ProcessInfo>& roots,
                                                      const std::set<Pid>& parents) {
  const bool new_root =
      std::ranges::any_of(roots, [&](const ProcessInfo& root) { return !has(members, root); });
  const bool new_child = std::ranges::any_of(
      members, [&](const ProcessInfo& member) { return parents.contains(member.pid); });
  if (new_root || new_child) {
    return std::nullopt;
  }
  std::vector<ProcessInfo> still = roots;
  std::set<Pid> pids;
  for (const ProcessInfo& root : roots) {
    pids.insert(root.pid);
  }
  for (const ProcessInfo& member : members) {
    if (pids.contains(member.pid)) {
      continue;
    }
    // One that another process adopted has left, and a new one with its number is a different
    // process.
    const auto process = read_living(member.pid);
    if (process && same(*process, member) && pids.contains(process->parent)) {
      still.push_back(*process);
      pids.insert(member.pid);
    }
  }
  return still;
}

FamilyRound FamilyRounds::begin() {
  std::erase_if(known_, [&](const auto& each) { return each.second.round != round_; });
  // Read this first: what appears while the lists are read counts as new in the next round.
  const std::optional<int32_t> now = last_given_out();
  FamilyRound round{.number = ++round_,
                    .own = list_own_children(),
                    .parents = parents_of_new(given_out_[1], now)};
  given_out_[1] = std::exchange(given_out_[0], now);
  return round;
}

std::vector<Pid> FamilyRounds::members(Pid child, const FamilyRound& round) {
  Known& known = known_[child];
  std::optional<std::vector<ProcessInfo>> still;
  const bool fresh = known.round + 1 == round.number && known.rounds_kept < kRoundsKeptMax;
  if (fresh && round.parents) {
    still = still_members(known.members, family_roots(child, *round.own), *round.parents);
  }
  known.rounds_kept = still ? known.rounds_kept + 1 : 0;
  known.round = round.number;
  known.members = still ? *std::move(still) : list_family(child, *round.own);
  return pids_of(known.members);
}

}  // namespace muster::os
