#include "stacks/stack_groups.h"

#include "base/text.h"
#include "base/time.h"
#include "stacks/servers.h"
#include "stacks/vain_wait.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <map>
#include <optional>
#include <ranges>
#include <utility>

namespace muster::stacks {
namespace {

namespace json = boost::json;

/// Calls in which a rank waits for the others.
constexpr std::array<std::string_view, 26> kCollectives = {"all_gather",
                                                           "all_gather_into_tensor",
                                                           "all_gather_object",
                                                           "all_reduce",
                                                           "all_reduce_coalesced",
                                                           "all_to_all",
                                                           "all_to_all_single",
                                                           "allgather",
                                                           "allreduce",
                                                           "barrier",
                                                           "broadcast",
                                                           "broadcast_object_list",
                                                           "destroy_process_group",
                                                           "gather",
                                                           "gather_object",
                                                           "init_process_group",
                                                           "monitored_barrier",
                                                           "recv",
                                                           "recv_object_list",
                                                           "reduce",
                                                           "reduce_scatter",
                                                           "reduce_scatter_tensor",
                                                           "scatter",
                                                           "send",
                                                           "store_based_barrier",
                                                           "sync_global_devices"};
/// Where those calls come from: other functions may have the same names.
constexpr std::array<std::string_view, 5> kCollectiveFiles = {
    "torch/distributed/", "horovod/", "mpi4py", "jax/", "tensorflow/python/distribute/"};

std::string_view last_part(std::string_view text, char separator) {
  const size_t at = text.rfind(separator);
  return at == std::string_view::npos ? text : text.substr(at + 1);
}

/// Where a program that is not computing waits for its peers, or for other threads that compute.
constexpr std::array<std::string_view, 3> kPassFiles = {
    "torch/autograd/", "torch/nn/parallel/distributed.py", "tensorflow/python/eager/execute.py"};

bool is_in_one_of(const Frame& frame, std::span<const std::string_view> parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return frame.file.find(part) != std::string::npos; });
}

bool is_collective(const Frame& frame) {
  std::string_view function = last_part(frame.function, '.');
  function.remove_prefix(std::min(function.find_first_not_of('_'), function.size()));
  return std::ranges::binary_search(kCollectives, function) &&
         is_in_one_of(frame, kCollectiveFiles);
}

const Frame* collective_of(const Thread& thread) {
  const auto found = std::ranges::find_if(thread.frames, is_collective);
  return found == thread.frames.end() ? nullptr : &*found;
}

/// How Python names the code of `python3 -c`, and code that people type.
bool is_typed(const Frame& frame) {
  return frame.file == "<string>" || frame.file == "<stdin>" ||
         frame.file.starts_with("<ipython-input");
}

/// The headers of C++ and the C library's own sources, as debuggers name them if they know its
/// lines: `./libio/fileops.c`, `../sysdeps/unix/sysv/linux/write.c`.
bool is_of_native_library(const Frame& frame) {
  static constexpr std::array<std::string_view, 18> kParts = {
      "csu",    "debug",  "elf",    "io",           "libio",  "malloc",
      "misc",   "nptl",   "nss",    "posix",        "rt",     "resolv",
      "signal", "socket", "stdlib", "stdio-common", "string", "sysdeps"};
  std::string_view file = frame.file;
  if (file.starts_with("/usr/include/")) {
    return true;
  }
  if (!file.starts_with("./") && !file.starts_with("../")) {
    return false;
  }
  file.remove_prefix(file.find('/') + 1);
  const std::string_view part = file.substr(0, file.find('/'));
  return part.size() < file.size() && std::ranges::find(kParts, part) != kParts.end() &&
         (file.ends_with(".c") || file.ends_with(".h") || file.ends_with(".S"));
}

/// Java's stacks contain no folders.
bool is_of_java(const Frame& frame) {
  static constexpr std::array<std::string_view, 5> kEnds = {".java", ".kt", ".scala", ".groovy",
                                                            ".clj"};
  return std::ranges::any_of(kEnds,
                             [&](std::string_view end) { return frame.file.ends_with(end); });
}

