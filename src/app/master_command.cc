#include "app/clusters.h"
#include "app/commands.h"
#include "app/job_page.h"
#include "app/program.h"
#include "client/portal/token_access.h"
#include "client/show/failure.h"
#include "cluster/job_folder.h"
#include "control/keys.h"
#include "control/tls_transport.h"
#include "eventlog/derive_plan.h"
#include "master/master.h"
#include "master/watch/mlflow_tracker.h"
#include "master/watch/notice_sender.h"
#include "os/file/file_sink.h"
#include "os/file/local_files.h"
#include "os/host/interfaces.h"
#include "os/host/limits.h"
#include "os/process/code_pages.h"
#include "os/process/signals.h"
#include "os/process/spawn.h"
#include "rt/io_loop.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <map>
#include <optional>
#include <unistd.h>
#include <utility>

namespace muster::app {
namespace {

using cluster::MasterPost;
using cluster::MasterSide;

/// Returns "SIGTERM to the master" and the like.
std::string name_of(int signal) {
  return std::string(signal == SIGTERM  ? "SIGTERM"
                     : signal == SIGINT ? "SIGINT"
                                        : "SIGHUP") +
         " to the master";
}

/// Everything that a master's process consists of, on whatever cluster; members are in the order in
/// which they need each other.
class MasterProcess {
 public:
  explicit MasterProcess(std::unique_ptr<MasterSide> side)
      : files_(os::make_local_files(&loop_)), side_(std::move(side)) {}

  /// Prepares and starts the master, and reports to whoever is waiting for it.
  Status start(bool followed);
  /// Returns the exit status.
  int run();

 private:
  Status start_master(bool followed);
  Status take_signals();
  [[nodiscard]] Result<master::MasterOptions> options(cluster::MasterOrder order,
                                                      MasterPost& post) const;
  void make_page(const control::Secret& secret, MasterPost& post, const eventlog::PlanFile& asked);
  [[nodiscard]] std::unique_ptr<master::MlflowTracker> mlflow_tracker(
      const master::MasterOptions& made, const eventlog::PlanFile& asked);
  [[nodiscard]] std::unique_ptr<master::NoticeSender> notice_sender(
      const std::map<std::string, std::string>& secrets);
  void quit(int exit_status);

