#include "agent/stacks/stack_probe.h"

#include "agent/stacks/attempt_processes.h"
#include "agent/stacks/flight_dump.h"
#include "agent/stacks/frame_tools.h"
#include "agent/stacks/sent_tool.h"
#include "base/text.h"
#include "os/host/proc_text.h"
#include "os/process/java_dump.h"
#include "os/process/pipes.h"
#include "os/process/process_tree.h"
#include "os/process/sockets.h"
#include "os/process/threads.h"
#include "rt/fd.h"
#include "stacks/servers.h"
#include "stacks/stack_groups.h"
#include "stacks/stack_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <map>
#include <optional>
#include <string_view>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace muster::agent {
namespace {

using Clock = std::chrono::steady_clock;

/// For all processes together, and for one of them.
constexpr Duration kPatience = std::chrono::seconds(15);
constexpr Duration kPatienceForOne = std::chrono::seconds(5);
constexpr Duration kWatched = std::chrono::seconds(2);
constexpr Duration kBetweenLooks = std::chrono::seconds(1);
constexpr Duration kAnswers = std::chrono::milliseconds(200);
constexpr uint32_t kWatchedMaxS = 600;

/// Returns the other end of the only connection among those that a thread waits for; "" if there is
/// none, or if there are several. An event loop also has a pipe of its own.
std::string peer_among(const os::ProcessSockets& sockets, const std::vector<int32_t>& awaited) {
  std::string found;
  for (const int32_t descriptor : awaited) {
    const auto peer = sockets.peers.find(descriptor);
    if (peer == sockets.peers.end() || peer->second == found) {
      continue;
    }
    if (!found.empty()) {
      return "";
    }
    found = peer->second;
  }
  // Port 53 is always a name server.
  return found.ends_with(":53") ? "the name server " + found : found;
}

/// Finds which threads wait for somebody to make contact, whether anybody can, and which peers they
/// wait for. `states`: of the threads of `process`, in the same order.
void look_at_sockets(os::Pid pid, const std::vector<os::ThreadState>& states,
                     stacks::Process& process) {
  const bool waits = std::ranges::any_of(process.threads, [](const stacks::Thread& thread) {
    return stacks::waits_for_events(thread) || stacks::is_reading(thread) ||
           thread.target == os::kSocketTarget;
  });
  const std::optional<os::ProcessSockets> sockets = waits ? os::list_sockets(pid) : std::nullopt;
  if (!sockets) {
    return;
  }
  process.reachable = sockets->reachable;
  for (size_t i = 0; i < states.size(); ++i) {
    if (sockets->taking.empty() && sockets->peers.empty()) {
      break;
    }
    const std::vector<int32_t> awaited = os::awaited_descriptors(pid, states[i]);
    process.threads[i].takes = std::ranges::any_of(awaited, [&](int32_t descriptor) {
      return std::ranges::binary_search(sockets->taking, descriptor);
    });
    if (std::string peer = peer_among(*sockets, awaited); !peer.empty()) {
      process.threads[i].target = std::move(peer);
    }
  }
}

/// Returns who holds the file lock that a thread waits for; 0 if it waits for none.
os::Pid lock_holder_for(os::Pid pid, const os::ThreadState& thread) {
  return thread.state == 'S' && (thread.system_call == "flock" || thread.system_call == "fcntl")
             ? os::lock_holder(os::read_proc("/proc/locks"), pid)
             : os::Pid();
}

/// Returns which of the task's processes alone could read the pipe into which a thread writes.
os::Pid reader_for(os::Pid pid, const os::ThreadState& thread, const stacks::Thread& seen,
                   os::PipeReaders& family) {
  return stacks::is_writing(seen) && seen.target == os::kPipeTarget
             ? family.only_reader(pid, thread.descriptor)
             : os::Pid();
}

/// Returns what can be read without waiting for the process. `family`: all processes of the task.
std::optional<stacks::Process> glance(const os::ProcessInfo& info, os::PipeReaders& family) {
  stacks::Process process;
  process.pid = info.pid.value;
  process.parent = info.parent.value;
  const std::vector<os::ThreadState> states = os::list_threads(info.pid, stacks::kThreadsMax);
  for (const os::ThreadState& seen : states) {
    stacks::Thread& thread = process.threads.emplace_back();
    thread.id = seen.id;
    thread.name = seen.name;
    thread.state = seen.state;
    thread.wait_channel = seen.wait_channel;
    thread.system_call = seen.system_call;
    thread.target = seen.descriptor < 0 ? os::path_of_call(info.pid, seen)
                                        : os::descriptor_target(info.pid, seen.descriptor);
    thread.input = seen.descriptor == STDIN_FILENO;
    thread.timed = os::waits_at_most(seen);
    thread.brief = os::waits_for_a_moment(info.pid, seen);
    if (const os::Pid holder = lock_holder_for(info.pid, seen); holder != os::Pid()) {
      thread.awaits = holder.value;
      thread.target +=
          fmt::format(", which process {} ({}) holds", holder.value,
                      printable(trim(os::read_proc(fmt::format("/proc/{}/comm", holder.value)))));
    }
    if (const os::Pid reader = reader_for(info.pid, seen, thread, family); reader != os::Pid()) {
      thread.awaits = reader.value;
    }
    if (const std::optional<Duration> sleep = os::sleeps_for(info.pid, seen)) {
      thread.sleeps_s = static_cast<uint32_t>(*sleep / std::chrono::seconds(1));
    }
  }
  look_at_sockets(info.pid, states, process);
  if (process.threads.empty()) {
    return std::nullopt;
  }
  process.command = process.threads.front().name;
  process.python = is_python(info, process.command);
  process.java = !process.python && process.command == "java" && os::answers_as_java(info.pid);
  return process;
}

std::string command_of(const stacks::Process& process) {
  std::string command = os::read_proc(fmt::format("/proc/{}/cmdline", process.pid));
  while (!command.empty() && command.back() == '\0') {
    command.pop_back();
  }
  std::ranges::replace(command, '\0', ' ');
  return command.empty() ? process.command : command;
}

/// Adds the ended children of `processes` that their parents have not reaped.
void note_ended(const std::vector<os::ProcessInfo>& infos,
                std::vector<stacks::Process>& processes) {
  for (const os::ProcessInfo& child : ended_children(infos)) {
    const auto parent = std::ranges::find(processes, child.parent.value, &stacks::Process::pid);
    if (parent != processes.end() && parent->ended.size() < stacks::kEndedMax) {
      const int32_t status = os::end_of_zombie(child.pid).value_or(0);
      parent->ended.push_back({.pid = child.pid.value,
                               .code = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
                               .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0});
    }
  }
}

/// A thread that is reading.
struct Reader {
  os::Pid pid;
  stacks::Thread* thread = nullptr;
  os::ThreadState call;
  uint64_t sleeps = 0;
};

std::vector<Reader> list_readers(std::vector<stacks::Process>& processes) {
  std::vector<Reader> readers;
  for (stacks::Process& process : processes) {
    const os::Pid pid(process.pid);
    for (stacks::Thread& thread : process.threads) {
      if (thread.state == 'S' && stacks::is_reading(thread)) {
        const os::ThreadState call = os::call_of_thread(pid, thread.id);
        if (!os::may_be_woken_by_time(pid, call)) {
          readers.push_back({pid, &thread, call, os::count_sleeps(pid, thread.id)});
        }
      }
    }
  }
  return readers;
}

/// Returns whether its input has woken it since.
bool was_woken(const Reader& reader) {
  return reader.sleeps > 0 && os::count_sleeps(reader.pid, reader.thread->id) > reader.sleeps;
}

/// Returns whether it is reading from the same source again.
bool reads_on(const Reader& reader) {
  const os::ThreadState now = os::call_of_thread(reader.pid, reader.thread->id);
  return now.system_call == reader.call.system_call && now.descriptor == reader.call.descriptor;
}

/// The only TCP connection that a thread waits for, as in programs whose reads have a time limit.
/// That limit also wakes the thread, so bytes count instead.
struct Polled {
  os::Pid pid;
  int32_t descriptor = -1;
  os::BytesOver before;
};

std::optional<Polled> polled_by(os::Pid pid, const stacks::Thread& thread) {
  std::optional<Polled> found;
  if (thread.state != 'S' || !stacks::waits_for_events(thread)) {
    return found;
  }
  for (const int32_t descriptor :
       os::awaited_descriptors(pid, os::call_of_thread(pid, thread.id))) {
    if (const auto bytes = os::bytes_over(pid, descriptor)) {
      if (found) {
        return std::nullopt;
      }
      found = Polled{.pid = pid, .descriptor = descriptor, .before = *bytes};
    }
  }
  return found;
}

/// Returns whether something arrived and nothing was sent back; bytes both ways could be two ends
/// exchanging keep-alives.
bool was_fed(const Polled& polled) {
  const auto now = os::bytes_over(polled.pid, polled.descriptor);
  return now && now->received > polled.before.received && now->sent == polled.before.sent;
}

struct Teller {
  os::Pid pid;
  stacks::Thread* thread = nullptr;  ///< nullptr: no thread shows it.
};

/// Finds the thread that shows what the task is doing.
Teller find_teller(std::vector<stacks::Process>& processes) {
  const stacks::Report report{.processes = processes};
  const stacks::Telling telling = stacks::telling_of(report);
  if (telling.thread == nullptr) {
    return {};
  }
  for (stacks::Process& process : processes) {
    for (stacks::Thread& thread : process.threads) {
      if (thread.id == telling.thread->id) {
        return {.pid = os::Pid(process.pid), .thread = &thread};
      }
    }
  }
  return {};
}

/// Watches threads that read, before any tool disturbs them. The thread that shows what the task is
/// doing is watched for up to `lasts`: its peer may send a sign of life only now and then.
void watch_readers(std::vector<stacks::Process>& processes, Duration lasts) {
  const std::vector<Reader> readers = list_readers(processes);
  const auto [pid, teller] = find_teller(processes);
  const auto polled = teller != nullptr ? polled_by(pid, *teller) : std::nullopt;
  if (readers.empty() && !polled) {
    return;
  }
  const Clock::time_point until = Clock::now() + lasts;
  // lint: allow(sleep) the kernel does not report that it has woken a thread
  std::this_thread::sleep_for(kWatched);
  bool any = false;
  for (const Reader& reader : readers) {
    reader.thread->fed = was_woken(reader);
    any = any || reader.thread->fed;
  }
  const auto reader = std::ranges::find(readers, teller, &Reader::thread);
  if (any || (reader == readers.end() && !polled)) {
    return;
  }
  const auto fed = [&] {
    if (!polled) {
      return was_woken(*reader) && reads_on(*reader);
    }
    if (!was_fed(*polled)) {
      return false;
    }
    // lint: allow(sleep) as above; it may be about to answer
    std::this_thread::sleep_for(kAnswers);
    return was_fed(*polled);
  };
  for (teller->fed = fed(); !teller->fed && Clock::now() < until; teller->fed = fed()) {
    // lint: allow(sleep) as above
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

class Probe {
 public:
  /// `watch`: the longest time to watch threads that read; zero: do not watch.
  Probe(FrameTools tools, Duration watch) : tools_(std::move(tools)), watch_(watch) {}

  int run(const std::map<std::string, std::string>& variables);

 private:
  /// Returns false if nobody reads any more, or if the report is too long.
  bool say(const std::string& line) {
    bytes_ += line.size();
    return bytes_ <= stacks::kReportBytesMax && write_whole(STDOUT_FILENO, line);
  }

  FrameTools tools_;
  Duration watch_;
  size_t bytes_ = 0;
};

int Probe::run(const std::map<std::string, std::string>& variables) {
  std::vector<stacks::Process> processes;
  uint32_t left_out = 0;
  const std::vector<os::ProcessInfo> infos = attempt_processes(variables);
  os::PipeReaders family(os::pids_of(infos));
  for (const os::ProcessInfo& info : infos) {
    std::optional<stacks::Process> process = glance(info, family);
    if (process && processes.size() == stacks::kProcessesMax) {
      ++left_out;
    } else if (process) {
      processes.push_back(*std::move(process));
    }
  }
  note_ended(infos, processes);
  if (watch_ > Duration::zero()) {
    watch_readers(processes, watch_);
  }
  const Clock::time_point until = Clock::now() + kPatience;
  for (const stacks::Process& process : processes) {
    if (!say(stacks::process_line(process))) {
      return 0;
    }
  }
  for (const os::ProcessInfo& info : infos) {
    const std::vector<stacks::Collectives> collectives = read_flight_dump(info);
    if (!collectives.empty()) {
      (void)say(stacks::collectives_line(collectives));
      break;  // The first is the program itself; its children inherited its variables.
    }
  }
  for (stacks::Process& process : processes) {
    const auto left = std::chrono::duration_cast<Duration>(until - Clock::now());
    if (left <= Duration::zero()) {
      process.problem = "its frames are not known: there was no time left";
    } else {
      process.command = command_of(process);
      tools_.read(process, std::min(left, kPatienceForOne));
    }
    if (!say(stacks::frames_line(process))) {
      break;
    }
  }
  (void)write_whole(STDOUT_FILENO, stacks::end_line(left_out));
  return 0;
}

Duration watch_of(const std::vector<std::string>& arguments) {
  const auto flag = std::ranges::find(arguments, stacks::kWatchFlag);
  if (flag == arguments.end()) {
    return Duration::zero();
  }
  uint32_t seconds = 0;
  if (flag + 1 != arguments.end()) {
    const std::string& text = *(flag + 1);
    (void)std::from_chars(text.data(), text.data() + text.size(), seconds);
  }
  return std::max<Duration>(kWatched, std::chrono::seconds(std::min(seconds, kWatchedMaxS)));
}

}  // namespace

int run_stack_probe(const std::vector<std::string>& arguments, char** variables) {
  FrameTools::Options options;
  for (char** entry = variables; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = std::min(text.find('='), text.size());
    options.environment.emplace(text.substr(0, equals),
                                text.substr(std::min(equals + 1, text.size())));
  }
  if (!options.environment.contains("MUSTER_ROLE")) {
    std::fputs("muster: stack-probe runs only inside a task; use `muster stacks JOB`\n", stderr);
    return 2;
  }
  options.native = std::ranges::find(arguments, stacks::kNativeFlag) != arguments.end();
  std::optional<rt::Fd> tool;
  if (std::ranges::find(arguments, "--tool-from-stdin") != arguments.end()) {
    tool = tool_from_stdin();
    options.py_spy = tool ? path_of_tool(*tool) : "";
  }
  const std::map<std::string, std::string> own = options.environment;
  const Duration watch = watch_of(arguments);
  options.where_it_waits = watch > Duration::zero();
  return Probe(FrameTools(std::move(options)), watch).run(own);
}

}  // namespace muster::agent