bool is_of_java_library(const Frame& frame) {
  static constexpr std::array<std::string_view, 12> kPackages = {
      "java.",    "javax.", "jdk.",     "sun.",    "com.sun.", "kotlin.",
      "kotlinx.", "scala.", "clojure.", "groovy.", "io.grpc.", "io.netty."};
  return is_of_java(frame) && std::ranges::any_of(kPackages, [&](std::string_view package) {
           return frame.function.starts_with(package);
         });
}

bool is_library(const Frame& frame) {
  return frame.file.empty() || is_of_java_library(frame) ||
         frame.file.find("site-packages/") != std::string::npos ||
         frame.file.find("dist-packages/") != std::string::npos ||
         frame.file.find("/lib/python") != std::string::npos ||
         (frame.file.starts_with('<') && !is_typed(frame)) || is_of_native_library(frame) ||
         frame.file.find(".so") != std::string::npos;
}

/// Returns whether Python knows where the thread is. Frames of native code have no lines.
bool is_python_call(const Frame& frame) { return frame.line > 0; }

bool is_own_call(const Frame& frame) { return is_python_call(frame) && !is_library(frame); }

/// Returns the innermost call of the program's own code, else the innermost whose line is known,
/// else the innermost of all.
const Frame* own_frame(const Thread& thread) {
  auto found = std::ranges::find_if(thread.frames, is_own_call);
  if (found == thread.frames.end()) {
    found = std::ranges::find_if(thread.frames, is_python_call);
  }
  if (found != thread.frames.end()) {
    return &*found;
  }
  return thread.frames.empty() ? nullptr : &thread.frames.front();
}

/// Returns whether a thread that is not computing waits for its peers, as far as it shows that
/// itself.
bool waits_for_peers(const Thread& thread) {
  if (thread.state == 'T' || thread.state == 'D') {
    return false;
  }
  const auto innermost = std::ranges::find_if(thread.frames, is_python_call);
  return collective_of(thread) != nullptr ||
         (innermost != thread.frames.end() && is_in_one_of(*innermost, kCollectiveFiles));
}

/// Returns whether it is in a pass over the model, which waits for peers unless one of the
/// program's own threads holds it up.
bool is_in_pass(const Thread& thread) {
  const auto innermost = std::ranges::find_if(thread.frames, is_python_call);
  return thread.state == 'S' && innermost != thread.frames.end() &&
         is_in_one_of(*innermost, kPassFiles);
}

/// Code that starts the processes or threads that do a program's work, and then waits for them.
constexpr std::array<std::string_view, 3> kLaunchers = {
    "torch/distributed/elastic/", "torch/multiprocessing/spawn.py", "accelerate/commands/"};

/// Debian's shell waits for its background processes by waiting for their signals.
bool is_waiting_shell(const Thread& thread) {
  return thread.system_call == "rt_sigsuspend" && (thread.name == "sh" || thread.name == "dash");
}

/// Java's main thread waits for another thread, which waits for the process.
bool is_in_java_call(const Thread& thread, std::string_view function) {
  return std::ranges::any_of(thread.frames,
                             [&](const Frame& frame) { return frame.function == function; });
}

bool waits_for_child(const Thread& thread) {
  return is_waiting_shell(thread) || is_in_java_call(thread, "java.lang.ProcessImpl.waitFor") ||
         thread.system_call == "wait4" || thread.system_call == "waitid" ||
         thread.wait_channel == "do_wait" ||
         std::ranges::any_of(thread.frames, [](const Frame& frame) {
           return std::ranges::any_of(kLaunchers, [&](std::string_view part) {
             return frame.file.find(part) != std::string::npos;
           });
         });
}

/// For a thread or child process that Python started, returns the calls of what it was started for;
/// for any other thread, all calls. Below these, a forked child has its parent's calls.
std::span<const Frame> calls_since_start(const Thread& thread) {
  const auto found = std::ranges::find_if(thread.frames, [](const Frame& frame) {
    return last_part(frame.function, '.') == "_bootstrap" &&
           (frame.file.ends_with("/threading.py") ||
            frame.file.ends_with("multiprocessing/process.py"));
  });
  return std::span(thread.frames).first(static_cast<size_t>(found - thread.frames.begin()));
}

struct Verb {
  std::string_view one;
  std::string_view many;
  std::string_view before_target = " ";  ///< "reads" + " from " + target.
};

