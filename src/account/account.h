#pragma once

#include "base/time.h"
#include "job/ids.h"
#include "job/plan.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What became of every second that a cluster granted to a job.
namespace muster::account {

/// What a container's second was spent on. Each belongs to exactly one class.
enum class Class : uint8_t {
  Gathering,   ///< Until the program starts: launch, files, peers; again before each restart.
  Starting,    ///< From the program's start to its first step.
  Productive,  ///< Work that counts.
  Repeated,    ///< Work that was lost: done after the last committed checkpoint.
  Stalled,     ///< The program was running but did nothing.
  Waiting,     ///< Held up by slower peers, or done before them.
  Saving,      ///< Writing a checkpoint.
  Ending,      ///< From the order to stop, or the last task's end, to the container's end.
};
inline constexpr size_t kClasses = 8;
using ByClass = std::array<Duration, kClasses>;

/// The names in JSON and on the screen: "gathering", "starting", ...
[[nodiscard]] std::string_view to_string(Class value);
[[nodiscard]] constexpr size_t index_of(Class value) { return static_cast<size_t>(value); }

/// A stretch of job time, `from` included, `to` not.
struct Span {
  Time from{};
  Time to{};
  Class what = Class::Gathering;
  bool operator==(const Span&) const = default;
};

/// One place for a task in a container: its spans cover the time from the container's grant to its
/// end without gap or overlap. A container of several places is divided evenly among them.
struct Line {
  job::ContainerId container;
  job::HostName host;
  std::optional<job::RoleIndex> role;  ///< nullopt: it was given back before it was of use.
  uint32_t slot = 0;
  uint32_t slots = 1;  ///< Of its container.
  std::vector<Span> spans;
  Duration guessed{};  ///< How much of Repeated may have been kept: see Account.
};

/// A step that a program has reported.
struct Step {
  Time at{};
  double number = 0;
};

/// What is known about an attempt beside the facts: from samples, the program's own reports and
/// output. Times are job time.
struct AttemptSigns {
  std::optional<Time> first_step;
  std::optional<Time> first_output;
  std::vector<Step> steps;  ///< By time.
  /// Stretches in which it was Stalled, Waiting or Saving; of two that overlap, the first counts.
  std::vector<Span> marks;
};
using Signs = std::map<job::AttemptId, AttemptSigns>;

/// How the end of `starting` is known, as numbers of attempts that have started.
struct StartsKnown {
  uint32_t by_step = 0;
  uint32_t by_output = 0;  ///< By the first line that it printed.
  uint32_t unknown = 0;    ///< Not at all: all its time after the start counts as work.
  bool operator==(const StartsKnown&) const = default;
};

/// How something rose after the first step, steadily and to the end (metrics::steady_rise).
struct Growth {
  double from = 0;
  double to = 0;
  Duration span{};
};

/// What about an attempt rose all the time; nullopt if it did not, or was not measured.
struct Growths {
  std::optional<Growth> memory_bytes;
  std::optional<Growth> open_files;
  std::optional<Growth> threads;
  std::optional<Growth> processes;
  std::optional<Growth> step_s;      ///< The time of a step.
  std::optional<Growth> disk_bytes;  ///< Use of the disk that it writes to, by anyone.
};

/// What held up an attempt, according to the counters of the system and of Java; nullopt if not
/// measured.
struct Hindrances {
  std::optional<double> throttled;  ///< The share of periods in which a limit held its group back.
  /// The share of time in which some process of its control group waited for memory.
  std::optional<double> memory_waiting;
  std::optional<double> over_high_per_s;  ///< How often per second it was over memory.high.
  std::optional<double> nice;             ///< Of its main thread, if that has lowered its priority.
  std::optional<double> collector_cores;  ///< What Java's virtual machines took for their garbage.
};

/// What the main thread of an attempt waited for after the first step, each as a share of the time;
/// nullopt if not measured, or for too short a time.
struct MainWaits {
  std::optional<double> sleeping;     ///< It slept for a time of its own choice.
  std::optional<double> socket;       ///< For a connection, or for data on one.
  std::optional<double> name_server;  ///< Of that, for the answer of a name server.
  std::optional<double> children;     ///< For what child processes of its own computed.
  /// The mean number of threads, not only the main one, that waited for Python's global lock.
  std::optional<double> python_lock;
};

/// Processor use, in cores; nullopt, here and below, if not measured.
struct CoreUse {
  std::optional<double> mean;
  std::optional<double> peak;
  /// Main threads that ran or waited for a processor: what it would have used on an idle host.
  std::optional<double> wanted;
};

struct GpuUse {
  std::optional<double> mean;                  ///< Utilisation of its GPUs, 0..1.
  std::optional<uint64_t> memory_peak_bytes;   ///< Of all its GPUs together.
  std::optional<uint64_t> memory_first_bytes;  ///< At the first look: mostly used by others.
  std::optional<uint64_t> memory_limit_bytes;  ///< What its GPUs have.
};

/// What an attempt used from its first step on. Loading its libraries and building its model keeps
/// one core busy and no GPU, which says nothing about its work.
struct UseAtWork {
  std::optional<double> cores;         ///< As CoreUse::mean.
  std::optional<double> cores_wanted;  ///< As CoreUse::wanted.
  std::optional<double> gpu;           ///< As GpuUse::mean.
};

/// All but `left_bytes` after the first step.
struct DiskUse {
  std::optional<double> waiting;  ///< The share of time in which its main thread waited, 0..1.
  /// Bytes per second that its processes read from disks, and wrote to them.
  std::optional<double> read_per_s;
  std::optional<double> written_per_s;
  std::optional<double> faults_major_per_s;  ///< Page faults that a disk had to answer.
  std::optional<uint64_t> left_bytes;        ///< Of the disk that it writes to, at the end.
};

/// What samples say about an attempt's use over its whole run.
struct AttemptUse {
  CoreUse cores;
  GpuUse gpu;
  UseAtWork at_work;
  std::optional<uint64_t> memory_peak_bytes;
  std::optional<Duration> step;  ///< The median time of a step.
  /// After the first step: the share of time in which its main thread waited for others, 0..1.
  std::optional<double> waiting;
  MainWaits waits;
  DiskUse disk;
  Hindrances hindrances;
  Growths growths;
};
using Uses = std::map<job::AttemptId, AttemptUse>;

/// What samples say about a host while the job had tasks there: the medians, in bytes per second.
struct HostUse {
  std::optional<double> written_per_s;  ///< To all of its disks, by anyone.
  std::optional<double> received_per_s;
  std::optional<double> sent_per_s;
  std::optional<double> network_per_s;  ///< What its network can carry each way.
  std::optional<double> swapped_in_per_s;
};
using HostUses = std::map<job::HostName, HostUse>;

/// What one role requested, compared with what it used.
struct RoleAccount {
  std::string name;
  uint32_t tasks = 0;
  uint32_t containers = 0;
  Duration granted{};
  ByClass classes{};
  job::Resources requested;                   ///< Per task.
  std::optional<uint64_t> memory_peak_bytes;  ///< The highest of all its tasks.
  std::string memory_peak_task;               ///< Whose it was: "worker:1".
  std::optional<double> cores_mean;           ///< Per task, the mean over its attempts.
  std::optional<double> gpu_mean;
  std::optional<uint64_t> gpu_memory_peak_bytes;   ///< The highest of all its tasks.
  std::optional<uint64_t> gpu_memory_limit_bytes;  ///< What that task's GPUs have.
};

struct Account {
  bool running = false;  ///< The job is running: this is its state at `until`.
  Time until{};
  Duration granted{};  ///< Container time: the sum over all containers.
  ByClass classes{};   ///< Their sum is `granted`.
  Duration queued{};   ///< Wall time in which the job had requests but held nothing.
  /// Container time counted as Repeated for lack of better knowledge: its attempt ended badly, and
  /// neither a checkpoint nor the steps of the next attempt show what was kept.
  Duration guessed{};
  uint32_t containers = 0;
  uint32_t given_back = 0;  ///< Containers that no role had a use for, among `containers`.
  StartsKnown starts;
  std::vector<RoleAccount> roles;  ///< In the plan's order.

  /// Productive / granted, 0..1; nullopt while nothing was granted.
  [[nodiscard]] std::optional<double> goodput() const;
};

}  // namespace muster::account
