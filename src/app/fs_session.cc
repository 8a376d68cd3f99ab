#include "app/fs_session.h"

#include "app/failure.h"
#include "hadoop/conf_load.h"
#include "hadoop/hdfs/path.h"
#include "hadoop/hdfs_settings.h"
#include "hadoop/login.h"
#include "hadoop/rpc_settings.h"
#include "hadoop/security_settings.h"
#include "hadoop/token_file.h"
#include "os/identity.h"

#include <algorithm>
#include <unistd.h>
#include <utility>

namespace muster::app {
namespace {

namespace hdfs = hadoop::hdfs;
namespace rpc = hadoop::rpc;

/// A person waits: without a name service a NameNode that refuses is given up after so many tries.
constexpr int kSingleServerTriesMax = 5;

Result<rpc::ClientOptions> client_options(const hadoop::Configuration& configuration) {
  MUSTER_TRY(const hadoop::RpcSettings settings, hadoop::rpc_settings(configuration));
  MUSTER_TRY(const hadoop::HdfsSettings hdfs, hadoop::hdfs_settings(configuration));
  rpc::ClientOptions options;
  options.connection.connect_timeout = settings.connect_timeout;
  options.connection.call_timeout = settings.call_timeout;
  options.connection.ping_interval = settings.ping ? settings.ping_interval : Duration::zero();
  options.connection.request_bytes_max = settings.request_bytes_max;
  options.connection.response_bytes_max = settings.response_bytes_max;
  options.retry.attempts_max = std::min(kSingleServerTriesMax, settings.connect_retries_max + 1);
  options.retry.pause_first = hdfs.failover_delay;
  options.retry.pause_max = std::min<Duration>(hdfs.failover_delay_max, std::chrono::seconds(5));
  options.caller_context = "muster_fs";
  return options;
}

std::map<std::string, std::string> environment_of(const Session& session) {
  std::map<std::string, std::string> variables;
  for (const auto& [name, value] : session.environment.all()) {
    variables.emplace(name, value);
  }
  return variables;
}

}  // namespace

FsSession::FsSession(Session& session, const FsOptions& options,
                     hadoop::Configuration configuration)
    : session_(session),
      options_(options),
      configuration_(std::move(configuration)),
      dialer_(loop_) {}

Result<std::unique_ptr<FsSession>> FsSession::open(Session& session, const FsOptions& options) {
  hadoop::ConfSource source;
  source.folder = options.conf;
  source.environment = environment_of(session);
  const std::string user = os::user_name(source.environment);
  source.properties["user.name"] = user;
  if (const auto home = session.environment.find("HOME")) {
    source.properties["user.home"] = *home;
  }
  const hadoop::ReadFile read = [&session](const std::filesystem::path& path) {
    return session.files->read(path);
  };
  MUSTER_TRY(hadoop::Configuration configuration, hadoop::load_configuration(source, read));
  MUSTER_TRY(rpc::ClientOptions client, client_options(configuration));
  MUSTER_TRY(const hadoop::SecuritySettings security, hadoop::security_settings(configuration));
  const hadoop::LoginDeps login{
      .files = *session.files, .uid = ::geteuid(), .now = session.now(), .system_user = user};
  MUSTER_TRY(hadoop::Login who, hadoop::who_am_i(configuration, security, login));
  std::unique_ptr<FsSession> made(new FsSession(session, options, std::move(configuration)));
  MUSTER_TRY(made->credentials_, hadoop::load_credentials(*session.files, made->configuration_));
  made->identity_ = {.user = std::move(who.user), .real_user = std::move(who.real_user)};
  made->client_.emplace(
      rpc::ClientDeps{
          .loop = made->loop_, .random = made->random_, .dialer = made->dialer_, .log = made->log_},
      std::move(client));
  return made;
}

Result<hdfs::FileSystem*> FsSession::file_system(const std::string& authority) {
  auto& slot = systems_[authority];
  if (slot == nullptr) {
    const hdfs::FileSystem::Deps deps{
        .loop = loop_, .random = random_, .dialer = dialer_, .log = log_, .client = *client_};
    hdfs::FileSystem::Login login{
        .authority = authority, .identity = identity_, .credentials = credentials_};
    MUSTER_TRY(slot, hdfs::FileSystem::open(deps, configuration_, std::move(login)));
  }
  return slot.get();
}

Result<FsPlace> FsSession::place(std::string_view word) {
  MUSTER_TRY(const hdfs::Location first, hdfs::parse_location(word, "/"));
  MUSTER_TRY(hdfs::FileSystem* const fs, file_system(first.authority));
  MUSTER_TRY(hdfs::Location location, hdfs::parse_location(word, fs->home()));
  FsPlace place;
  place.fs = fs;
  place.path = std::move(location.path);
  place.folder = location.folder;
  place.prefix = first.authority.empty() ? "" : "hdfs://" + first.authority;
  return place;
}

void FsSession::fail(const Error& error) {
  const int status = app::fail(session_.console, error);
  exit_status_ = exit_status_ == 0 ? status : exit_status_;
}

}  // namespace muster::app
