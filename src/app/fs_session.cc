#include "app/fs_session.h"

#include "app/failure.h"
#include "hadoop/conf_load.h"
#include "hadoop/hdfs/path.h"
#include "hadoop/krb5/exchanges.h"
#include "hadoop/login.h"
#include "hadoop/rpc_settings.h"
#include "hadoop/security_settings.h"
#include "hadoop/token_file.h"
#include "hadoop/token_identifier.h"
#include "os/identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <unistd.h>
#include <utility>

namespace muster::app {
namespace {

namespace hdfs = hadoop::hdfs;
namespace rpc = hadoop::rpc;

/// A person waits: a single NameNode that refuses is given up after so many tries.
constexpr int kTriesMax = 5;

Result<rpc::ClientOptions> client_options(const hadoop::Configuration& configuration) {
  MUSTER_TRY(const hadoop::RpcSettings settings, hadoop::rpc_settings(configuration));
  rpc::ClientOptions options;
  options.connection = rpc::connection_options(settings);
  options.retry = rpc::retry_options(settings);
  options.retry.attempts_max = std::min(kTriesMax, options.retry.attempts_max);
  options.caller_context = "muster_fs";
  return options;
}

/// Who acts. Where Kerberos is needed and there is no ticket, a delegation token's owner.
Result<hadoop::Login> log_in(const hadoop::Configuration& configuration,
                             const hadoop::SecuritySettings& security,
                             const hadoop::LoginDeps& deps,
                             const hadoop::Credentials& credentials) {
  Result<hadoop::Login> login = hadoop::who_am_i(configuration, security, deps);
  if (login.has_value() || login.error().code != Errc::Unauthenticated) {
    return login;
  }
  for (const hadoop::NamedToken& named : credentials.tokens()) {
    if (named.token.kind != hadoop::token_kind::kHdfs) {
      continue;
    }
    MUSTER_TRY(const hadoop::DelegationIdentifier identifier,
               hadoop::decode_delegation_identifier(named.token));
    hadoop::Login owner;
    owner.user = identifier.owner.substr(0, identifier.owner.find_first_of("/@"));
    return owner;
  }
  return login;
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
  MUSTER_TRY(hadoop::Credentials credentials,
             hadoop::load_credentials(*session.files, configuration));
  MUSTER_TRY(hadoop::Login who, log_in(configuration, security, login, credentials));
  std::unique_ptr<FsSession> made(new FsSession(session, options, std::move(configuration)));
  made->credentials_ = std::move(credentials);
  made->identity_ = {.user = std::move(who.user), .real_user = std::move(who.real_user)};
  if (security.authentication == hadoop::Authentication::Kerberos) {
    made->kerberos_ = hadoop::krb5::make_exchanges(
        made->loop_,
        {.program = hadoop::krb5::shipped_helper(), .environment = source.environment});
  }
  made->client_.emplace(rpc::ClientDeps{.loop = made->loop_,
                                        .random = made->random_,
                                        .dialer = made->dialer_,
                                        .log = made->log_,
                                        .kerberos = made->kerberos_.get()},
                        std::move(client));
  return made;
}

Result<hdfs::FileSystem*> FsSession::file_system(const std::string& authority) {
  auto& slot = systems_[authority];
  if (slot == nullptr) {
    const hdfs::FileSystem::Deps deps{.loop = loop_,
                                      .random = random_,
                                      .dialer = dialer_,
                                      .log = log_,
                                      .client = *client_,
                                      .on_wait = [this](std::string_view why) { wait_for(why); }};
    const hdfs::FileSystem::Login login{
        .authority = authority, .identity = identity_, .credentials = credentials_};
    MUSTER_TRY(slot, hdfs::FileSystem::open(deps, configuration_, login));
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

void FsSession::wait_for(std::string_view why) {
  session_.console.status(why.empty() ? std::string() : fmt::format("waiting: {}", why));
}

void FsSession::fail(const Error& error) {
  const int status = app::fail(session_.console, error);
  exit_status_ = exit_status_ == 0 ? status : exit_status_;
}

}  // namespace muster::app
