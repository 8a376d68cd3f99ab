#include "os/host/memory.h"

#include "base/text.h"
#include "os/host/disk_left.h"
#include "os/host/network_speed.h"
#include "os/host/proc_text.h"
#include "os/host/throttling.h"
#include "os/process/threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <dirent.h>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace muster::os {
namespace {

/// Resident memory as /proc/PID/statm shows it.
struct Resident {
  uint64_t all_bytes = 0;
  uint64_t shared_bytes = 0;  ///< Files and shared memory; the rest is anonymous.
};

Resident resident_memory(Pid pid) {
  const std::string text = read_proc_record(fmt::format("/proc/{}/statm", pid.value));
  const auto fields = split(text, ' ');
  const auto page_bytes = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  const auto bytes = [&](size_t field) {
    return field < fields.size() ? parse_decimal(fields[field]).value_or(0) * page_bytes : 0;
  };
  return {.all_bytes = bytes(1), .shared_bytes = bytes(2)};
}

/// What /proc/PID/stat reports about a process and its reaped children.
struct Stat {
  Duration user{};
  Duration system{};
  Duration own{};  ///< Both, without the children.
  uint64_t faults = 0;
  uint64_t faults_major = 0;
  uint32_t threads = 0;
  bool runs = false;     ///< Its main thread computes, or would if it had a processor.
  bool in_disk = false;  ///< It sleeps uninterruptibly, usually waiting for a disk.
  int32_t nice = 0;
};

/// Parses /proc/PID/stat, or the same file of a thread.
Stat parse_stat(std::string_view text) {
  const std::vector<std::string_view> fields = stat_fields(text);
  const auto number = [&](size_t field) {  // Counted from the state.
    return field < fields.size() ? parse_decimal(fields[field]).value_or(0) : 0;
  };
  const auto ticks_per_second = static_cast<uint64_t>(::sysconf(_SC_CLK_TCK));
  const auto time = [&](uint64_t ticks) {
    return std::chrono::microseconds(ticks * 1'000'000 / ticks_per_second);
  };
  const std::string_view nice = fields.size() > 16 ? fields[16] : std::string_view();
  const auto given_way =
      static_cast<int32_t>(parse_decimal(nice.substr(nice.starts_with('-') ? 1 : 0)).value_or(0));
  // minflt, cminflt, majflt, cmajflt, utime, stime, cutime, cstime; nice and num_threads are the
  // 17th and 18th.
  const uint64_t major = number(9) + number(10);
  return {.user = time(number(11) + number(13)),
          .system = time(number(12) + number(14)),
          .own = time(number(11) + number(12)),
          .faults = number(7) + number(8) + major,
          .faults_major = major,
          .threads = static_cast<uint32_t>(number(17)),
          .runs = !fields.empty() && fields[0] == "R",
          .in_disk = !fields.empty() && fields[0] == "D",
          .nice = nice.starts_with('-') ? -given_way : given_way};
}

Stat read_stat(Pid pid) {
  return parse_stat(read_proc_record(fmt::format("/proc/{}/stat", pid.value)));
}

/// Returns whether a thread of a Java virtual machine collects garbage, by its name: in parallel,
/// beside the program, or, with the serial collector, as the thread for everything that stops the
/// program.
bool is_collector(std::string_view name) {
  static constexpr std::array<std::string_view, 9> kNames = {
      "GC Thread", "G1 ",     "GC task thread", "ParGC",          "VM Thread",
      "ZWorker",   "XWorker", "Shenandoah",     "Concurrent Mark"};
  return std::ranges::any_of(kNames, [&](std::string_view own) { return name.starts_with(own); });
}

/// Returns the name in parentheses.
std::string_view name_in(std::string_view stat) {
  const size_t open = stat.find(" (");
  const size_t close = stat.rfind(") ");
  return open == std::string_view::npos || close == std::string_view::npos
             ? std::string_view()
             : stat.substr(open + 2, close - open - 2);
}

/// Returns how long the collectors of one Java virtual machine have computed.
Duration collector_time_of(Pid pid) {
  Duration time{};
  const std::string folder = fmt::format("/proc/{}/task", pid.value);
  const std::unique_ptr<DIR, int (*)(DIR*)> threads(::opendir(folder.c_str()), ::closedir);
  while (threads != nullptr) {
    const dirent* const entry = ::readdir(threads.get());
    if (entry == nullptr) {
      break;
    }
    const std::string text = read_proc(fmt::format("{}/{}/stat", folder, entry->d_name));
    if (is_collector(name_in(text))) {
      time += parse_stat(text).own;
    }
  }
  return time;
}

/// Counts the processes, including those children of their main threads that are missing from the
/// list because they have ended.
uint32_t count_with_children(std::span<const Pid> processes) {
  std::set<uint64_t> known;
  for (const Pid pid : processes) {
    known.insert(static_cast<uint64_t>(pid.value));
    const std::string children =
        read_proc(fmt::format("/proc/{}/task/{}/children", pid.value, pid.value));
    for (const std::string_view child : split(children, ' ')) {
      if (const auto number = parse_decimal(child)) {
        known.insert(*number);
      }
    }
  }
  return static_cast<uint32_t>(known.size());
}

/// A process and how long it has computed.
struct Worker {
  Pid pid;
  Duration computed{};
  bool in_disk = false;
  int32_t nice = 0;
};

/// Returns the process that does the work, given a list with parents first: see
/// Footprint::main_waits. nullptr if there is none.
const Worker* find_worker(const std::vector<Worker>& processes) {
  Duration most{};
  for (const Worker& process : processes) {
    most = std::max(most, process.computed);
  }
  const auto works = std::ranges::find_if(
      processes, [&](const Worker& process) { return 4 * process.computed >= most; });
  return works == processes.end() ? nullptr : &*works;
}

/// Returns how many descriptors a process has open. Since Linux 6.2 the kernel reports the number;
/// before that they are counted, up to a bound.
uint32_t open_files_of(Pid pid) {
  constexpr uint32_t kCountedMax = 1000;
  const std::string folder = fmt::format("/proc/{}/fd", pid.value);
  struct stat status{};
  if (::stat(folder.c_str(), &status) != 0) {
    return 0;
  }
  if (status.st_size > 0) {
    return static_cast<uint32_t>(status.st_size);
  }
  DIR* const entries = ::opendir(folder.c_str());
  uint32_t count = 0;
  while (entries != nullptr && count < kCountedMax + 2 && ::readdir(entries) != nullptr) {
    ++count;
  }
  if (entries != nullptr) {
    ::closedir(entries);
  }
  return count > 2 ? count - 2 : 0;  // "." and "..".
}

class ProcMeter final : public Meter {
 public:
  Usage measure(std::span<const Pid> processes) override {
    Usage usage;
    for (const Pid pid : processes) {
      const Stat stat = read_stat(pid);
      usage.cpu += stat.user + stat.system;
      const auto pss = parse_pss_bytes(read_proc(fmt::format("/proc/{}/smaps_rollup", pid.value)));
      if (pss.has_value()) {
        usage.memory_bytes += *pss;
        continue;
      }
      // Before Linux 4.14, or for a process that gave up its rights.
      const uint64_t resident = resident_memory(pid).all_bytes;
      usage.memory_bytes += resident;
      usage.exact = usage.exact && resident == 0;
    }
    return usage;
  }

