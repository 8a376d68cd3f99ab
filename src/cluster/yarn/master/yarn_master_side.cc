#include "cluster/yarn/master/yarn_master_side.h"

#include "cluster/logs_command.h"
#include "cluster/yarn/client/host_rooms.h"
#include "cluster/yarn/link/container_entry.h"
#include "cluster/yarn/link/yarn_link.h"
#include "cluster/yarn/master/host_addresses.h"
#include "cluster/yarn/master/page_access.h"
#include "hadoop/token_service.h"
#include "net/resolver.h"
#include "rt/run_to_end.h"

#include <charconv>
#include <chrono>
#include <vector>

namespace muster::cluster::yarn {
namespace {

constexpr Duration kGoodbyeMax = std::chrono::minutes(1);
constexpr int kLetYarnTryAgain = 1;

/// Returns the part of the container's credentials that the session needs: secrets stay here.
hadoop::Credentials tokens_of(const hadoop::Credentials& credentials) {
  hadoop::Credentials tokens;
  for (const hadoop::NamedToken& named : credentials.tokens()) {
    tokens.add(named.alias, named.token);
  }
  return tokens;
}

}  // namespace

Result<std::filesystem::path> YarnMasterSide::log_file() {
  MUSTER_TRY(const std::filesystem::path folder, log_folder(find_));
  return folder / "master.log";
}

Result<MasterOrder> YarnMasterSide::read_order(os::Files& files) {
  MUSTER_TRY(const std::string text, files.read(std::string(kPackageName)));
  MUSTER_TRY(package_, decode_package(text));
  MUSTER_TRY(eventlog::PlanFile plan, eventlog::parse_plan_file(package_.plan_file));
  MUSTER_TRY(credentials_, container_credentials(files, find_));
  // The job's tasks on this node are the same user's.
  MUSTER_TRY_STATUS(withhold_secrets(files, find_));
  const hadoop::Secret* const secret = credentials_.find_secret(kJobSecret);
  if (secret == nullptr) {
    return bug("the container's credentials do not have the job's secret");
  }
  return MasterOrder{.plan = std::move(plan), .secret_hex = secret->reveal()};
}

Status YarnMasterSide::open_stores() {
  MUSTER_TRY(Site site,
             load_sent_site(package_.configuration_xml, package_.user, tokens_of(credentials_)));
  MUSTER_TRY(session_, Session::open(deps_->loop, deps_->log, std::move(site),
                                     {.caller = "muster_" + package_.job_id, .patient = true}));
  MUSTER_TRY(segments_, rt::run_to_end(deps_->loop, HdfsSegmentStore::open(
                                                        &deps_->loop, &session_->files(),
                                                        Staging::events_folder(package_.folder))));
  place_.emplace(session_->files(), Staging::summary_file(package_.folder));
  samples_.emplace(deps_->loop, session_->files(), Staging::metrics_folder(package_.folder));
  hosts_.emplace(session_->files(), Staging::hosts_file(Staging::root_of(package_.folder)));
  return {};
}

Result<MasterPost> YarnMasterSide::open(const Deps& deps) {
  deps_.emplace(deps);
  MUSTER_TRY_STATUS(open_stores());
  MasterPost post{.segments = *segments_,
                  .place = *place_,
                  .samples = &*samples_,
                  .hosts = &*hosts_,
                  .secrets = {},
                  .listen_host = {},
                  .application_id = application_id(),
                  .logs_folder = logs_command(package_.job_id),
                  .page = {},
                  .access = nullptr,
                  .output = MasterPost::Output::Agents};
  for (const hadoop::NamedSecret& named : credentials_.secrets()) {
    if (named.alias.starts_with(kEntrySecret)) {
      post.secrets[named.alias.substr(kEntrySecret.size())] = named.secret.reveal();
    }
  }
  MUSTER_TRY(post.listen_host, own_address());
  MUSTER_TRY(const WebProxies proxies, web_proxies(session_->site().configuration));
  post.page = proxies.page_of(post.application_id);
  MUSTER_TRY(post.access, proxy_access(*session_, proxies,
                                       {.application_id = post.application_id,
                                        .owner = package_.user,
                                        .view_acl = deps.plan.spec.yarn.acl_view}));
  return post;
}

Result<std::string> YarnMasterSide::own_address() const {
  net::Resolver resolver(deps_->loop);
  MUSTER_TRY(const std::vector<std::string> literals,
             rt::run_to_end(deps_->loop, literals_of(&deps_->loop, &resolver,
                                                     find_("NM_HOST").value_or("localhost"))));
  return literals.front();
}

hadoop::yarn::NodeId YarnMasterSide::own_node() const {
  hadoop::yarn::NodeId node{.host = find_("NM_HOST").value_or(""), .port = 0};
  const std::string port = find_("NM_PORT").value_or("");
  (void)std::from_chars(port.data(), port.data() + port.size(), node.port);
  return node;
}

std::string YarnMasterSide::application_id() const {
  const std::string container = find_("CONTAINER_ID").value_or("");
  const auto id = hadoop::yarn::parse_container_id(container);
  return id.has_value() ? to_string(id->attempt.application) : std::string();
}

Result<std::unique_ptr<Link>> YarnMasterSide::open_link(const Deps& deps) {
  const hadoop::Token* const token = hadoop::find_am_rm_token(credentials_);
  if (token == nullptr) {
    return bug("the container's credentials have no application master token");
  }
  YarnLinkOptions options;
  options.plan = &deps.plan;
  options.files = package_.files;
  options.hosts = package_.hosts;
  take_off_master(options.hosts, own_node(), deps.plan.spec.master);
  options.master_token = *token;
  options.master_address = [this] { return place_->address(); };
  options.before_farewell = [this] { return write_the_end(); };
  options.dismissed = [quit = deps.quit] { quit(kLetYarnTryAgain); };
  options.left = [this] {
    end_.link_left = true;
    quit_if_over();
  };
  return std::unique_ptr<Link>(
      std::make_unique<YarnLink>(link_deps(*session_, deps.log), std::move(options)));
}

rt::Async<> YarnMasterSide::write_the_end() {
  const log::Logger log(deps_->log);
  const Status closed = co_await segments_->close();
  if (!closed.has_value()) {
    log.warning("segment.unclosed", {{"reason", closed.error().message}});
  }
  const Status written = co_await place_->write_kept();
  if (!written.has_value()) {
    log.error("summary.unwritten", {{"reason", written.error().message}});
  }
  // Nobody needs to be authenticated any more.
  (void)co_await session_->files().remove(Staging::secret_file(package_.folder), false);
}

bool YarnMasterSide::signalled(int) {
  if (deps_) {
    deps_->quit(kLetYarnTryAgain);
  }
  return false;
}

void YarnMasterSide::ended(bool fenced) {
  if (fenced) {
    deps_->quit(kLetYarnTryAgain);
    return;
  }
  end_.master_done = true;
  deps_->loop.call_after(kGoodbyeMax, [quit = deps_->quit] { quit(0); });
  quit_if_over();
}

void YarnMasterSide::quit_if_over() {
  if (end_.master_done && end_.link_left) {
    deps_->quit(0);
  }
}

}  // namespace muster::cluster::yarn
