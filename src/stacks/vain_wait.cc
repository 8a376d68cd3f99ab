#include "stacks/vain_wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <vector>

namespace muster::stacks {
namespace {

/// How many ended processes are named.
constexpr size_t kNamedMax = 3;

bool is_call(const Frame& frame, std::string_view file, std::string_view function) {
  return frame.file.ends_with(file) &&
         (frame.function == function || frame.function.ends_with(fmt::format(".{}", function)));
}

bool is_in_call(const Thread& thread, std::string_view file, std::string_view function) {
  return std::ranges::any_of(thread.frames,
                             [&](const Frame& frame) { return is_call(frame, file, function); });
}

bool is_in_file(const Thread& thread, std::string_view file) {
  return std::ranges::any_of(thread.frames,
                             [&](const Frame& frame) { return frame.file.ends_with(file); });
}

std::string how_it_ended(const EndedChild& child) {
  if (child.signal != 0) {
    return fmt::format("was killed by signal {}", child.signal);
  }
  return child.code == 0 ? std::string("has ended")
                         : fmt::format("has ended with exit code {}", child.code);
}

bool waits_for_end(const Thread& thread) {
  return thread.system_call == "wait4" || thread.system_call == "waitid";
}

std::string describe_ended(const Process& process, const Thread& thread) {
  std::string text;
  if (waits_for_end(thread)) {
    return text;  // It is about to notice them.
  }
  for (size_t i = 0; i < std::min(process.ended.size(), kNamedMax); ++i) {
    text += fmt::format("{} its child process {} {}", i == 0 ? ";" : ",", process.ended[i].pid,
                        how_it_ended(process.ended[i]));
  }
  return text.empty() ? text : text + ", and it has not noticed";
}

/// Returns the processes that may work for `parent`: all that come after it, because parents come
/// before their children. Python's own helper puts nothing anywhere.
std::vector<const Process*> children_of(const Report& report, const Process& parent) {
  std::vector<const Process*> children;
  bool after = false;
  for (const Process& process : report.processes) {
    if (after && process.command.find("multiprocessing.resource_tracker") == std::string::npos) {
      children.push_back(&process);
    }
    after = after || &process == &parent;
  }
  return children;
}

/// A pool replaces a worker that was killed, but not the part of the work that the worker had.
std::string describe_pool(const Report& report, const Telling& telling) {
  constexpr std::string_view kPool = "/multiprocessing/pool.py";
  if (!is_in_file(*telling.thread, kPool)) {
    return "";
  }
  size_t idle = 0;
  for (const Process* child : children_of(report, *telling.process)) {
    if (child->threads.empty() || !is_in_call(child->threads.front(), kPool, "worker")) {
      continue;
    }
    if (!is_in_call(child->threads.front(), "/multiprocessing/queues.py", "get")) {
      return "";
    }
    ++idle;
  }
  return idle == 0 ? std::string()
                   : fmt::format(
                         "; {} of its pool {} for work: the missing result was lost with a worker "
                         "that was killed",
                         idle == 1 ? "the worker" : fmt::format("all {} workers", idle),
                         idle == 1 ? "waits" : "wait");
}

/// Returns whether a thread could bring something: any with Python frames, except those of
/// libraries that only do what they are told to by somebody who waits here.
bool may_bring(const Thread& thread) {
  static constexpr std::array<std::string_view, 3> kTold = {
      "/concurrent/futures/thread.py", "/multiprocessing/queues.py", "/tqdm/_monitor.py"};
  return !thread.frames.empty() &&
         (is_in_own_code(thread) || std::ranges::none_of(kTold, [&](std::string_view file) {
            return is_in_file(thread, file);
          }));
}

/// Returns whether the program itself made that call, and not a library for its own purposes.
bool is_called_by_program(const Thread& thread, std::string_view file, std::string_view function) {
  const auto call = std::ranges::find_if(
      thread.frames, [&](const Frame& frame) { return is_call(frame, file, function); });
  if (call == thread.frames.end() || std::next(call) == thread.frames.end()) {
    return false;
  }
  Thread caller;
  caller.frames = {*std::next(call)};
  return is_in_own_code(caller);
}

/// Only threads of this process can fill or empty a queue of threads; for a queue of processes,
/// children can as well.
std::string describe_queue(const Report& report, const Telling& telling) {
  constexpr std::string_view kOfThreads = "/queue.py";
  constexpr std::string_view kOfProcesses = "/multiprocessing/queues.py";
  const Thread& thread = *telling.thread;
  const auto calls = [&](std::string_view function) {
    return is_called_by_program(thread, kOfThreads, function) ||
           is_called_by_program(thread, kOfProcesses, function);
  };
  const bool gets = calls("get");
  if (!gets && !calls("put")) {
    return "";
  }
  const bool by_threads = is_in_call(thread, kOfThreads, gets ? "get" : "put");
  const bool any_thread = std::ranges::any_of(telling.process->threads, [&](const Thread& other) {
    return &other != &thread && may_bring(other);
  });
  if (any_thread || (!by_threads && !children_of(report, *telling.process).empty())) {
    return "";
  }
  return fmt::format("; no other thread{} of its own is left to {}",
                     by_threads ? "" : " or child process",
                     gets ? "put something there" : "take something out");
}

/// Returns whether a process was started by another one, or by one that this has started.
bool descends_from(const Report& report, const Process& process, const Process& ancestor) {
  const Process* at = &process;
  for (size_t i = 0; i < report.processes.size(); ++i) {
    if (at->parent == ancestor.pid) {
      return true;
    }
    const auto parent = std::ranges::find(report.processes, at->parent, &Process::pid);
    if (parent == report.processes.end()) {
      return false;
    }
    at = &*parent;
  }
  return false;
}

/// One that waits for the end of a process whose output it does not read waits for ever once that
/// has filled the pipe.
std::string describe_unread(const Report& report) {
  for (const Process& writer : report.processes) {
    for (const Thread& thread : writer.threads) {
      const auto reader = std::ranges::find(report.processes, thread.awaits, &Process::pid);
      if (is_writing(thread) && reader != report.processes.end() && !reader->threads.empty() &&
          waits_for_end(reader->threads.front()) &&
          std::ranges::none_of(reader->threads, is_reading) &&
          descends_from(report, writer, *reader)) {
        return fmt::format(
            "; process {} writes to a pipe that only process {} could read, which waits for a "
            "child process to end",
            writer.pid, reader->pid);
      }
    }
  }
  return "";
}

}  // namespace

std::string describe_vain_wait(const Report& report) {
  if (std::string unread = describe_unread(report); !unread.empty()) {
    return unread;
  }
  const Telling telling = telling_of(report);
  if (telling.thread == nullptr || telling.thread->frames.empty() || telling.thread->state != 'S' ||
      is_asleep(*telling.thread) || !collective_in(*telling.thread).empty()) {
    return "";
  }
  return describe_ended(*telling.process, *telling.thread) + describe_pool(report, telling) +
         describe_queue(report, telling);
}

std::string describe_vain_wait(std::span<const Subject> subjects, const Group& group) {
  for (const size_t member : group.members) {
    const Subject& subject = subjects[member];
    std::string text = subject.vain_wait ? *subject.vain_wait : describe_vain_wait(subject.report);
    if (!text.empty() && group.members.size() > 1) {
      return fmt::format("; of {}:{}", subject.task, text.substr(1));
    }
    if (!text.empty()) {
      return text;
    }
  }
  return "";
}

}  // namespace muster::stacks