/// Returns whether a debugger has stopped it and is asking what to do.
bool is_in_debugger(const Thread& thread) {
  static constexpr std::array<std::string_view, 6> kFiles = {"/bdb.py", "/debugpy/", "/ipdb/",
                                                             "/pdb.py", "/pudb/",    "/pydevd"};
  return std::ranges::any_of(thread.frames, [](const Frame& frame) {
    return std::ranges::any_of(
        kFiles, [&](std::string_view part) { return frame.file.find(part) != std::string::npos; });
  });
}

std::optional<Verb> verb_of_call(std::string_view call) {
  static const std::map<std::string_view, Verb> kVerbs = {
      {"read", {"reads", "read", " from "}},
      {"pread64", {"reads", "read", " from "}},
      {"readv", {"reads", "read", " from "}},
      {"preadv", {"reads", "read", " from "}},
      {"recvfrom", {"receives", "receive", " from "}},
      {"recvmsg", {"receives", "receive", " from "}},
      {"write", {"writes", "write", " to "}},
      {"pwrite64", {"writes", "write", " to "}},
      {"writev", {"writes", "write", " to "}},
      {"sendto", {"sends", "send", " to "}},
      {"sendmsg", {"sends", "send", " to "}},
      {"fsync", {"flushes", "flush"}},
      {"fdatasync", {"flushes", "flush"}},
      {"flock", {"waits for the lock of", "wait for the lock of"}},
      {"fcntl", {"waits for the lock of", "wait for the lock of"}},
      {"openat", {"opens", "open"}},
      {"newfstatat", {"looks up", "look up"}},
      {"getdents64", {"lists", "list"}},
      {"clock_nanosleep", {"sleeps", "sleep"}},
      {"nanosleep", {"sleeps", "sleep"}},
      {"wait4", {"waits for a child process", "wait for a child process"}},
      {"waitid", {"waits for a child process", "wait for a child process"}},
      {"accept", {"waits for a connection", "wait for a connection"}},
      {"accept4", {"waits for a connection", "wait for a connection"}},
      {"connect", {"connects", "connect", " to "}},
      {"futex", {"waits", "wait"}},
      {"poll", {"waits", "wait", " for "}},
      {"ppoll", {"waits", "wait", " for "}},
      {"select", {"waits", "wait", " for "}},
      {"pselect6", {"waits", "wait", " for "}},
      {"epoll_wait", {"waits", "wait", " for "}},
      {"epoll_pwait", {"waits", "wait", " for "}},
  };
  const auto found = kVerbs.find(call);
  return found == kVerbs.end() ? std::nullopt : std::optional(found->second);
}

Verb verb_of(const Thread& thread) {
  if (thread.state == 'T') {
    return {"is stopped by a signal", "are stopped by a signal"};
  }
  if (thread.state == 'S' && is_in_debugger(thread)) {
    return {"waits for a command in a debugger", "wait for a command in a debugger", ", from "};
  }
  if (thread.input && is_awaiting_input(thread)) {
    return {"waits for input", "wait for input", " from "};
  }
  if (is_asleep(thread)) {
    return {"sleeps", "sleep"};
  }
  if (thread.target.empty() && thread.system_call == "openat") {
    return {"opens a file", "open a file"};
  }
  if (const std::optional<Verb> verb = verb_of_call(thread.system_call);
      verb && !(thread.target.empty() && thread.system_call == "newfstatat")) {
    return *verb;
  }
  switch (thread.state) {
    case 'R':
    case 't':  // Somebody is just reading it.
      return waits_for_gpu(thread) ? Verb{"waits for its GPU", "wait for their GPUs"}
                                   : Verb{"computes", "compute"};
    case 'D':
      return {"waits for the kernel", "wait for the kernel"};
    case 'Z':
      return {"has ended", "have ended"};
    default:
      return {"waits", "wait"};
  }
}

/// Returns what makes two threads equal. Of a file only the name counts: each task has its own
/// folder, and hosts may have Python in different places.
std::string key_of(const Telling& telling) {
  if (telling.thread == nullptr) {
    return "";
  }
  const Thread& thread = *telling.thread;
  std::string key = thread.state == 'T' || thread.state == 'D' ? std::string(1, thread.state) : "";
  if (thread.frames.empty()) {
    return fmt::format("{} {} {} {}", key, thread.state, thread.system_call, thread.wait_channel);
  }
  // Below Python's own calls, addresses differ from process to process.
  const bool only_python = (telling.process->python || telling.process->java) &&
                           std::ranges::any_of(thread.frames, is_python_call);
  for (const Frame& frame : thread.frames) {
    if (!only_python || is_python_call(frame)) {
      key += fmt::format("{}\n{}\n{}\n", frame.function, last_part(frame.file, '/'), frame.line);
    }
  }
  return key;
}

