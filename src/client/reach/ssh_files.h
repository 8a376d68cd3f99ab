#pragma once

#include "base/result.h"
#include "client/session.h"
#include "cluster/job_folder.h"

#include <filesystem>
#include <string>

namespace muster::client {

/// What OpenSSH needs for the tasks of one job: a key to log in with and a host key for the tasks'
/// hosts, made here and known to nobody else, in the job's folder (0700, files 0600).
struct SshFiles {
  explicit SshFiles(const cluster::JobFolder& folder) : root(folder.root() / "ssh") {}

  std::filesystem::path root;
  [[nodiscard]] std::filesystem::path key() const { return root / "id_ed25519"; }
  [[nodiscard]] std::filesystem::path host_key() const { return root / "host_ed25519"; }
  [[nodiscard]] std::filesystem::path known_hosts() const { return root / "known_hosts"; }
};

/// Makes what does not exist yet, with ssh-keygen. The host key is recorded under the job's id.
[[nodiscard]] Status make_ssh_files(Session& session, const cluster::JobFolder& folder);

/// Returns what the server in a task reads first (kSshServer). NotFound without make_ssh_files().
[[nodiscard]] Result<std::string> ssh_preamble(Session& session, const cluster::JobFolder& folder);

}  // namespace muster::client
