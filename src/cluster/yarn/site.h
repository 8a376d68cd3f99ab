#pragma once

#include "base/result.h"
#include "base/time.h"
#include "hadoop/configuration.h"
#include "hadoop/credentials.h"
#include "hadoop/rpc/options.h"
#include "os/files.h"

#include <filesystem>
#include <map>
#include <string>

namespace muster::cluster::yarn {

/// One Hadoop cluster as one user sees it: how it is configured, and who asks.
struct Site {
  hadoop::Configuration configuration;
  hadoop::rpc::Identity identity;
  hadoop::Credentials credentials;  ///< Of the user's token files; empty on most.
};

/// Where a Site is looked for.
struct SiteSource {
  std::filesystem::path conf;  ///< The folder that the site file names; empty: as Hadoop looks.
  std::map<std::string, std::string> environment;
  WallTime now{};
};

/// Reads the client's configuration and finds out who asks. Blocks. Errors are the
/// configuration's; Unsupported for a cluster that asks for Kerberos tickets.
[[nodiscard]] Result<Site> load_site(os::Files& files, const SiteSource& source);

/// The Site of a job's own master, from what its client sent along (Configuration::to_xml).
[[nodiscard]] Result<Site> load_sent_site(const std::string& configuration_xml, std::string user);

}  // namespace muster::cluster::yarn