/// "S, clock_nanosleep"
std::string kernel_words(const Thread& thread) {
  std::string words(1, thread.state);
  if (thread.holds_gil) {
    words += ", holds the GIL";
  }
  if (!thread.system_call.empty()) {
    words += ", " + thread.system_call;
  } else if (!thread.wait_channel.empty() && thread.wait_channel != "0") {
    words += ", " + thread.wait_channel;
  }
  return thread.target.empty() ? words : words + " " + thread.target;
}

/// Threads without frames say little, so those of one kind share a line.
void add_threads(const Process& process, std::string& text) {
  std::map<std::string, uint32_t> others;
  for (const Thread& thread : process.threads) {
    if (thread.frames.empty() && thread.id != process.pid) {
      ++others[kernel_words(thread)];
      continue;
    }
    text += fmt::format("    {} ({})\n", thread.name.empty() ? "thread" : thread.name,
                        kernel_words(thread));
    for (const Frame& frame : thread.frames) {
      text += fmt::format("      {}\n", to_string(frame));
    }
  }
  for (const auto& [words, count] : others) {
    text +=
        fmt::format("    {} ({})\n",
                    count == 1 ? "1 more thread" : fmt::format("{} more threads", count), words);
  }
}

json::array threads_json(const Process& process) {
  json::array list;
  for (const Thread& thread : process.threads) {
    json::array frames;
    for (const Frame& frame : thread.frames) {
      frames.push_back(
          json::object{{"function", frame.function}, {"file", frame.file}, {"line", frame.line}});
    }
    list.push_back(json::object{{"id", thread.id},
                                {"name", thread.name},
                                {"state", std::string(1, thread.state)},
                                {"system_call", thread.system_call},
                                {"wait_channel", thread.wait_channel},
                                {"target", thread.target},
                                {"holds_gil", thread.holds_gil},
                                {"frames", std::move(frames)}});
  }
  return list;
}

std::vector<std::string> names_of(std::span<const Subject> subjects, const Group& group) {
  std::vector<std::string> names;
  for (const size_t member : group.members) {
    names.push_back(subjects[member].task);
  }
  return names;
}

std::string headline(std::span<const Subject> subjects, const Group& group) {
  const std::vector<std::string> names = names_of(subjects, group);
  const Subject& first = subjects[group.members.front()];
  const bool several = names.size() > 1;
  const std::string what =
      group.read ? describe(telling_of(first.report), several) : "could not be read";
  const std::string where = several || first.host.empty() ? std::string() : " on " + first.host;
  return several ? fmt::format("{} of {} tasks {}: {}{}", names.size(), subjects.size(), what,
                               join_tasks(names), describe_vain_wait(subjects, group))
                 : fmt::format("{}{} {}{}{}{}", names.front(), where, what,
                               describe_start(first.report),
                               describe_behind(telling_of(first.report), behind(first.report)),
                               describe_vain_wait(subjects, group));
}

}  // namespace

Telling telling_of(const Report& report) {
  const Process* chosen = nullptr;
  for (const Process& process : report.processes) {
    if (process.threads.empty()) {
      continue;
    }
    const bool passes_on = chosen == nullptr || waits_for_child(chosen->threads.front());
    if (chosen == nullptr || !chosen->python) {
      chosen = passes_on || process.python ? &process : chosen;
    } else if (passes_on && process.python &&
               !std::ranges::all_of(process.threads.front().frames, is_library)) {
      chosen = &process;  // What a Python launcher has started runs the program's own code.
    }
  }
  return chosen == nullptr ? Telling{} : Telling{chosen, &chosen->threads.front()};
}

std::string_view collective_in(const Thread& thread) {
  const Frame* const call = collective_of(thread);
  return call == nullptr ? std::string_view() : last_part(call->function, '.');
}

