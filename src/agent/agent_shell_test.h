#pragma once

#include "agent/agent.h"
#include "control/keys.h"
#include "net/tcp_dialer.h"
#include "os/local_files.h"
#include "os/process_tree.h"
#include "rt/io_loop.h"
#include "spec/write/serialize.h"
#include "testing/memory_transport.h"
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

/// Goal: the agent's shell does on real processes and files what its machine decides. The master is
/// played by the test, over a network in memory.
class AgentShell : public ::testing::Test {
 protected:
  AgentShell() : root_(make_root()) {
    for (uint8_t& byte : key_) {
      byte = 7;
    }
    spec_.name = "test";
    spec_.roles.resize(1);
    spec_.roles[0].name = "worker";
    spec_.roles[0].memory = 512ULL << 20;
    spec_.deadlines.stop = seconds(5);
  }
  ~AgentShell() override {
    end_children();
    agent_.reset();
    master_channel_.reset();
    listener_.reset();
    fs::remove_all(root_);
  }

  /// Shells outlive their clients, and what the loop keeps of one goes when it is reaped.
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
    listener_ =
        master_transport_
            .listen(
                {}, [this](const control::Peer&) -> Result<control::Key> { return key_; },
                [this](std::unique_ptr<control::Channel> channel) { adopt(std::move(channel)); })
            .value();
    AgentIdentity identity;
    identity.launch.order = {job::ContainerId{"c1"}, job::HostName{"h1"},  job::JobId{"test-1"},
                             job::Epoch{1},          listener_->address(), control::to_hex(key_)};
    identity.launch.job_folder = root_ / "test-1";
    identity.launch.listen_host = "127.0.0.1";
    identity.launch.orphan = orphan_;
    identity.inherited = {
        {"PATH", "/usr/bin:/bin"}, {"INHERITED", "yes"}, {"MUSTER_RANK", "outer"}};
    agent_ = std::make_unique<Agent>(AgentDeps{loop_,
                                               agent_transport_,
                                               *files_,
                                               *processes_,
                                               *ports_,
                                               *meter_,
                                               leftovers_,
                                               sink_,
                                               nullptr,
                                               nullptr,
                                               {},
                                               &dialer_,
                                               &listeners_},
                                     std::move(identity), make_unpacker(),
                                     [this](std::string reason) { left_ = std::move(reason); });
    ASSERT_TRUE(agent_->start().has_value());
  }

  void adopt(std::unique_ptr<control::Channel> channel) {
    master_channel_ = std::move(channel);
    master_channel_->start({.frame =
                                [this](std::string_view bytes) {
                                  frames_.push_back(wire::decode_agent_frame(bytes).value());
                                  if (std::holds_alternative<wire::AgentHello>(frames_.back()) &&
                                      welcomes_) {
                                    welcome();
                                  }
                                },
                            .closed = [](const Error&) {}});
  }

  void send(const wire::MasterFrame& frame) { master_channel_->send(wire::encode(frame)); }

  void welcome() {
    welcomed_ = true;
    wire::MasterWelcome frame;
    frame.epoch = job::Epoch{1};
    frame.job_id = "test-1";
    frame.seed = 5;
    frame.plan_json = spec::to_json(spec_);
    frame.secrets = {{"env.TOKEN", "s3cret"}};
    frame.master_address = listener_->address();
    send(frame);
  }

  void prepare(job::AttemptId attempt, bool restore = false) {
    ASSERT_TRUE(run_until([&] { return master_channel_ != nullptr && welcomed_; }));
    job::PrepareAttempt order;
    order.attempt = attempt;
    order.restore = restore;
    order.container = job::ContainerId{"c1"};
    send(wire::AgentOrder{order});
  }

  /// Sends the view and the start of a joined attempt.
  void begin(job::AttemptId attempt, uint32_t generation = 1) {
    job::View view;
    view.generation = job::Generation{generation};
    view.members = {{.task = attempt.task,
                     .attempt = attempt.number,
                     .address = wait_for_fact<job::AttemptJoined>().address,
                     .host = job::HostName{"h1"},
                     .container = job::ContainerId{"c1"}}};
    send(wire::ViewPushed{view});
    send(wire::AgentOrder{
        job::StartAttempt{attempt, job::ContainerId{"c1"}, job::Generation{generation}}});
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

  /// Waits for the next frame of a kind and removes what came before it.
  template <class Frame>
  Frame wait_for() {
    Frame found{};
    const bool came = run_until([&] {
      while (!frames_.empty()) {
        const wire::AgentFrame frame = std::move(frames_.front());
        frames_.erase(frames_.begin());
        if (const auto* wanted = std::get_if<Frame>(&frame)) {
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

  /// Runs one attempt of `command` to its end.
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
  bool welcomes_ = true;
  bool welcomed_ = false;
  control::Key key_{};
  rt::IoLoop loop_;
  ::muster::testing::MemoryNetwork network_{loop_};
  ::muster::testing::MemoryTransport master_transport_{network_, "master"};
  ::muster::testing::MemoryTransport agent_transport_{network_, "agent"};
  std::unique_ptr<os::Files> files_ = os::make_local_files(&loop_);
  std::unique_ptr<os::Processes> processes_ = os::make_processes(loop_);
  std::unique_ptr<os::Ports> ports_ = os::make_ports();
  std::unique_ptr<os::Meter> meter_ = os::make_meter();
  ProcLeftovers leftovers_{os::Pid{::getpid()}};
  ::muster::testing::RecordingSink sink_;
  net::TcpDialer dialer_{loop_};
  net::UnixListeners listeners_{loop_};
  std::unique_ptr<control::Listener> listener_;
  std::unique_ptr<control::Channel> master_channel_;
  std::vector<wire::AgentFrame> frames_;
  std::string left_;
  std::unique_ptr<Agent> agent_;
};

}  // namespace muster::agent
