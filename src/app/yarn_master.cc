#include "app/commands.h"
#include "app/failure.h"
#include "app/job_page.h"
#include "app/yarn_page.h"
#include "base/text.h"
#include "cluster/logs_command.h"
#include "cluster/yarn/container_entry.h"
#include "cluster/yarn/hdfs_segment_store.h"
#include "cluster/yarn/hdfs_summary.h"
#include "cluster/yarn/session.h"
#include "cluster/yarn/staging.h"
#include "cluster/yarn/yarn_link.h"
#include "control/keys.h"
#include "control/tls_transport.h"
#include "eventlog/plan_file.h"
#include "hadoop/token_service.h"
#include "master/master.h"
#include "net/resolver.h"
#include "os/code_pages.h"
#include "os/file_sink.h"
#include "os/local_files.h"
#include "os/signals.h"
#include "rt/io_loop.h"
#include "rt/run_to_end.h"

#include <array>
#include <csignal>
#include <optional>
#include <unistd.h>

namespace muster::app {
namespace {

namespace yarn = cluster::yarn;

constexpr Duration kGoodbyeMax = std::chrono::minutes(1);
constexpr int kLetYarnTryAgain = 1;

/// What the session needs of the container's credentials: secrets stay here.
hadoop::Credentials tokens_of(const hadoop::Credentials& credentials) {
  hadoop::Credentials tokens;
  for (const hadoop::NamedToken& named : credentials.tokens()) {
    tokens.add(named.alias, named.token);
  }
  return tokens;
}

/// Where clients find this master is what it registers with; the summary goes into HDFS.
class YarnPlace final : public master::PlaceStore {
 public:
  explicit YarnPlace(yarn::HdfsSummary& summary) : summary_(summary) {}

  [[nodiscard]] const std::string& address() const { return address_; }
  Status publish(const cluster::MasterPlaceFile& place) override {
    address_ = place.address;
    return {};
  }
  Status write_summary(const std::string& text) override {
    summary_.set(text);
    return {};
  }
  Status keep_room() override { return {}; }
  void free_room() override {}

 private:
  yarn::HdfsSummary& summary_;
  std::string address_;
};

/// Everything that an application master is made of; members in the order in which they need each
/// other.
class YarnMaster {
 public:
  explicit YarnMaster(yarn::FindVariable find)
      : find_(std::move(find)), files_(os::make_local_files(&loop_)) {}

  Status start();
  /// Returns the exit status.
  int run();

 private:
  template <class T>
  T wait(rt::Async<T> work) {
    return rt::run_to_end(loop_, std::move(work));
  }
  Status open_session();
  Status open_link();
  Result<master::MasterOptions> options();
  Result<std::string> own_address();
  rt::Async<> write_the_end();
  void check_over();