bool waits_for_gil(const Process& process, const Thread& thread) {
  // By the time its frames are read, it may have got the lock.
  return process.python && thread.brief &&
         std::ranges::any_of(process.threads, &Thread::holds_gil) &&
         std::ranges::any_of(process.threads, [&](const Thread& other) {
           return &other != &thread && (other.holds_gil || other.brief || other.state == 'R');
         });
}

const Thread* collector_of(const Process& process) {
  // Threads of collectors; the serial one runs in the thread for everything that stops the program.
  static constexpr std::array<std::string_view, 6> kNames = {
      "GC Thread", "G1 ", "GC task thread", "VM Thread", "ZWorker", "Shenandoah"};
  const auto found = std::ranges::find_if(process.threads, [&](const Thread& thread) {
    return thread.state == 'R' && std::ranges::any_of(kNames, [&](std::string_view name) {
             return thread.name.starts_with(name);
           });
  });
  return process.java && found != process.threads.end() ? &*found : nullptr;
}

bool is_asleep(const Thread& thread) {
  return thread.system_call == "clock_nanosleep" || thread.system_call == "nanosleep" ||
         thread.sleeps_s || is_in_java_call(thread, "java.lang.Thread.sleep");
}

bool is_writing(const Thread& thread) {
  return thread.state == 'S' && (thread.system_call == "write" || thread.system_call == "writev");
}

namespace {

/// Returns the processes below `root` that wait for no process of their own.
std::vector<Telling> last_children(const Report& report, const Process& root) {
  std::vector<int32_t> family = {root.pid};
  std::vector<Telling> found;
  for (const Process& process : report.processes) {
    if (std::ranges::find(family, process.parent) == family.end() || process.threads.empty()) {
      continue;
    }
    family.push_back(process.pid);
    if (!waits_for_child(process.threads.front()) && process.threads.front().state != 'Z') {
      found.push_back({&process, &process.threads.front()});
    }
  }
  return found;
}

}  // namespace

std::vector<Telling> behind(const Report& report) {
  const Telling telling = telling_of(report);
  std::vector<Telling> stuck;
  if (telling.thread == nullptr || telling.thread->frames.empty() ||
      collective_of(*telling.thread) != nullptr) {
    return stuck;
  }
  if (waits_for_gil(*telling.process, *telling.thread)) {
    const auto holder = std::ranges::find_if(telling.process->threads, &Thread::holds_gil);
    return &*holder == telling.thread ? stuck : std::vector<Telling>{{telling.process, &*holder}};
  }
  std::vector<Telling> others;
  if (is_reading(*telling.thread) && telling.thread->target == "a pipe") {
    // Whoever was to write there may be stuck as well, in another pipe that nobody reads.
    stuck = last_children(report, *telling.process);
    std::erase_if(stuck, [](const Telling& other) { return !is_writing(*other.thread); });
    if (!stuck.empty()) {
      stuck.resize(std::min(stuck.size(), kBehindMax));
      return stuck;
    }
  }
  const bool feeds_child = is_writing(*telling.thread) && telling.thread->target == "a pipe";
  if (waits_for_child(*telling.thread) || feeds_child) {
    others = last_children(report, *telling.process);  // Those that do not end, or do not read.
  } else if (!is_library(telling.thread->frames.front())) {
    return stuck;
  }
  for (const Process& process : report.processes) {
    for (const Thread& thread : process.threads) {
      const std::span<const Frame> calls = calls_since_start(thread);
      const bool own = &process == telling.process;
      // Libraries call the program back in their own threads. Of other processes, only those that
      // Python has started are known to work for this one.
      const bool works = is_writing(thread) && thread.target == "a pipe";
      if (&thread == telling.thread || (calls.size() == thread.frames.size() && !own) ||
          (std::ranges::all_of(calls, is_library) && !works)) {
        continue;  // This includes threads that wait to be given something to do.
      }
      if (own && is_asleep(thread) && !joins_thread(*telling.thread)) {
        continue;  // It does something from time to time, such as reporting that it is alive.
      }
      const bool known = std::ranges::any_of(
          others, [&](const Telling& other) { return other.thread == &thread; });
      if (!is_library(calls.front())) {
        stuck.push_back({&process, &thread});
      } else if (!known) {
        others.push_back({&process, &thread});
      }
    }
  }
  std::vector<Telling>& found = stuck.empty() ? others : stuck;
  found.resize(std::min(found.size(), kBehindMax));
  return std::move(found);
}

