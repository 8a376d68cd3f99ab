#pragma once

#include "cluster/folder_sample_store.h"
#include "eventlog/reader.h"
#include "master/master.h"
#include "testing/fake_link.h"
#include "testing/fake_loop.h"
#include "testing/memory_files.h"
#include "testing/memory_segment_store.h"
#include "testing/memory_transport.h"
#include "testing/recording_sink.h"
#include "testing/scripted_agent.h"
#include "testing/scripted_client.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

/// The master's shell with the real machine, log and codec, on virtual time; agents and clients are
/// scripted. For the tests of this module.
namespace muster::master {

using control::Peer;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// A gang of two workers, on one host, with one task in each container.
[[nodiscard]] Result<job::Plan> two_workers(const std::string& plan_json, const std::string& job,
                                            uint64_t seed);

/// The same, except that each depends on the other.
[[nodiscard]] Result<job::Plan> coupled_workers(const std::string& plan_json,
                                                const std::string& job, uint64_t seed);

class KeptPlace final : public cluster::PlaceStore {
 public:
  Status publish(const cluster::MasterPlaceFile& file) override {
    place = file;
    return {};
  }
  Status write_summary(const std::string& text) override {
    summary = text;
    return {};
  }
  Status keep_room() override {
    room = true;
    return {};
  }
  void free_room() override { room = false; }
  bool room = false;
  std::optional<cluster::MasterPlaceFile> place;
  std::string summary;
};

/// Where else a job is reported besides its clients, in tests that check that.
struct Beside {
  NoticeSender* notices = nullptr;
  cluster::SampleStore* samples = nullptr;  ///< Instead of files in memory.
  cluster::HostMemory* hosts = nullptr;
  Tracker* tracker = nullptr;
};

/// One master's process: everything that dies with it.
struct Process {
  Process(rt::Loop& loop, testing::MemoryNetwork& network, testing::MemoryDisk& disk,
          testing::MemoryFiles& files, KeptPlace& place, testing::RecordingSink& sink,
          std::string process_name, bool followed, Audience* audience,
          eventlog::PlanOf plan_of = two_workers, const Beside& beside = {})
      : name(std::move(process_name)),
        transport(network, name),
        store(loop, disk),
        link(loop),
        samples(loop, files, "/metrics"),
        master({loop, transport, link, store, place, sink, audience, nullptr,
                beside.samples == nullptr ? &samples : beside.samples, beside.hosts, beside.notices,
                beside.tracker},
               {.job = job::JobId("pair-1"),
                .seed = 7,
                .plan_json = "{}",
                .plan_of = std::move(plan_of),
                .logs_folder = "logs",
                .version = "test",
                .followed = followed}) {}

  Status start() {
    return master.start([this](const MasterEnd& how) { end = how; });
  }

  std::string name;
  testing::MemoryTransport transport;
  testing::MemorySegmentStore store;
  testing::FakeLink link;
  cluster::FolderSampleStore samples;
  std::optional<MasterEnd> end;
  Master master;
};

struct MasterWorld : ::testing::Test {
  MasterWorld() : first(make("m1")) {}

  std::unique_ptr<Process> make(const std::string& name, bool followed = false,
                                Audience* audience = nullptr,
                                eventlog::PlanOf plan_of = two_workers, const Beside& beside = {}) {
    auto process = std::make_unique<Process>(loop, network, disk, files, place, sink, name,
                                             followed, audience, std::move(plan_of), beside);
    process->link.grants = {job::HostName("h1")};
    process->link.next_container = next_container;
    next_container += 100;
    process->link.on_launch = [this](const cluster::LaunchOrder& order) {
      if (!agents.contains(order.container)) {
        agents[order.container] = std::make_unique<testing::ScriptedAgent>(loop, network, order);
      }
    };
    return process;
  }
  /// Starts the first master and waits until both workers run.
  void run() {
    ASSERT_TRUE(first->start().has_value());
    ASSERT_TRUE(loop.run_until([this] { return running(first->master) == 2; }, seconds(10)));
  }
  static int running(const Master& master) {
    int count = 0;
    for (const job::Task& task : master.machine().state().tasks[0]) {
      count += !task.attempts.empty() && task.attempts.back().state == job::AttemptState::Running;
    }
    return count;
  }
  static job::AttemptId worker(uint32_t index, uint32_t attempt = 1) {
    return {{job::RoleIndex(0), index}, attempt};
  }
  testing::ScriptedAgent& agent_of(const Master& master, uint32_t index) {
    return *agents.at(master.machine().state().tasks[0][index].attempts.back().container);
  }
  void succeed(const Master& master, uint32_t index) {
    agent_of(master, index).end(worker(index), {.exit_code = 0});
  }
  std::unique_ptr<testing::ScriptedClient> client(const Process& process, Peer::Kind kind,
                                                  const wire::ClientHello& hello = {
                                                      .who = "alice",
                                                      .follow_facts = true,
                                                      .follow_output = true}) {
    auto made = std::make_unique<testing::ScriptedClient>(
        network, "client" + std::to_string(++clients), process.master.address(), control::Secret{},
        kind, hello);
    loop.run_ready();
    return made;
  }
  /// The process dies: its connections break, and what it had not yet written is lost.
  void kill(std::unique_ptr<Process>& process) {
    process->store.crash();
    process.reset();
    loop.run_ready();
  }

  testing::FakeLoop loop;
  testing::MemoryNetwork network{loop};
  testing::MemoryDisk disk;
  testing::MemoryTree tree;
  testing::MemoryFiles files{tree};
  KeptPlace place;
  testing::RecordingSink sink;
  std::map<job::ContainerId, std::unique_ptr<testing::ScriptedAgent>> agents;
  int clients = 0;
  uint32_t next_container = 1;
  std::unique_ptr<Process> first;
};

}  // namespace muster::master