  yarn::FindVariable find_;
  rt::IoLoop loop_;
  std::unique_ptr<os::Files> files_;
  std::unique_ptr<log::Sink> sink_;
  std::unique_ptr<os::Signals> signals_;
  yarn::JobPackage package_;
  hadoop::Credentials credentials_;
  eventlog::PlanFile plan_file_;
  job::Plan plan_;
  std::unique_ptr<yarn::Session> session_;
  std::unique_ptr<yarn::HdfsSegmentStore> segments_;
  std::optional<yarn::HdfsSummary> summary_;
  std::optional<YarnPlace> place_;
  yarn::WebProxies proxies_;
  std::optional<JobPage> page_;
  std::unique_ptr<control::Transport> transport_;
  std::unique_ptr<yarn::YarnLink> link_;
  std::optional<master::Master> master_;
  bool ended_ = false;
  bool left_ = false;
  int exit_status_ = 0;
};

Status YarnMaster::open_session() {
  MUSTER_TRY(const std::string text, files_->read(std::string(yarn::kPackageName)));
  MUSTER_TRY(package_, yarn::decode_package(text));
  MUSTER_TRY(plan_file_, eventlog::parse_plan_file(package_.plan_file));
  MUSTER_TRY(plan_, plan_of()(plan_file_.spec_json, plan_file_.job_id, plan_file_.seed));
  MUSTER_TRY(credentials_, yarn::container_credentials(*files_, find_));
  MUSTER_TRY(yarn::Site site, yarn::load_sent_site(package_.configuration_xml, package_.user,
                                                   tokens_of(credentials_)));
  MUSTER_TRY(session_,
             yarn::Session::open(loop_, *sink_, std::move(site),
                                 {.caller = "muster_" + package_.job_id, .patient = true}));
  MUSTER_TRY(proxies_, yarn::web_proxies(session_->site().configuration));
  return {};
}

Status YarnMaster::open_link() {
  const hadoop::Token* const token = hadoop::find_am_rm_token(credentials_);
  if (token == nullptr) {
    return bug("the container's credentials hold no token of an application master");
  }
  yarn::YarnLinkOptions options;
  options.plan = &plan_;
  options.files = package_.files;
  options.master_token = *token;
  options.master_address = [this] { return place_->address(); };
  options.before_farewell = [this] { return write_the_end(); };
  options.dismissed = [this] {
    exit_status_ = kLetYarnTryAgain;
    loop_.stop();
  };
  options.left = [this] {
    left_ = true;
    check_over();
  };
  link_ = std::make_unique<yarn::YarnLink>(*session_, *sink_, std::move(options));
  return {};
}

Result<std::string> YarnMaster::own_address() {
  using Addresses = Result<std::vector<net::SocketAddress>>;
  const std::string host = find_("NM_HOST").value_or("localhost");
  net::Resolver resolver(loop_);
  std::optional<Addresses> addresses;
  resolver.resolve(host, 1, [&](Addresses found) {
    addresses.emplace(std::move(found));
    loop_.stop();
  });
  loop_.run();
  if (!addresses->has_value()) {
    return std::move(*addresses).error();
  }
  return net::literal_of((*addresses)->front());
}

Result<master::MasterOptions> YarnMaster::options() {
  const hadoop::Secret* const secret = credentials_.find_secret(yarn::kJobSecret);
  if (secret == nullptr) {
    return bug("the container's credentials hold no secret of the job");
  }
  master::MasterOptions options;
  options.job = job::JobId(package_.job_id);
  options.seed = plan_file_.seed;
  options.plan_json = plan_file_.spec_json;
  options.plan_of = plan_of();
  MUSTER_TRY(options.secret, control::parse_key(secret->reveal()));
  for (const hadoop::NamedSecret& named : credentials_.secrets()) {
    if (named.alias.starts_with(yarn::kEntrySecret)) {
      options.secrets[named.alias.substr(yarn::kEntrySecret.size())] = named.secret.reveal();
    }
  }
  MUSTER_TRY(options.listen.host, own_address());
  if (plan_.spec.network.port_range) {
    options.listen.port_low = plan_.spec.network.port_range->low;
    options.listen.port_high = plan_.spec.network.port_range->high;
  }
  options.on = plan_file_.on;
  const std::string container = find_("CONTAINER_ID").value_or("");
  if (const auto id = hadoop::yarn::parse_container_id(container); id.has_value()) {
    options.application_id = to_string(id->attempt.application);
  }
  options.logs_folder = cluster::logs_command(package_.job_id);
  options.client_python = plan_file_.python;
  options.version = kVersion;
  options.pid = static_cast<int32_t>(getpid());
  return options;
}

Status YarnMaster::start() {
  constexpr std::array kSignals = {SIGTERM, SIGINT, SIGHUP};
  // Before anything that could make a thread: the signals are blocked in all of them. The cluster
  // ends masters by SIGTERM too, and another takes over: nobody asked the job to stop.
  MUSTER_TRY(signals_, os::take_signals(loop_, kSignals, [this](int) {
               exit_status_ = kLetYarnTryAgain;
               loop_.stop();
             }));
  os::ignore_broken_pipes();
  MUSTER_TRY(const std::filesystem::path logs, yarn::log_folder(find_));
  MUSTER_TRY(sink_, os::open_file_sink(*files_, loop_, logs / "master.log"));
  MUSTER_TRY_STATUS(open_session());
  MUSTER_TRY(segments_,
             wait(yarn::HdfsSegmentStore::open(&loop_, &session_->files(),
                                               yarn::Staging::events_folder(package_.folder))));
  summary_.emplace(session_->files(), yarn::Staging::summary_file(package_.folder));
  place_.emplace(*summary_);
  MUSTER_TRY(master::MasterOptions made, options());
  made.page = proxies_.page_of(made.application_id);
  MUSTER_TRY(std::unique_ptr<page::Access> access,
             proxy_access(*session_, proxies_,
                          {.application_id = made.application_id,
                           .owner = package_.user,
                           .view_acl = plan_.spec.yarn.acl_view}));
  page_.emplace(loop_, made.secret, std::move(access));
  page_->read_logs_of_agents();
  transport_ = control::make_tls_transport(
      loop_, log::Logger(*sink_), [this](rt::Fd socket) { page_->serve(std::move(socket)); });
  MUSTER_TRY_STATUS(open_link());
  master_.emplace(
      master::MasterDeps{loop_, *transport_, *link_, *segments_, *place_, *sink_, &*page_},
      std::move(made));
  page_->open(*master_);
  return master_->start([this](const master::MasterEnd& end) {
    ended_ = true;
    if (end.kind == master::MasterEnd::Kind::Fenced) {
      exit_status_ = kLetYarnTryAgain;
      left_ = true;
    }
    loop_.call_after(kGoodbyeMax, [this] { loop_.stop(); });
    check_over();
  });
}

rt::Async<> YarnMaster::write_the_end() {
  const log::Logger log(*sink_);
  const Status closed = co_await segments_->close();
  if (!closed.has_value()) {
    log.warning("segment.unclosed", {{"reason", closed.error().message}});
  }
  const Status written = co_await summary_->write();
  if (!written.has_value()) {
    log.error("summary.unwritten", {{"reason", written.error().message}});
  }
  // Nobody needs to be let in any more.
  (void)co_await session_->files().remove(yarn::Staging::secret_file(package_.folder), false);
}

void YarnMaster::check_over() {
  if (ended_ && left_) {
    loop_.stop();
  }
}

int YarnMaster::run() {
  const os::CodePages pages(loop_);
  loop_.run();
  return exit_status_;
}

}  // namespace

int run_yarn_master(Session& session) {
  auto process = std::make_unique<YarnMaster>(
      [&session](std::string_view name) { return session.environment.find(name); });
  if (const Status started = process->start(); !started) {
    session.console.err("muster master: " + started.error().message + "\n");
    return exit_status_of(started.error());
  }
  return process->run();
}

}  // namespace muster::app
