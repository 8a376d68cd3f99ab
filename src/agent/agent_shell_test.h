#pragma once

#include "agent/agent.h"
#include "agent/played_master_test.h"
#include "control/keys.h"
#include "net/tcp_dialer.h"
#include "os/file/local_files.h"
#include "os/process/process_tree.h"
#include "rt/io_loop.h"
#include "testing/recording_sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::agent {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

inline constexpr job::AttemptId kFirst{{job::RoleIndex{0}, 0}, 1};
inline constexpr job::AttemptId kSecond{{job::RoleIndex{0}, 0}, 2};

/// This host, as an agent finds it.
struct RealHost {
  explicit RealHost(rt::IoLoop& loop)
      : files(os::make_local_files(&loop)),
        processes(os::make_processes(loop)),
        dialer(loop),
        listeners(loop) {}
  RealHost(const RealHost&) = delete;
  RealHost& operator=(const RealHost&) = delete;

  std::unique_ptr<os::Files> files;
  std::unique_ptr<os::Processes> processes;
  std::unique_ptr<os::Ports> ports = os::make_ports();
  std::unique_ptr<os::Meter> meter = os::make_meter();
  ProcLeftovers leftovers{os::Pid{::getpid()}};
  net::TcpDialer dialer;
  net::UnixListeners listeners;
};

/// Goal: the agent's shell carries out what its machine decides, on real processes and files. The
/// master is played by the test, over a network in memory.
class AgentShell : public ::testing::Test {
 protected:
  AgentShell() : root_(make_root()) {
    spec_.name = "test";
    spec_.roles.resize(1);
    spec_.roles[0].name = "worker";
    spec_.roles[0].memory = 512ULL << 20;
    spec_.deadlines.stop = seconds(5);
  }
  ~AgentShell() override {
    end_children();
    agent_.reset();
    master_.go();
    fs::remove_all(root_);
  }

  /// Shells outlive their clients; whatever the loop keeps for one is freed only when the shell is
  /// reaped.
  void end_children() {
    std::ifstream children("/proc/thread-self/children");
    for (int pid = 0; children >> pid;) {
      ::kill(pid, SIGKILL);
    }
    loop_.run_until(loop_.now() + milliseconds(50));
  }

  static fs::path make_root() {
    char name[] = "/tmp/agent-test-XXXXXX";
    return ::mkdtemp(name);
  }

  void start() {
    master_.listen();
    AgentIdentity identity;
    identity.launch.order = {job::ContainerId{"c1"}, job::HostName{"h1"},
                             job::JobId{"test-1"},   job::Epoch{1},
                             master_.address(),      control::to_hex(master_.key())};
    identity.launch.job_folder = root_ / "test-1";
    identity.launch.listen_host = "127.0.0.1";
    identity.launch.orphan = orphan_;
    identity.inherited = {
        {"PATH", "/usr/bin:/bin"}, {"INHERITED", "yes"}, {"MUSTER_RANK", "outer"}};
    agent_ = std::make_unique<Agent>(AgentDeps{.loop = loop_,
                                               .transport = master_.to_master(),
                                               .files = *host_.files,
                                               .processes = *host_.processes,
                                               .ports = *host_.ports,
                                               .meter = *host_.meter,
                                               .leftovers = host_.leftovers,
                                               .log = sink_,
                                               .dialer = &host_.dialer,
                                               .listeners = &host_.listeners,
                                               .open_line_socket = open_line_socket_},
                                     std::move(identity), make_unpacker(),
                                     [this](std::string reason) { left_ = std::move(reason); });
    ASSERT_TRUE(agent_->start().has_value());
  }

  void send(const wire::MasterFrame& frame) { master_.send(frame); }

  void prepare(job::AttemptId attempt, bool restore = false) {
    ASSERT_TRUE(run_until([&] { return master_.has_agent(); }));
    job::PrepareAttempt order;
    order.attempt = attempt;
    order.restore = restore;
    order.container = job::ContainerId{"c1"};
    send(wire::AgentOrder{order});
  }

  /// Sends the view and the start of a joined attempt.
  void begin(job::AttemptId attempt, uint32_t generation = 1) {
    begin(attempt, wait_for_fact<job::AttemptJoined>(), generation);
  }
  void begin(job::AttemptId attempt, const job::AttemptJoined& joined, uint32_t generation = 1) {
    job::View view;
    view.generation = job::Generation{generation};
    view.members = {{.task = attempt.task,
                     .attempt = attempt.number,
                     .address = joined.address,
                     .host = job::HostName{"h1"},
                     .container = job::ContainerId{"c1"}}};
    send(wire::ViewPushed{view});
    send(wire::AgentOrder{
        job::StartAttempt{attempt, job::ContainerId{"c1"}, job::Generation{generation}}});
  }

  /// Starts the agent and its first attempt, and waits until the attempt has printed this.
  void run_first(const std::string& printed) {
    start();
    prepare(kFirst);
    begin(kFirst);
    (void)wait_for_fact<job::AttemptStarted>();
    ASSERT_TRUE(run_until([&] { return read("logs/worker-0.1.stdout") == printed; }));
  }

  template <class Condition>
  bool run_until(Condition done, Duration limit = seconds(20)) {
    const HostTime end = loop_.now() + limit;
    while (loop_.now() < end) {
      if (done()) {
        return true;
      }
      loop_.run_until(loop_.now() + milliseconds(20));
    }
    return false;
  }

  /// Waits for the next frame of one kind and removes what came before it.
  template <class Frame>
  Frame wait_for() {
    Frame found{};
    const bool came = run_until([&] {
      while (const std::optional<wire::AgentFrame> frame = master_.take_one()) {
        if (const auto* wanted = std::get_if<Frame>(&*frame)) {
          found = *wanted;
          return true;
        }
      }
      return false;
    });
    EXPECT_TRUE(came) << "no such frame came";
    return found;
  }

  template <class Fact>
  Fact wait_for_fact() {
    Fact found{};
    run_until([&] {
      const auto frame = wait_for<wire::AgentFact>();
      if (const auto* wanted = std::get_if<Fact>(&frame.fact)) {
        found = *wanted;
        return true;
      }
      return HasFailure();
    });
    return found;
  }

  /// Runs one attempt with `command` to its end.
  job::Exit run(const std::string& command) {
    spec_.command = command;
    start();
    prepare(kFirst);
    begin(kFirst);
    return wait_for_fact<job::AttemptEnded>().exit;
  }

  std::string read(const fs::path& path) const {
    std::ifstream file(root_ / "test-1" / path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  fs::path root_;
  cluster::JobFolder folder_{root_ / "test-1"};
  spec::Spec spec_;
  Duration orphan_ = seconds(60);
  rt::IoLoop loop_;
  PlayedMaster master_{loop_, spec_};
  RealHost host_{loop_};
  ::muster::testing::RecordingSink sink_;
  os::OpenLineSocket open_line_socket_;  ///< Empty: programs cannot report.
  std::string left_;
  std::unique_ptr<Agent> agent_;
};

}  // namespace muster::agent