std::vector<Group> group(std::span<const Subject> subjects) {
  std::map<std::string, Group> by_key;
  for (size_t i = 0; i < subjects.size(); ++i) {
    const Telling telling = telling_of(subjects[i].report);
    const bool read = telling.thread != nullptr;
    const bool passes = read && is_in_pass(*telling.thread);
    const bool held_up = passes && !behind(subjects[i].report).empty();
    Group& group = by_key[fmt::format("{}{}{}", subjects[i].needed ? "" : "server\n",
                                      held_up ? "held up\n" : "", key_of(telling))];
    group.members.push_back(i);
    group.read = read;
    group.waits_for_peers = read && (waits_for_peers(*telling.thread) || (passes && !held_up));
  }
  std::vector<Group> groups;
  for (auto& [key, each] : by_key) {
    groups.push_back(std::move(each));
  }
  std::ranges::sort(groups, [](const Group& one, const Group& other) {
    return std::pair(one.members.size(), one.members.front()) <
           std::pair(other.members.size(), other.members.front());
  });
  return groups;
}

std::string to_string(const Frame& frame) {
  const std::string_view file = last_part(frame.file, '/');
  if (file.empty()) {
    return frame.function;
  }
  return frame.line == 0 ? fmt::format("{} ({})", frame.function, file)
                         : fmt::format("{} ({}:{})", frame.function, file, frame.line);
}

bool is_computing(const Thread& thread) {
  // Where a program waits busily: in the interpreter and its bindings, in libraries that carry
  // messages, and in code that asks the kernel.
  static constexpr std::array<std::string_view, 12> kWaiting = {
      "python",  "libtorch_python", "libnccl",    "libmpi",   "libgloo", "libcuda",
      "libc.so", "libc-",           "libpthread", "ld-linux", "[vdso]",  "linux-vdso"};
  if (std::ranges::any_of(thread.frames, is_of_java)) {
    return thread.state == 'R';  // Its variables are unknown.
  }
  if (thread.frames.empty() || is_python_call(thread.frames.front()) ||
      collective_of(thread) != nullptr) {
    return false;
  }
  const std::string_view file = last_part(thread.frames.front().file, '/');
  return std::ranges::none_of(kWaiting,
                              [&](std::string_view part) { return file.starts_with(part); });
}

bool waits_for_gpu(const Thread& thread) {
  static constexpr std::array<std::string_view, 4> kDrivers = {"libcuda.", "libcudart",
                                                               "libamdhip64", "libhsa-runtime64"};
  const auto python = std::ranges::find_if(thread.frames, is_python_call);
  const bool in_driver = std::any_of(thread.frames.begin(), python, [](const Frame& frame) {
    return std::ranges::any_of(kDrivers, [&](std::string_view driver) {
      return last_part(frame.file, '/').starts_with(driver);
    });
  });
  return in_driver || (python != thread.frames.end() && python->function == "synchronize" &&
                       python->file.find("torch/cuda/") != std::string::npos);
}

bool is_same_place(const Thread& one, const Thread& other) {
  const auto calls = [](const Thread& thread) {
    std::vector<const Frame*> list;  // Outermost first.
    for (const Frame& frame : thread.frames | std::views::reverse) {
      if (is_python_call(frame)) {
        list.push_back(&frame);
      }
    }
    return list;
  };
  const std::vector<const Frame*> first = calls(one);
  const std::vector<const Frame*> second = calls(other);
  if (first.empty() || second.empty()) {
    return false;
  }
  // A loop that asks whether it may go on has two lines, and calls a function now and then.
  const size_t deepest = std::max(first.size(), second.size());
  for (size_t i = 0; i + 1 < deepest; ++i) {
    if (i >= first.size() || i >= second.size() || first[i]->function != second[i]->function ||
        first[i]->file != second[i]->file ||
        (i + 2 < deepest && first[i]->line != second[i]->line)) {
      return false;
    }
  }
  return deepest > std::min(first.size(), second.size()) ||
         (first.back()->function == second.back()->function &&
          first.back()->file == second.back()->file);
}

