// What a master costs with many agents: the time from the first dial until all run and have the
// view of all, its memory then, and its processor time while they beat. The real master on the real
// transport, with encryption and its log on disk; the cluster grants at once, and the agents run in
// a process of their own.

#include "master/master.h"

#include "bench_agents.h"
#include "cluster/folder_place_store.h"
#include "cluster/job_folder.h"
#include "control/tls_transport.h"
#include "eventlog/local_segment_store.h"
#include "os/file/local_files.h"
#include "os/host/limits.h"
#include "rt/io_loop.h"
#include "testing/fake_link.h"

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>

namespace muster::bench {
namespace {

using namespace std::chrono_literals;

double resident_mib() {
  size_t size = 0;
  size_t resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return static_cast<double>(resident * static_cast<size_t>(::sysconf(_SC_PAGESIZE))) / (1 << 20);
}

double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

job::Plan workers(uint32_t count) {
  job::Plan plan;
  plan.job = job::JobId("bench-1");
  plan.seed = 1;
  plan.name = "bench";
  plan.roles.push_back({.name = "worker", .tasks = count, .tasks_min = count});
  return plan;
}

/// A folder that goes with its owner.
struct Scratch {
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "muster-bench-XXXXXX").string();
    path = ::mkdtemp(name.data());
    std::filesystem::create_directory(path / "events");
  }
  ~Scratch() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

/// A master's process, but for its cluster.
struct Office {
  explicit Office(uint32_t tasks)
      : folder(scratch.path),
        files(os::make_local_files(&loop)),
        transport(control::make_tls_transport(loop, log::Logger(sink))),
        segments(&loop, *files, folder.events()),
        place(*files, folder),
        link(loop),
        master({loop, *transport, link, segments, place, sink}, options(tasks)) {
    link.grants = {job::HostName("h1")};
  }

  static master::MasterOptions options(uint32_t tasks) {
    master::MasterOptions options;
    options.job = job::JobId("bench-1");
    options.seed = 1;
    options.plan_json = "{}";
    options.plan_of = [tasks](const std::string&, const std::string&, uint64_t) {
      return workers(tasks);
    };
    options.version = "bench";
    return options;
  }

  [[nodiscard]] size_t running() const {
    size_t count = 0;
    for (const job::Task& task : master.machine().state().tasks[0]) {
      count += !task.attempts.empty() && task.attempts.back().state == job::AttemptState::Running;
    }
    return count;
  }

  /// Runs the loop until `done`, looking every 5 ms; false after `at_most`.
  bool run_until(const std::function<bool()>& done, Duration at_most) {
    const HostTime end = loop.now() + at_most;
    while (!done() && loop.now() < end) {
      loop.run_until(loop.now() + 5ms);
    }
    return done();
  }

  Scratch scratch;
  cluster::JobFolder folder;
  rt::IoLoop loop;
  log::NullSink sink;
  std::unique_ptr<os::Files> files;
  std::unique_ptr<control::Transport> transport;
  eventlog::LocalSegmentStore segments;
  cluster::FolderPlaceStore place;
  testing::FakeLink link;
  master::Master master;
};

void MasterWithAgents(benchmark::State& state) {
  const auto count = static_cast<uint32_t>(state.range(0));
  os::raise_descriptor_limit();
  for (auto _ : state) {
    AgentsProcess agents(count, control::Secret{});
    Office office(count);
    if (const Status started = office.master.start([](const master::MasterEnd&) {}); !started) {
      state.SkipWithError(started.error().message.c_str());
      return;
    }
    if (!office.run_until([&] { return office.link.launches.size() == count; }, 60s)) {
      state.SkipWithError("not all agents were launched");
      return;
    }
    const HostTime dialled = office.loop.now();
    agents.dial(office.master.address());
    if (!office.run_until([&] { return office.running() == count; }, 60s)) {
      state.SkipWithError("not all tasks run");
      return;
    }
    state.SetIterationTime(std::chrono::duration<double>(office.loop.now() - dialled).count());
    // The dust settles, then a while of nothing but beats.
    office.loop.run_until(office.loop.now() + 1s);
    constexpr double kSeconds = 4;
    const double before = processor_seconds();
    office.loop.run_until(office.loop.now() + 4s);
    state.counters["core_percent"] = 100 * (processor_seconds() - before) / kSeconds;
    state.counters["resident_mib"] = resident_mib();
  }
}
BENCHMARK(MasterWithAgents)
    ->Arg(1)
    ->Arg(100)
    ->Arg(1000)
    ->Arg(4000)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace muster::bench
