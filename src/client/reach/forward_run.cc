#include "client/reach/forward_run.h"

#include "base/text.h"
#include "client/reach/job_streams.h"
#include "client/reach/loopback_listener.h"
#include "client/reach/reach_rules.h"
#include "client/reach/socks.h"
#include "client/reach/task_selection.h"
#include "client/reach/tunnels.h"
#include "client/show/failure.h"
#include "client/show/job_finder.h"
#include "eventlog/derive_plan.h"
#include "job/describe.h"
#include "os/host/limits.h"
#include "os/process/code_pages.h"
#include "os/process/signals.h"
#include "rt/io_loop.h"

#include <fmt/format.h>

#include <array>
#include <csignal>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace muster::client {
namespace {

constexpr std::array kForwardSignals = {SIGINT, SIGTERM, SIGHUP};
/// How long to look for a master that does not answer, if the cluster does not say that the job has
/// ended: as long as agents live without one.
constexpr Duration kMasterPatience = std::chrono::minutes(15);
/// A program that has connected should say at once where it wants to go.
constexpr Duration kSocksPatience = std::chrono::seconds(10);
constexpr size_t kStrangersTold = 10;

/// Forwards ports in the foreground.
class ForwardRun {
 public:
  ForwardRun(Session& session, cluster::JobFolder folder, ForwardPlan plan)
      : session_(session),
        plan_(std::move(plan)),
        streams_(session, std::move(folder), loop_),
        scope_(loop_) {}

  Result<int> run();

 private:
  Status listen();
  void on_welcome(const wire::ClientWelcome& welcome);
  Status learn(const wire::ClientWelcome& welcome);
  void begin();
  void on_broken();
  void on_lost(const std::string& why);
  void on_refused(const std::string& name, const wire::StreamReset& why);
  [[nodiscard]] LoopbackListener::Refused refusal();
  rt::Async<> serve_socks(std::unique_ptr<net::Stream> connection);
  void leave(int status);
  void say(std::string_view text);