bool is_reading(const Thread& thread) {
  static constexpr std::array<std::string_view, 6> kCalls = {"pread64", "preadv",   "read",
                                                             "readv",   "recvfrom", "recvmsg"};
  return std::ranges::find(kCalls, thread.system_call) != kCalls.end();
}

bool is_awaiting_input(const Thread& thread) {
  // A file system in user space also makes its callers wait like this.
  const bool of_kernel =
      thread.wait_channel.starts_with("fuse") || thread.wait_channel == "request_wait_answer";
  return thread.state == 'S' && !of_kernel &&
         (thread.system_call == "openat" || (is_reading(thread) && thread.target.starts_with('/')));
}

bool is_asking(const Process& process, const Thread& thread) {
  if (thread.state != 'S') {
    return false;
  }
  if (thread.sleeps_s) {
    // For Python, often only the rest of a sleep is known. A command that sleeps for less than a
    // second waits for a moment that should have come already.
    return process.python ? !thread.frames.empty() : *thread.sleeps_s > 0;
  }
  static constexpr std::array<std::string_view, 2> kFollowers = {"inotifywait", "tail"};
  static constexpr std::array<std::string_view, 3> kJavaCalls = {
      "java.lang.Thread.sleep", "sun.nio.fs.AbstractWatchService.poll",
      "sun.nio.fs.AbstractWatchService.take"};
  return thread.system_call == "connect" ||
         (is_reading(thread) && thread.target.find("inotify") != std::string::npos) ||
         std::ranges::find(kFollowers, thread.name) != kFollowers.end() ||
         std::ranges::any_of(
             kJavaCalls, [&](std::string_view call) { return is_in_java_call(thread, call); }) ||
         (thread.timed && !thread.frames.empty() && waits_for_events(thread));
}

bool is_same_function(const Thread& one, const Thread& other) {
  const Frame* const first = own_frame(one);
  const Frame* const second = own_frame(other);
  if (first == nullptr || second == nullptr) {
    return first == second && one.name == other.name;
  }
  return first->function == second->function &&
         last_part(first->file, '/') == last_part(second->file, '/');
}

bool is_in_own_code(const Thread& thread) {
  return std::ranges::any_of(thread.frames, is_own_call);
}

bool is_in_library(const Thread& thread) {
  return !thread.frames.empty() && is_library(thread.frames.front());
}

std::string place_of(const Thread& thread) {
  const Frame* frame = own_frame(thread);
  return frame == nullptr ? std::string() : to_string(*frame);
}

std::string describe_behind(const Telling& telling, std::span<const Telling> others) {
  std::string text;
  for (const Telling& other : others) {
    const bool thread = other.process == telling.process;
    text += fmt::format("; its {} {} {}", thread ? "thread" : "child process",
                        thread ? other.thread->name : std::to_string(other.process->pid),
                        describe(other, false));
  }
  return text;
}

std::string describe_start(const Report& report) {
  const Telling telling = telling_of(report);
  if (telling.thread == nullptr || !telling.thread->frames.empty() ||
      telling.process == &report.processes.front()) {
    return "";
  }
  const std::string& first = report.processes.front().command;
  return first.empty() || first.ends_with(telling.process->command)
             ? ""
             : fmt::format(", run by `{}`", first);
}

/// Shorter sleeps are not shown: they are over before anybody has read about them.
constexpr uint32_t kSleepShownS = 60;

std::string describe(const Telling& telling, bool plural) {
  if (telling.thread == nullptr) {
    return plural ? "have no process" : "has no process";
  }
  const Thread& thread = *telling.thread;
  const std::string place = place_of(thread);
  const Frame* collective = collective_of(thread);
  if (collective != nullptr && thread.state != 'T' && thread.state != 'D') {
    return fmt::format("{} in {}{}", plural ? "wait" : "waits", collective_in(thread),
                       place.empty() ? "" : ", called by " + place);
  }
  const Verb verb = waits_for_gil(*telling.process, thread)
                        ? Verb{"waits for Python's lock (GIL)", "wait for Python's lock (GIL)"}
                    : thread.frames.empty() && collector_of(*telling.process) != nullptr
                        ? Verb{"collects garbage", "collect garbage"}
                        : verb_of(thread);
  std::string text(plural ? verb.many : verb.one);
  // The target of a futex or a poll means nothing to people.
  if (!thread.target.empty()) {
    text += fmt::format("{}{}", verb.before_target, thread.target);
  }
  if (!place.empty()) {
    text += " in " + place;
  } else if (!telling.process->command.empty()) {
    text += fmt::format(" in `{}`", telling.process->command);
  }
  if (thread.sleeps_s && *thread.sleeps_s >= kSleepShownS && !plural) {
    text += fmt::format(", for {} more", format_duration(std::chrono::seconds(*thread.sleeps_s)));
  }
  return thread.state == 'D' ? text + " (D state)" : text;
}

