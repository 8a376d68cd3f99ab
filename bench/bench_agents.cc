#include "bench_agents.h"

#include "base/log.h"
#include "control/tls_transport.h"
#include "os/host/limits.h"
#include "rt/io_loop.h"
#include "wire/frame.h"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string_view>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace muster::bench {
namespace {

using namespace std::chrono_literals;

/// Every other frame is smaller than the view of a thousand agents.
constexpr size_t kViewBytesMin = 32U << 10;

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "bench agents: %s\n", why.c_str());
  ::_exit(1);
}

/// One agent on the loop of all.
class Agent {
 public:
  Agent(rt::Loop& loop, job::ContainerId container)
      : loop_(loop), container_(std::move(container)) {}

  void adopt(std::unique_ptr<control::Channel> channel) {
    channel_ = std::move(channel);
    channel_->start({.frame = [this](std::string_view bytes) { on_frame(bytes); },
                     .closed = [](const Error&) {}});
    wire::AgentHello hello;
    hello.report.container = container_;
    hello.report.address = "127.0.0.1:9";
    hello.report.epoch = job::Epoch(1);
    hello.version = "bench";
    hello.fresh = true;
    send(hello);
    loop_.call_after(1s, [this] { beat(); });
  }

 private:
  void send(const wire::AgentFrame& frame) { channel_->send(wire::encode(frame)); }

  void beat() {
    send(wire::Beat{++beats_, {}});
    loop_.call_after(1s, [this] { beat(); });
  }

  void on_frame(std::string_view bytes) {
    // On a cluster every host reads its own copy of a view; one core would read them all here.
    if (bytes.size() > kViewBytesMin) {
      return;
    }
    const Result<wire::MasterFrame> frame = wire::decode_master_frame(bytes);
    if (!frame) {
      fail(frame.error().message);
    }
    const auto* order = std::get_if<wire::AgentOrder>(&*frame);
    if (order == nullptr) {
      return;
    }
    if (const auto* prepare = std::get_if<job::PrepareAttempt>(&order->action)) {
      send(wire::AgentFact{job::AttemptJoined{prepare->attempt, {"127.0.0.1", 4000, {}}}});
    } else if (const auto* start = std::get_if<job::StartAttempt>(&order->action)) {
      send(wire::AgentFact{job::AttemptStarted{start->attempt, 1}});
    }
  }

  rt::Loop& loop_;
  job::ContainerId container_;
  std::unique_ptr<control::Channel> channel_;
  uint64_t beats_ = 0;
};

std::string read_line(int fd) {
  std::string line;
  char byte = 0;
  while (::read(fd, &byte, 1) == 1 && byte != '\n') {
    line += byte;
  }
  return line;
}

[[noreturn]] void run_agents(size_t count, const control::Secret& secret, int told) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  os::raise_descriptor_limit();
  const std::string master = read_line(told);
  if (master.empty()) {
    ::_exit(0);
  }
  rt::IoLoop loop;
  log::NullSink sink;
  const auto transport = control::make_tls_transport(loop, log::Logger(sink));
  std::vector<std::unique_ptr<Agent>> agents;
  size_t next = 0;
  // So many at a time: a real gang does not come in one microsecond either.
  std::function<void()> dial_one = [&] {
    if (next == count) {
      return;
    }
    const job::ContainerId container(fmt::format("c{}", ++next));
    const control::Peer self{.kind = control::Peer::Kind::Agent, .container = container};
    transport->dial(master, self, derive_key(secret, self), 60s,
                    [&, container](Result<std::unique_ptr<control::Channel>> dialled) {
                      if (!dialled) {
                        fail(dialled.error().message);
                      }
                      agents.push_back(std::make_unique<Agent>(loop, container));
                      agents.back()->adopt(std::move(*dialled));
                      dial_one();
                    });
  };
  for (int open = 0; open < 128; ++open) {
    dial_one();
  }
  loop.run();
  ::_exit(0);
}

}  // namespace

AgentsProcess::AgentsProcess(size_t count, const control::Secret& secret) {
  int ends[2];
  if (::pipe(ends) != 0) {
    fail("no pipe");
  }
  child_ = ::fork();
  if (child_ == 0) {
    ::close(ends[1]);
    run_agents(count, secret, ends[0]);
  }
  ::close(ends[0]);
  tell_ = ends[1];
}

AgentsProcess::~AgentsProcess() {
  ::close(tell_);
  ::kill(child_, SIGKILL);
  ::waitpid(child_, nullptr, 0);
}

void AgentsProcess::dial(const std::string& master) {
  const std::string line = master + "\n";
  if (::write(tell_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    fail("its process is gone");
  }
}

}  // namespace muster::bench