  Footprint glance(std::span<const Pid> processes) override {
    Footprint print;
    std::vector<Worker> workers;
    std::vector<Pid> living;
    for (const Pid pid : processes) {
      const Resident resident = resident_memory(pid);
      const Stat stat = read_stat(pid);
      if (stat.threads > 0) {
        living.push_back(pid);
        workers.push_back({.pid = pid,
                           .computed = stat.user + stat.system,
                           .in_disk = stat.in_disk,
                           .nice = stat.nice});
      }
      print.cpu += stat.user + stat.system;
      print.cpu_system += stat.system;
      print.faults += stat.faults;
      print.faults_major += stat.faults_major;
      print.threads += stat.threads;
      print.main_runs += stat.runs ? 1 : 0;
      print.most_bytes += resident.all_bytes;
      print.least_bytes =
          std::max(print.least_bytes,
                   resident.all_bytes - std::min(resident.all_bytes, resident.shared_bytes));
    }
    print.processes = count_with_children(living);
    if (const Worker* const worker = find_worker(workers)) {
      print.main_waits = waits_for_threads(worker->pid);
      print.main_in_disk = worker->in_disk;
      print.worker = worker->pid;
      print.worker_nice = worker->nice;
    }
    return print;
  }

  FileActivity file_activity(std::span<const Pid> processes) override {
    FileActivity activity;
    for (const Pid pid : processes) {
      const std::string text = read_proc_record(fmt::format("/proc/{}/io", pid.value));
      activity.read_bytes += number_after(text, "read_bytes:").value_or(0);
      activity.written_bytes += number_after(text, "write_bytes:").value_or(0);
      activity.open_files += open_files_of(pid);
      activity.moved_bytes +=
          number_after(text, "rchar:").value_or(0) + number_after(text, "wchar:").value_or(0);
    }
    return activity;
  }

