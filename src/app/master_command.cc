#include "app/commands.h"
#include "app/failure.h"
#include "app/job_page.h"
#include "app/program.h"
#include "base/text.h"
#include "cluster/job_folder.h"
#include "cluster/local/local_link.h"
#include "cluster/local/ready_line.h"
#include "cluster/spark/spark_link.h"
#include "control/keys.h"
#include "control/tls_transport.h"
#include "eventlog/local_segment_store.h"
#include "eventlog/plan_file.h"
#include "master/folder_place_store.h"
#include "master/master.h"
#include "os/code_pages.h"
#include "os/file_sink.h"
#include "os/local_files.h"
#include "os/signals.h"
#include "rt/io_loop.h"
#include "spec/serialize.h"

#include <fmt/format.h>

#include <array>
#include <csignal>
#include <fcntl.h>
#include <optional>
#include <unistd.h>

namespace muster::app {
namespace {

using Secrets = std::map<std::string, std::string>;

/// Collects the values of secret entries from this process's own environment and files: both came
/// with it from the client, so that no secret is ever kept in the job's folder.
Status add_secrets(os::Files& files, const Environment& surroundings, const std::string& prefix,
                   const spec::Environment& entries, Secrets& secrets) {
  for (const auto& [name, value] : entries) {
    if (value.source == spec::EnvValue::Source::FromEnv) {
      secrets[prefix + name] = surroundings.find(value.text).value_or("");
    } else if (value.source == spec::EnvValue::Source::FromFile) {
      MUSTER_TRY(std::string text, files.read(value.text));
      while (text.ends_with('\n')) {
        text.pop_back();
      }
      secrets[prefix + name] = std::move(text);
    }
  }
  return {};
}

Result<Secrets> read_secrets(os::Files& files, const Environment& surroundings,
                             const spec::Spec& spec) {
  Secrets secrets;
  MUSTER_TRY_STATUS(add_secrets(files, surroundings, "env.", spec.env, secrets));
  for (const spec::Role& role : spec.roles) {
    MUSTER_TRY_STATUS(
        add_secrets(files, surroundings, "roles." + role.name + ".env.", role.env, secrets));
  }
  return secrets;
}

/// Everything a master's process is made of; members in the order in which they need each other.
class MasterProcess {
 public:
  explicit MasterProcess(cluster::JobFolder folder)
      : folder_(std::move(folder)), files_(os::make_local_files(&loop_)) {}

  /// Prepares and starts the master; its address is then known.
  Status start(const Environment& surroundings, const MasterCommand& command);
  [[nodiscard]] const std::string& address() const { return master_->address(); }
  void run() {
    const os::CodePages pages(loop_);
    loop_.run();
  }

 private:
  [[nodiscard]] std::unique_ptr<cluster::Link> make_link(const SparkOptions& spark);

