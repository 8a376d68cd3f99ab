#include "client/reach/ssh_files.h"

#include "client/show/failure.h"
#include "os/process/command.h"

#include <fmt/format.h>

#include <utility>

namespace muster::client {
namespace {

constexpr Duration kKeygenPatience = std::chrono::seconds(30);

std::filesystem::path public_half(const std::filesystem::path& key) {
  return std::filesystem::path(key.string() + ".pub");
}

Status make_key(Session& session, const std::filesystem::path& key, const std::string& comment) {
  if (session.files->exists(key) && session.files->exists(public_half(key))) {
    return {};
  }
  (void)session.files->remove(key);  // Half a pair is useless, and ssh-keygen would ask about it.
  os::SpawnOptions options;
  options.argv = {"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", key.string()};
  options.env = session.process_environment();
  const Result<os::CommandOutput> made = os::run_command(std::move(options), kKeygenPatience);
  if (!made) {
    return made.error().code == Errc::NotFound
               ? Error{Errc::NotFound, Blame::User,
                       "there is no ssh-keygen on this machine: install OpenSSH's client "
                       "(openssh-client)"}
               : made.error();
  }
  if (made->exit.code != 0) {
    return user_error(fmt::format("ssh-keygen could not make {}", key.string()));
  }
  return {};
}

}  // namespace

Status make_ssh_files(Session& session, const cluster::JobFolder& folder) {
  const SshFiles ssh(folder);
  const std::string& job = folder.id().value;
  MUSTER_TRY_STATUS(session.files->make_folders(ssh.root, 0700));
  MUSTER_TRY_STATUS(make_key(session, ssh.key(), "muster " + job));
  MUSTER_TRY_STATUS(make_key(session, ssh.host_key(), "tasks of " + job));
  MUSTER_TRY(const std::string host, session.files->read(public_half(ssh.host_key())));
  return session.files->write(ssh.known_hosts(), job + " " + host, {.mode = 0600});
}

Result<std::string> ssh_preamble(Session& session, const cluster::JobFolder& folder) {
  const SshFiles ssh(folder);
  MUSTER_TRY(const std::string host, session.files->read(ssh.host_key()));
  MUSTER_TRY(const std::string own, session.files->read(public_half(ssh.key())));
  return host + (host.ends_with('\n') ? "" : "\n") + ".\n" + own;
}

}  // namespace muster::client