  Throttling throttling(Pid process) override {
    return throttling_.read(read_proc_record(fmt::format("/proc/{}/cgroup", process.value)));
  }

  std::optional<Duration> collector_time(std::span<const Pid> processes) override {
    std::optional<Duration> time;
    for (const Pid pid : processes) {
      if (trim(read_proc_record(fmt::format("/proc/{}/comm", pid.value))) == "java") {
        time = time.value_or(Duration{}) + collector_time_of(pid);
      }
    }
    return time;
  }

  Waits waits(std::span<const Pid> processes, Pid worker) override {
    return look_at_waits(processes, worker, threads_);
  }

  HostActivity host_activity() override {
    HostActivity activity = read_host_activity();
    // Drivers may have to ask the hardware, so this is not done at every look.
    constexpr uint32_t kLooksBetween = 60;
    if (looks_++ % kLooksBetween == 0) {
      network_speed_ = read_network_speed("/sys/class/net");
    }
    activity.network_bytes_per_s = network_speed_;
    return activity;
  }

  std::vector<Path> local_folders(std::vector<Path> folders) override {
    return os::local_folders(std::move(folders), read_proc("/proc/self/mountinfo"));
  }

  std::optional<DiskSpace> disk_left(std::span<const Path> folders) override {
    return least_disk_left(folders);
  }

  Duration time_spent() override {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);  // lint: allow(clock) of this thread
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_nsec / 1000);
  }

  uint64_t oom_kills() override {
    const std::string groups = read_proc("/proc/self/cgroup");
    const Path root = "/sys/fs/cgroup";
    const std::string unified = find_cgroup("", groups, root);
    if (!unified.empty()) {
      if (const auto kills =
              number_after(read_proc(Path(unified) / "memory.events"), "oom_kill ")) {
        return *kills;
      }
    }
    const std::string v1 = find_cgroup("memory", groups, root);
    if (!v1.empty()) {
      if (const auto kills =
              number_after(read_proc(Path(v1) / "memory.oom_control"), "oom_kill ")) {
        return *kills;
      }
    }
    return number_after(read_proc("/proc/vmstat"), "oom_kill ").value_or(0);
  }

 private:
  KnownThreads threads_;
  ThrottlingReader throttling_{kCgroupRoot};
  uint32_t looks_ = 0;
  std::optional<uint64_t> network_speed_;
};

}  // namespace

std::unique_ptr<Meter> make_meter() { return std::make_unique<ProcMeter>(); }

Result<uint64_t> parse_pss_bytes(std::string_view smaps_rollup) {
  const auto kilobytes = number_after(smaps_rollup, "Pss:");
  if (!kilobytes.has_value()) {
    return Error{Errc::Corrupt, Blame::Cluster, "smaps_rollup has no Pss"};
  }
  return *kilobytes << 10;
}

}  // namespace muster::os