  Session& session_;
  ForwardPlan plan_;
  rt::IoLoop loop_;
  std::unique_ptr<os::Signals> signals_;
  std::vector<std::unique_ptr<LoopbackListener>> listeners_;  ///< One for each of the plan's ports.
  std::optional<int> left_;                                   ///< The status.
  std::optional<job::TaskId> task_;  ///< Known once a master has said what the job is.
  std::string task_name_;
  std::string told_;              ///< Why tasks are waited for, as last printed.
  std::set<uint32_t> strangers_;  ///< Other users who tried to connect and were reported.
  JobStreams streams_;
  std::optional<Tunnels> tunnels_;
  rt::Scope scope_;  ///< Last: its coroutines use all of the above.
};

Status ForwardRun::listen() {
  if (plan_.socks) {
    MUSTER_TRY(auto listener, LoopbackListener::open(loop_, *plan_.socks));
    listeners_.push_back(std::move(listener));
    return {};
  }
  for (const ForwardPlan::Port& port : plan_.ports) {
    MUSTER_TRY(auto listener, LoopbackListener::open(loop_, port.local));
    listeners_.push_back(std::move(listener));
  }
  return {};
}

Result<int> ForwardRun::run() {
  MUSTER_TRY(signals_,
             os::take_signals(loop_, kForwardSignals, [this](int signal) { leave(128 + signal); }));
  os::ignore_broken_pipes();
  MUSTER_TRY_STATUS(listen());
  MUSTER_TRY_STATUS(streams_.start(
      {.patience = kMasterPatience, .reconnects = true, .by_master = plan_.by_master},
      {.opened = [this](const wire::ClientWelcome& welcome) { on_welcome(welcome); },
       .frame = [this](wire::StreamFrame frame) { tunnels_->take(std::move(frame)); },
       .lost = [this](const std::string& why) { on_lost(why); },
       .broken = [this](const std::string&) { on_broken(); }}));
  tunnels_.emplace(Tunnels::Deps{.loop = loop_, .streams = streams_.streams()},
                   Tunnels::Handlers{
                       .waits =
                           [this](const std::string& reason) {
                             if (std::exchange(told_, reason) != reason) {
                               say("waiting: " + reason);
                             }
                           },
                       .refused = [this](const std::string& name,
                                         const wire::StreamReset& why) { on_refused(name, why); }});
  const os::CodePages pages(loop_);
  loop_.run();
  return *left_;
}

void ForwardRun::on_welcome(const wire::ClientWelcome& welcome) {
  if (task_) {
    say("connected again");
  } else if (const Status learnt = learn(welcome); !learnt) {
    return leave(fail(session_.console, learnt.error()));
  } else {
    begin();
  }
  tunnels_->connected();
}

Status ForwardRun::learn(const wire::ClientWelcome& welcome) {
  MUSTER_TRY(const job::Plan plan,
             eventlog::derive_plan(welcome.plan_json, welcome.job_id, welcome.seed));
  if (plan_.task.empty()) {
    task_ = plan.chief.value_or(job::TaskId{job::RoleIndex(0), 0});
  } else {
    MUSTER_TRY(const std::vector<job::TaskId> tasks, tasks_of({plan_.task}, plan));
    if (tasks.size() > 1) {
      return user_error(fmt::format("{} has {}; name one, as in {}:0", plan_.task,
                                    job::count_of(tasks.size(), "task"), plan_.task));
    }
    task_ = tasks.front();
  }
  task_name_ = to_string(plan, *task_);
  // Every host of the job may run tasks of any role.
  return plan_.socks ? check_reach(session_, plan_.way, plan.spec)
                     : check_reach(session_, plan_.way, plan, std::span(&*task_, 1));
}

void ForwardRun::begin() {
  if (plan_.socks) {
    listeners_.front()->accept(
        [this](std::unique_ptr<net::Stream> connection) {
          scope_.spawn(serve_socks(std::move(connection)));
        },
        refusal());
    session_.console.out(fmt::format("127.0.0.1:{} is a SOCKS 5 proxy for the hosts of {}\n",
                                     listeners_.front()->port(), streams_.folder().id().value));
    return;
  }
  for (size_t i = 0; i < listeners_.size(); ++i) {
    const uint16_t port = plan_.ports[i].remote;
    listeners_[i]->accept(
        [this, port](std::unique_ptr<net::Stream> connection) {
          tunnels_->add(std::move(connection), {.name = task_name_,
                                                .open = {.attempt = {*task_, 0},
                                                         .wait = plan_.wait,
                                                         .request = wire::TcpRequest{port, ""},
                                                         .direct = true}});
        },
        refusal());
    session_.console.out(plan_.announce ? plan_.announce(listeners_[i]->port())
                                        : fmt::format("127.0.0.1:{} is port {} of {}\n",
                                                      listeners_[i]->port(), port, task_name_));
  }
}

rt::Async<> ForwardRun::serve_socks(std::unique_ptr<net::Stream> connection) {
  auto reading = read_socks_request(connection.get());
  auto place =
      co_await rt::with_deadline(loop_, loop_.now() + kSocksPatience,
                                 "a program to say where it connects to", std::move(reading));
  if (!place.has_value()) {
    say(fmt::format("SOCKS: {}", place.error().message));
    co_return;
  }
  wire::TcpRequest request{place->port, place->host};
  tunnels_->add(std::move(connection), {.name = place->host,
                                        .open = {.attempt = {*task_, 0},
                                                 .wait = plan_.wait,
                                                 .request = std::move(request),
                                                 .direct = true},
                                        .greeting = socks_granted(),
                                        .apology = socks_refused()});
}

void ForwardRun::on_broken() {
  tunnels_->broken();
  say("the connection to the master was lost; looking for it again");
}

void ForwardRun::on_lost(const std::string& why) {
  leave(fail(session_.console, cluster_error(why, Errc::Unavailable)));
}

void ForwardRun::on_refused(const std::string& name, const wire::StreamReset& why) {
  say(why.reason.starts_with(name) ? why.reason : fmt::format("{}: {}", name, why.reason));
  if (why.fault == wire::StreamFault::NotRunning && !plan_.socks) {
    leave(kCouldNotStart);
  }
}

LoopbackListener::Refused ForwardRun::refusal() {
  if (plan_.any_user) {
    return nullptr;
  }
  return [this](uint32_t user) {
    if (strangers_.size() < kStrangersTold && strangers_.insert(user).second) {
      say(fmt::format("another user of this machine (uid {}) tried to connect and was refused{}",
                      user,
                      plan_.way == spec::Reach::Forward ? "; --any-user lets everybody in" : ""));
    }
  };
}

void ForwardRun::leave(int status) {
  left_ = left_.value_or(status);
  loop_.stop();
}

void ForwardRun::say(std::string_view text) {
  session_.console.err(fmt::format("muster: {}\n", printable(text)));
}

}  // namespace

int forward_to_task(Session& session, const std::string& job, const std::string& on,
                    const ForwardPlan& plan) {
  os::raise_descriptor_limit();
  const Result<cluster::JobEntry> entry = find_running_entry(session, job, on);
  if (!entry) {
    return fail(session.console, entry.error());
  }
  const Result<int> status = ForwardRun(session, entry->folder, plan).run();
  return status ? *status : fail(session.console, status.error());
}

}  // namespace muster::client