  cluster::JobFolder folder_;
  rt::IoLoop loop_;
  std::unique_ptr<os::Files> files_;
  std::unique_ptr<log::Sink> sink_;
  job::Plan plan_;
  std::optional<JobPage> page_;
  std::unique_ptr<control::Transport> transport_;
  std::unique_ptr<cluster::Link> link_;
  std::optional<eventlog::LocalSegmentStore> segments_;
  std::optional<master::FolderPlaceStore> place_;
  std::unique_ptr<os::Signals> signals_;
  std::optional<master::Master> master_;
};

/// The line to whatever cluster the containers come from.
std::unique_ptr<cluster::Link> MasterProcess::make_link(const SparkOptions& spark) {
  if (spark.link_fd >= 0) {
    return std::make_unique<cluster::spark::SparkLink>(
        loop_, *sink_, cluster::spark::SparkLinkOptions{&plan_, rt::Fd(spark.link_fd)});
  }
  cluster::local::LocalLinkOptions link;
  link.plan = &plan_;
  link.folder = folder_;
  link.program = own_program();
  return std::make_unique<cluster::local::LocalLink>(loop_, *files_, *sink_, std::move(link));
}

Status MasterProcess::start(const Environment& surroundings, const MasterCommand& command) {
  const SparkOptions& spark = command.spark;
  constexpr std::array kSignals = {SIGTERM, SIGINT, SIGHUP};
  // Before anything that could make a thread: the signals are blocked in all of them.
  MUSTER_TRY(
      signals_, os::take_signals(loop_, kSignals, [this](int signal) {
        if (signal != SIGHUP && master_) {
          master_->stop(signal == SIGTERM ? "SIGTERM to the master" : "SIGINT to the master");
        }
      }));
  os::ignore_broken_pipes();
  MUSTER_TRY(sink_, os::open_file_sink(*files_, loop_, folder_.master_log()));
  MUSTER_TRY(const std::string text, files_->read(folder_.plan()));
  MUSTER_TRY(const eventlog::PlanFile plan_file, eventlog::parse_plan_file(text));
  MUSTER_TRY(plan_, plan_of()(plan_file.spec_json, plan_file.job_id, plan_file.seed));
  MUSTER_TRY(const std::string secret, files_->read(folder_.secret(), 4096));
  master::MasterOptions options;
  options.job = folder_.id();
  options.seed = plan_file.seed;
  options.plan_json = plan_file.spec_json;
  options.plan_of = plan_of();
  MUSTER_TRY(options.secret, control::parse_key(trim(secret)));
  MUSTER_TRY(options.secrets, read_secrets(*files_, surroundings, plan_.spec));
  if (plan_.spec.network.port_range) {
    options.listen.port_low = plan_.spec.network.port_range->low;
    options.listen.port_high = plan_.spec.network.port_range->high;
  }
  if (!spark.listen_host.empty()) {
    options.listen.host = spark.listen_host;
  }
  options.followed = command.followed;
  options.on = plan_file.on;
  options.logs_folder = folder_.logs().string();
  options.client_python = plan_file.python;
  options.version = kVersion;
  options.pid = static_cast<int32_t>(getpid());
  page_.emplace(loop_, options.secret, token_access(options.secret));
  if (spark.link_fd >= 0) {
    page_->keep_logs_in(*files_, folder_.logs(), {plan_.spec.logs.max, plan_.spec.logs.keep});
  } else {
    page_->read_logs_in(*files_, folder_.logs());
  }
  transport_ = control::make_tls_transport(
      loop_, log::Logger(*sink_), [this](rt::Fd socket) { page_->serve(std::move(socket)); });
  link_ = make_link(spark);
  segments_.emplace(&loop_, *files_, folder_.events());
  place_.emplace(*files_, folder_);
  master_.emplace(
      master::MasterDeps{loop_, *transport_, *link_, *segments_, *place_, *sink_, &*page_},
      std::move(options));
  page_->open(*master_);
  MUSTER_TRY_STATUS(master_->start([this](const master::MasterEnd&) { loop_.stop(); }));
  page_->started();
  return {};
}

void say(int fd, const std::string& line) {
  if (fd >= 0) {
    (void)!::write(fd, line.data(), line.size());
    ::close(fd);
  }
}

}  // namespace

int run_master(Session& session, const MasterCommand& command) {
  if (command.on == "yarn") {
    return run_yarn_master(session);
  }
  for (const int fd : {command.lock_fd, command.ready_fd, command.spark.link_fd}) {
    if (fd >= 0) {
      ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
  }
  auto process = std::make_unique<MasterProcess>(cluster::JobFolder(command.job_folder));
  if (const Status started = process->start(session.environment, command); !started) {
    say(command.ready_fd, cluster::local::error_line(started.error()));
    session.console.err("muster master: " + started.error().message + "\n");
    return exit_status_of(started.error());
  }
  say(command.ready_fd, cluster::local::ready_line(process->address()));
  process->run();
  return 0;
}

}  // namespace muster::app
