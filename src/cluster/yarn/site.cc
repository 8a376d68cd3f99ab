#include "cluster/yarn/site.h"

#include "hadoop/conf_load.h"
#include "hadoop/login.h"
#include "hadoop/security_settings.h"
#include "hadoop/token_file.h"
#include "os/host/identity.h"

#include <unistd.h>
#include <utility>

namespace muster::cluster::yarn {
namespace {

constexpr std::string_view kSentName = "core-site.xml";

}  // namespace

Result<Site> load_site(os::Files& files, const SiteSource& source) {
  const std::string user = os::user_name(source.environment);
  hadoop::ConfSource conf{.folder = source.conf, .environment = source.environment};
  conf.properties["user.name"] = user;
  if (const auto home = source.environment.find("HOME"); home != source.environment.end()) {
    conf.properties["user.home"] = home->second;
  }
  const hadoop::ReadFile read = [&files](const std::filesystem::path& path) {
    return files.read(path);
  };
  MUSTER_TRY(hadoop::Configuration configuration, hadoop::load_configuration(conf, read));
  MUSTER_TRY(const hadoop::SecuritySettings security, hadoop::security_settings(configuration));
  const hadoop::LoginDeps login{
      .files = files, .uid = ::geteuid(), .now = source.now, .system_user = user};
  MUSTER_TRY(hadoop::Login who, hadoop::who_am_i(configuration, security, login));
  MUSTER_TRY(hadoop::Credentials credentials, hadoop::load_credentials(files, configuration));
  Site site{.configuration = std::move(configuration),
            .identity = {.user = std::move(who.user), .real_user = std::move(who.real_user)},
            .credentials = std::move(credentials)};
  if (security.authentication == hadoop::Authentication::Kerberos) {
    site.tickets = source.environment;
  }
  return site;
}

Result<Site> load_agent_site(os::Files& files, const SiteSource& source,
                             const std::filesystem::path& container) {
  const std::filesystem::path sent = container / kConfigurationName;
  if (!files.exists(sent)) {
    return load_site(files, source);
  }
  MUSTER_TRY(const std::string configuration, files.read(sent));
  const auto user = source.environment.find("HADOOP_USER_NAME");
  const auto tokens = source.environment.find("HADOOP_TOKEN_FILE_LOCATION");
  if (user == source.environment.end() || tokens == source.environment.end()) {
    return bug("the container has the cluster's configuration, but no user or no credentials");
  }
  MUSTER_TRY(hadoop::Credentials credentials, hadoop::read_token_file(files, tokens->second));
  return load_sent_site(configuration, user->second, std::move(credentials));
}

Result<Site> load_sent_site(const std::string& configuration_xml, std::string user,
                            hadoop::Credentials credentials) {
  const std::filesystem::path folder = "/";
  const hadoop::ReadFile read = [&](const std::filesystem::path& path) -> Result<std::string> {
    if (path == folder / kSentName) {
      return configuration_xml;
    }
    return Error{Errc::NotFound, Blame::User, "no such file: " + path.string()};
  };
  MUSTER_TRY(
      hadoop::Configuration configuration,
      hadoop::load_configuration({.folder = folder, .environment = {}, .properties = {}}, read));
  return Site{.configuration = std::move(configuration),
              .identity = {.user = std::move(user), .real_user = {}},
              .credentials = std::move(credentials)};
}

}  // namespace muster::cluster::yarn
