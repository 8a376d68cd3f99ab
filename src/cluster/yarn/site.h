#pragma once

#include "base/result.h"
#include "base/time.h"
#include "hadoop/configuration.h"
#include "hadoop/credentials.h"
#include "hadoop/rpc/options.h"
#include "os/file/files.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace muster::cluster::yarn {

/// One Hadoop cluster as one user sees it: its configuration, and who asks.
struct Site {
  hadoop::Configuration configuration;
  hadoop::rpc::Identity identity;
  hadoop::Credentials credentials;  ///< Of the user's token files, or of a container.
  /// The environment in which the Kerberos library finds the user's tickets; nothing if names or
  /// tokens suffice.
  std::optional<std::map<std::string, std::string>> tickets = std::nullopt;
};

/// Where to look for a Site.
struct SiteSource {
  std::filesystem::path conf;  ///< The folder named by the site file; empty: Hadoop's default.
  std::map<std::string, std::string> environment;
  WallTime now{};
};

/// Reads the client's configuration and finds out who asks. Blocks. Fails if the configuration is
/// wrong; Unauthenticated if the cluster requires Kerberos tickets and there are none.
[[nodiscard]] Result<Site> load_site(os::Files& files, const SiteSource& source);

/// The name of the client's configuration next to a container's process.
inline constexpr std::string_view kConfigurationName = ".muster-hadoop.xml";

/// Returns the Site of an agent: from what the client sent along if this is a container of YARN
/// (its folder is `container`), else as load_site() finds it. Blocks.
[[nodiscard]] Result<Site> load_agent_site(os::Files& files, const SiteSource& source,
                                           const std::filesystem::path& container);

/// Returns the Site of a job's own master, from what its client sent along (Configuration::to_xml),
/// with the tokens of its container.
[[nodiscard]] Result<Site> load_sent_site(const std::string& configuration_xml, std::string user,
                                          hadoop::Credentials credentials);

}  // namespace muster::cluster::yarn