  rt::IoLoop loop_;
  std::unique_ptr<os::Files> files_;
  std::unique_ptr<log::Sink> sink_;
  job::Plan plan_;
  std::unique_ptr<MasterSide> side_;
  std::optional<JobPage> page_;
  std::unique_ptr<control::Transport> transport_;
  std::unique_ptr<cluster::Link> link_;
  std::unique_ptr<os::Signals> signals_;
  std::unique_ptr<master::NoticeSender> notices_;
  std::unique_ptr<master::MlflowTracker> tracker_;
  std::optional<master::Master> master_;
  std::optional<int> exit_status_;  ///< Set once the process is to end.
};

Status MasterProcess::start(bool followed) {
  Status started = start_master(followed);
  side_->report(started ? Result<std::string>(master_->address()) : started.error());
  return started;
}

Status MasterProcess::start_master(bool followed) {
  // Before anything that could start a thread: the signals are blocked in all of them.
  MUSTER_TRY_STATUS(take_signals());
  MUSTER_TRY(const std::filesystem::path log_file, side_->log_file());
  MUSTER_TRY(sink_, os::open_file_sink(*files_, loop_, log_file));
  MUSTER_TRY(cluster::MasterOrder order, side_->read_order(*files_));
  MUSTER_TRY(plan_,
             eventlog::derive_plan(order.plan.spec_json, order.plan.job_id, order.plan.seed));
  const MasterSide::Deps deps{.loop = loop_,
                              .files = *files_,
                              .log = *sink_,
                              .plan = plan_,
                              .quit = [this](int exit_status) { quit(exit_status); }};
  MUSTER_TRY(MasterPost post, side_->open(deps));
  const eventlog::PlanFile asked = order.plan;
  MUSTER_TRY(master::MasterOptions made, options(std::move(order), post));
  made.followed = followed;
  make_page(made.secret, post, asked);
  transport_ = control::make_tls_transport(
      loop_, log::Logger(*sink_), [this](rt::Fd socket) { page_->serve(std::move(socket)); });
  MUSTER_TRY(link_, side_->open_link(deps));
  notices_ = notice_sender(made.secrets);
  tracker_ = mlflow_tracker(made, asked);
  master_.emplace(
      master::MasterDeps{loop_, *transport_, *link_, post.segments, post.place, *sink_, &*page_,
                         &page_->tasks(), post.samples, post.hosts, notices_.get(), tracker_.get()},
      std::move(made));
  page_->open(*master_);
  MUSTER_TRY_STATUS(master_->start([this](const master::MasterEnd& end) {
    side_->ended(end.kind == master::MasterEnd::Kind::Fenced);
  }));
  page_->started();
  if (tracker_) {
    tracker_->start(*master_);
  }
  return {};
}

Status MasterProcess::take_signals() {
  constexpr std::array kSignals = {SIGTERM, SIGINT, SIGHUP};
  MUSTER_TRY(signals_, os::take_signals(loop_, kSignals, [this](int signal) {
               if (side_->signalled(signal) && master_) {
                 master_->stop({.by = name_of(signal)});
               }
             }));
  os::ignore_broken_pipes();
  return {};
}

Result<master::MasterOptions> MasterProcess::options(cluster::MasterOrder order,
                                                     MasterPost& post) const {
  master::MasterOptions options;
  options.job = job::JobId(std::move(order.plan.job_id));
  options.seed = order.plan.seed;
  options.plan_json = std::move(order.plan.spec_json);
  options.plan_of = eventlog::derive_plan;
  MUSTER_TRY(options.secret, control::parse_key(order.secret_hex));
  options.secrets = std::move(post.secrets);
  if (plan_.spec.runtime.key) {
    options.secrets[control::kTaskKeySecret] =
        control::to_hex(control::task_key_of(options.secret));
  }
  const spec::Network& network = plan_.spec.network;
  if (!network.interface.empty()) {
    MUSTER_TRY(options.listen.host, os::address_of_interface(network.interface));
  } else if (!post.listen_host.empty()) {
    options.listen.host = post.listen_host;
  }
  if (network.port_range) {
    options.listen.port_low = network.port_range->low;
    options.listen.port_high = network.port_range->high;
  }
  options.on = std::move(order.plan.on);
  options.application_id = post.application_id;
  options.logs_folder = post.logs_folder;
  options.page = post.page;
  options.client_python = std::move(order.plan.python);
  options.version = kVersion;
  options.pid = static_cast<int32_t>(getpid());
  return options;
}

void MasterProcess::make_page(const control::Secret& secret, MasterPost& post,
                              const eventlog::PlanFile& asked) {
  page_.emplace(loop_, secret, post.access ? std::move(post.access) : client::token_access(secret),
                asked);
  switch (post.output) {
    case MasterPost::Output::Folder:
      page_->read_logs_in(*files_, post.logs_folder);
      break;
    case MasterPost::Output::Agents:
      page_->read_logs_of_agents();
      break;
    case MasterPost::Output::AgentsKept:
      page_->keep_logs_in(*files_, post.logs_folder, {plan_.spec.logs.max, plan_.spec.logs.keep});
      break;
  }
}

std::unique_ptr<master::NoticeSender> MasterProcess::notice_sender(
    const std::map<std::string, std::string>& secrets) {
  master::NoticeSettings settings;
  settings.notify = plan_.spec.notify;
  if (const auto token = secrets.find("env." + settings.notify.token); token != secrets.end()) {
    settings.token = token->second;
  }
  settings.environment = os::own_environment();
  // The variables that a secret came from may still be there: programs need not see them.
  std::erase_if(settings.environment, [&](const auto& variable) {
    return std::ranges::any_of(secrets, [&](const auto& secret) {
      return !secret.second.empty() && variable.second == secret.second;
    });
  });
  settings.folder = std::filesystem::current_path();
  return master::make_notice_sender(loop_, std::move(settings));
}

// Configured by the variables of the job and, on the submitter's own machine, of this process.
std::unique_ptr<master::MlflowTracker> MasterProcess::mlflow_tracker(
    const master::MasterOptions& made, const eventlog::PlanFile& asked) {
  std::map<std::string, std::string> variables = os::own_environment();
  for (const auto& [name, value] : plan_.spec.env) {
    const auto secret = made.secrets.find("env." + name);
    variables[name] = secret == made.secrets.end() ? value.text : secret->second;
  }
  const log::Logger log(*sink_);
  auto settings = master::mlflow_settings(variables);
  if (!settings) {
    log.warning("mlflow.refused", {{"reason", settings.error().message}});
    return nullptr;
  }
  if (!settings->has_value()) {
    return nullptr;
  }
  return std::make_unique<master::MlflowTracker>(
      loop_, log, **std::move(settings),
      tracking::Context{.submitted = asked.submitted,
                        .user = asked.user,
                        .on = asked.on,
                        .application_id = made.application_id,
                        .secrets = made.secrets});
}

void MasterProcess::quit(int exit_status) {
  if (!exit_status_) {
    exit_status_ = exit_status;
  }
  loop_.stop();
}

int MasterProcess::run() {
  const os::CodePages pages(loop_);
  if (!exit_status_) {
    loop_.run();
  }
  return exit_status_.value_or(0);
}

/// Reports why there is no master.
int fail(client::Session& session, const Error& error) {
  session.console.err("muster master: " + error.message + "\n");
  return client::exit_status_of(error);
}

}  // namespace

int run_master(client::Session& session, const client::MasterCommand& command) {
  os::hide_from_own_user();  // Its environment has the secrets of all roles.
  os::raise_descriptor_limit();
  Result<std::unique_ptr<MasterSide>> side = make_master_side(session.environment, command);
  if (!side) {
    return fail(session, side.error());
  }
  auto process = std::make_unique<MasterProcess>(*std::move(side));
  if (const Status started = process->start(command.followed); !started) {
    return fail(session, started.error());
  }
  return process->run();
}

}  // namespace muster::app
