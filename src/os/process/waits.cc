#include "os/process/waits.h"

#include "os/host/proc_text.h"
#include "os/process/sockets.h"
#include "os/process/threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace muster::os {
namespace {

/// However many there are, only this many are examined.
constexpr size_t kDescriptorsMax = 4;
constexpr size_t kThreadsMax = 4;
constexpr size_t kChildrenMax = 8;
/// A program with more threads than this has too many to list them often.
constexpr size_t kThreadsListedMax = 512;

enum class Source : uint8_t { None, Socket, Pipe };

/// Returns the kind of source from which a thread waits for input.
Source source_of(Pid pid, const ThreadState& thread) {
  const std::string_view call = thread.system_call;
  if (call == "epoll_wait" || call == "epoll_pwait") {
    return Source::Socket;  // Usually; there may be thousands.
  }
  if (call == "write" || call == "writev") {
    return Source::None;
  }
  const std::vector<int32_t> awaited = awaited_descriptors(pid, thread);
  for (size_t i = 0; i < std::min(awaited.size(), kDescriptorsMax); ++i) {
    const std::string target = descriptor_target(pid, awaited[i]);
    if (target == kSocketTarget) {
      return Source::Socket;
    }
    if (target == kPipeTarget) {
      return Source::Pipe;
    }
  }
  return Source::None;
}

/// Returns whether a thread waits for a name server's answer, as resolvers do: in poll(), on one
/// socket or two. Only datagram sockets are examined, because finding the other ends of connections
/// is expensive.
bool asks_name_server(Pid pid, const ThreadState& thread) {
  if (thread.system_call != "poll" && thread.system_call != "ppoll") {
    return false;
  }
  const std::vector<int32_t> awaited = awaited_descriptors(pid, thread);
  return awaited.size() <= 2 && std::ranges::any_of(awaited, [&](int32_t descriptor) {
           return datagram_peer(pid, descriptor).ends_with(":53");
         });
}

struct Brief {
  Pid parent;
  bool runs = false;
};

Brief brief_of(Pid pid) {
  const std::string text = read_proc_record(fmt::format("/proc/{}/stat", pid.value));
  const std::vector<std::string_view> fields = stat_fields(text);
  const auto parent = fields.size() > 1 ? parse_decimal(fields[1]) : std::nullopt;
  return {.parent = Pid(static_cast<int32_t>(parent.value_or(0))),
          .runs = !fields.empty() && fields[0] == "R"};
}

std::string command_line(Pid pid) { return read_proc(fmt::format("/proc/{}/cmdline", pid.value)); }

/// Returns whether one of the processes is computing and is a child that `parent` forked itself,
/// not another program that it started.
bool has_child_at_work(std::span<const Pid> processes, Pid parent) {
  const std::string own = command_line(parent);
  size_t looked_at = 0;
  for (const Pid pid : processes) {
    if (pid == parent || looked_at == kChildrenMax) {
      continue;
    }
    const Brief brief = brief_of(pid);
    ++looked_at;
    if (!brief.runs) {
      continue;
    }
    const std::string theirs = command_line(pid);
    // Python starts some of its children as new programs.
    const bool by_python = theirs.find("multiprocessing.spawn") != std::string::npos ||
                           theirs.find("multiprocessing.forkserver") != std::string::npos;
    if (by_python || (brief.parent == parent && theirs == own)) {
      return true;
    }
  }
  return false;
}

bool is_python(Pid pid) {
  std::error_code failed;
  const std::string name =
      std::filesystem::read_symlink(fmt::format("/proc/{}/exe", pid.value), failed).filename();
  return name.starts_with("python") || name.starts_with("pypy");
}

std::optional<double> lock_waiters(Pid pid, const std::vector<int32_t>& ids) {
  if (ids.empty()) {
    return std::nullopt;
  }
  const size_t looked_at = std::min(ids.size(), kThreadsMax);
  size_t waiting = 0;
  for (size_t i = 0; i < looked_at; ++i) {
    const ThreadState thread = call_of_thread(pid, ids[i * ids.size() / looked_at]);
    waiting += waits_for_a_moment(pid, thread) ? 1 : 0;
  }
  return static_cast<double>(waiting * ids.size()) / static_cast<double>(looked_at);
}

}  // namespace

const std::vector<int32_t>& KnownThreads::of(Pid pid) {
  constexpr size_t kProcessesMax = 256;
  constexpr size_t kFew = 16;
  constexpr uint32_t kLooks = 10;
  if (listed_.size() >= kProcessesMax && !listed_.contains(pid.value)) {
    listed_.clear();
  }
  Listed& known = listed_[pid.value];
  if (known.looks == 0) {
    known.ids = thread_ids(pid, kThreadsListedMax);
    if (known.ids.size() < 2 || !is_python(pid)) {
      known.ids.clear();
    }
    known.looks = known.ids.size() <= kFew ? 1 : kLooks;
  }
  --known.looks;
  return known.ids;
}

Waits look_at_waits(std::span<const Pid> processes, Pid worker, KnownThreads& threads) {
  Waits waits;
  if (worker == Pid()) {
    return waits;
  }
  const ThreadState main = call_of_thread(worker, worker.value);
  waits.for_time = sleeps_for(worker, main).has_value();
  const Source source = waits.for_time ? Source::None : source_of(worker, main);
  waits.for_socket = source == Source::Socket;
  waits.for_name = waits.for_socket && asks_name_server(worker, main);
  // If a child does most of the work, its parent is the program itself.
  const Pid parent = source == Source::Pipe ? worker : brief_of(worker).parent;
  const bool known = std::ranges::find(processes, parent) != processes.end();
  if (known && (parent == worker ||
                source_of(parent, call_of_thread(parent, parent.value)) == Source::Pipe)) {
    waits.for_children = has_child_at_work(processes, parent);
    waits.sleeps = waits.for_children ? count_sleeps(parent, parent.value) : 0;
  }
  waits.for_python_lock = lock_waiters(worker, threads.of(worker));
  return waits;
}

}  // namespace muster::os
