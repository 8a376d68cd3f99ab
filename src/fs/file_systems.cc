#include "fs/file_systems.h"

#include "hadoop/conf_load.h"
#include "hadoop/hdfs/names/path.h"
#include "hadoop/krb5/exchanges.h"
#include "hadoop/login.h"
#include "hadoop/rpc_settings.h"
#include "hadoop/security_settings.h"
#include "hadoop/token_file.h"
#include "hadoop/token_identifier.h"
#include "os/host/identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <unistd.h>
#include <utility>

namespace muster::fs {
namespace {

namespace hdfs = hadoop::hdfs;
namespace rpc = hadoop::rpc;

/// A person is waiting: a single NameNode that refuses is given up after this many tries.
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

/// Returns who acts. If Kerberos is needed and there is no ticket, the owner of a delegation token.
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

}  // namespace

FileSystems::FileSystems(Deps deps, hadoop::Configuration configuration)
    : on_wait_(std::move(deps.on_wait)), configuration_(std::move(configuration)), dialer_(loop_) {}

Result<std::unique_ptr<FileSystems>> FileSystems::open(Deps deps) {
  hadoop::ConfSource source;
  source.folder = deps.conf;
  source.environment = {deps.environment.begin(), deps.environment.end()};
  const std::string user = os::user_name(source.environment);
  source.properties["user.name"] = user;
  if (const auto home = deps.environment.find("HOME"); home != deps.environment.end()) {
    source.properties["user.home"] = home->second;
  }
  const hadoop::ReadFile read = [&files = deps.files](const std::filesystem::path& path) {
    return files.read(path);
  };
  MUSTER_TRY(hadoop::Configuration configuration, hadoop::load_configuration(source, read));
  MUSTER_TRY(rpc::ClientOptions client, client_options(configuration));
  MUSTER_TRY(const hadoop::SecuritySettings security, hadoop::security_settings(configuration));
  const hadoop::LoginDeps login{
      .files = deps.files, .uid = ::geteuid(), .now = deps.now, .system_user = user};
  MUSTER_TRY(hadoop::Credentials credentials, hadoop::load_credentials(deps.files, configuration));
  MUSTER_TRY(hadoop::Login who, log_in(configuration, security, login, credentials));
  std::unique_ptr<FileSystems> made(new FileSystems(std::move(deps), std::move(configuration)));
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

Result<hdfs::FileSystem*> FileSystems::of_authority(const std::string& authority) {
  auto& slot = systems_[authority];
  if (slot == nullptr) {
    const hdfs::FileSystem::Deps deps{.loop = loop_,
                                      .random = random_,
                                      .dialer = dialer_,
                                      .log = log_,
                                      .client = *client_,
                                      .on_wait = on_wait_};
    const hdfs::FileSystem::Login login{
        .authority = authority, .identity = identity_, .credentials = credentials_};
    MUSTER_TRY(slot, hdfs::FileSystem::open(deps, configuration_, login));
  }
  return slot.get();
}

Result<Place> FileSystems::place(std::string_view argument) {
  MUSTER_TRY(const hdfs::Location first, hdfs::parse_location(argument, "/"));
  MUSTER_TRY(hdfs::FileSystem* const fs, of_authority(first.authority));
  MUSTER_TRY(hdfs::Location location, hdfs::parse_location(argument, fs->home()));
  Place place;
  place.fs = fs;
  place.path = std::move(location.path);
  place.folder = location.folder;
  place.prefix = first.authority.empty() ? "" : "hdfs://" + first.authority;
  return place;
}

}  // namespace muster::fs