std::string join_tasks(std::span<const Subject> subjects, std::span<const size_t> members) {
  std::vector<std::string> names;
  std::ranges::transform(members, std::back_inserter(names),
                         [&](size_t member) { return subjects[member].task; });
  // "worker:9" comes before "worker:10".
  std::ranges::sort(names, {},
                    [](const std::string& name) { return std::pair(name.size(), name); });
  return join_tasks(names);
}

std::string join_tasks(std::span<const std::string> tasks) {
  struct Run {
    std::string_view role;
    uint32_t first = 0;
    uint32_t last = 0;
    std::string_view name;  ///< The unchanged name, if it is not ROLE:INDEX.
  };
  std::vector<Run> runs;
  for (const std::string& task : tasks) {
    const size_t colon = task.rfind(':');
    uint32_t index = 0;
    const char* const digits = task.data() + std::min(colon + 1, task.size());
    const bool indexed =
        colon != std::string::npos &&
        std::from_chars(digits, task.data() + task.size(), index).ec == std::errc();
    const std::string_view role = std::string_view(task).substr(0, indexed ? colon : 0);
    if (indexed && !runs.empty() && runs.back().role == role && runs.back().last + 1 == index) {
      runs.back().last = index;
    } else {
      runs.push_back({.role = role, .first = index, .last = index, .name = task});
    }
  }
  std::string text;
  for (const Run& run : runs) {
    text += text.empty() ? "" : ", ";
    text += run.first == run.last ? std::string(run.name)
                                  : fmt::format("{}:{}-{}", run.role, run.first, run.last);
  }
  return text;
}

std::string to_text(std::span<const Subject> subjects) {
  std::string text;
  for (const Group& each : group(subjects)) {
    const Report& report = subjects[each.members.front()].report;
    text += (text.empty() ? "" : "\n") + headline(subjects, each) + "\n";
    for (const Process& process : report.processes) {
      text += fmt::format("  process {} of {}: {}\n", process.pid,
                          subjects[each.members.front()].task, process.command);
      add_threads(process, text);
      for (const std::string_view line : split(process.problem, '\n')) {
        text += line.empty() ? "" : fmt::format("    ! {}\n", line);
      }
    }
    if (report.left_out > 0) {
      text += fmt::format("  {} more process{} not shown\n", report.left_out,
                          report.left_out == 1 ? " is" : "es are");
    }
  }
  return text;
}

std::string to_json(std::span<const Subject> subjects, std::string_view job) {
  json::array groups;
  for (const Group& each : group(subjects)) {
    const Subject& first = subjects[each.members.front()];
    json::array processes;
    for (const Process& process : first.report.processes) {
      processes.push_back(
          json::object{{"pid", process.pid},
                       {"parent", process.parent},
                       {"command", process.command},
                       {"python", process.python},
                       {"problem", process.problem.empty() ? json::value(nullptr)
                                                           : json::value(process.problem)},
                       {"threads", threads_json(process)}});
    }
    json::array tasks;
    for (const std::string& name : names_of(subjects, each)) {
      tasks.push_back(json::string(name));
    }
    groups.push_back(json::object{
        {"tasks", std::move(tasks)},
        {"does", each.read ? describe(telling_of(first.report), each.members.size() > 1)
                           : std::string("could not be read")},
        {"waits_for_peers", each.waits_for_peers},
        {"processes", std::move(processes)},
        {"left_out", first.report.left_out}});
  }
  return json::serialize(json::object{{"schema", "muster.stacks/1"},
                                      {"job", job},
                                      {"tasks", subjects.size()},
                                      {"groups", std::move(groups)}}) +
         "\n";
}

}  // namespace muster::stacks
