#include "cluster/local/local_master_side.h"

#include "base/text.h"
#include "cluster/local/local_link.h"
#include "cluster/local/ready_line.h"

#include <csignal>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace muster::cluster::local {
namespace {

using Secrets = std::map<std::string, std::string>;

constexpr size_t kSecretMax = 4096;

/// Collects the values of secret entries from this process's own environment and files: both came
/// with it from the client, so that no secret is ever kept in the job's folder.
Status add_secrets(os::Files& files, const FindVariable& find, const std::string& prefix,
                   const spec::Environment& entries, Secrets& secrets) {
  for (const auto& [name, value] : entries) {
    if (value.source == spec::EnvValue::Source::FromEnv) {
      secrets[prefix + name] = find(value.text).value_or("");
    } else if (value.source == spec::EnvValue::Source::FromFile) {
      MUSTER_TRY(std::string text, files.read(value.text));
      while (text.ends_with('\n')) {
        text.pop_back();
      }
      secrets[prefix + name] = std::move(text);
    }
  }
  return {};
}

Result<Secrets> read_secrets(os::Files& files, const FindVariable& find, const spec::Spec& spec) {
  Secrets secrets;
  MUSTER_TRY_STATUS(add_secrets(files, find, "env.", spec.env, secrets));
  for (const spec::Role& role : spec.roles) {
    MUSTER_TRY_STATUS(add_secrets(files, find, "roles." + role.name + ".env.", role.env, secrets));
  }
  return secrets;
}

}  // namespace

LocalMasterSide::LocalMasterSide(Options options) : options_(std::move(options)) {
  for (const int fd : {options_.lock_fd, options_.ready_fd}) {
    if (fd >= 0) {
      ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
  }
}

Result<MasterOrder> LocalMasterSide::read_order(os::Files& files) {
  MUSTER_TRY(const std::string text, files.read(options_.folder.plan()));
  MUSTER_TRY(eventlog::PlanFile plan, eventlog::parse_plan_file(text));
  MUSTER_TRY(const std::string secret, files.read(options_.folder.secret(), kSecretMax));
  return MasterOrder{.plan = std::move(plan), .secret_hex = std::string(trim(secret))};
}

Result<MasterPost> LocalMasterSide::open(const Deps& deps) {
  quit_ = deps.quit;
  MUSTER_TRY(Secrets secrets, read_secrets(deps.files, options_.find, deps.plan.spec));
  segments_.emplace(&deps.loop, deps.files, options_.folder.events());
  place_.emplace(deps.files, options_.folder);
  samples_.emplace(deps.loop, deps.files, options_.folder.metrics());
  // The job's folder is $MUSTER_HOME/jobs/ID.
  hosts_.emplace(deps.loop, deps.files,
                 options_.folder.root().parent_path().parent_path() / kHostMemoryName);
  return MasterPost{.segments = *segments_,
                    .place = *place_,
                    .samples = &*samples_,
                    .hosts = &*hosts_,
                    .secrets = std::move(secrets),
                    .listen_host = {},
                    .application_id = {},
                    .logs_folder = options_.folder.logs().string(),
                    .page = {},
                    .access = nullptr,
                    .output = MasterPost::Output::Folder};
}

Result<std::unique_ptr<Link>> LocalMasterSide::open_link(const Deps& deps) {
  LocalLinkOptions link;
  link.plan = &deps.plan;
  link.folder = options_.folder;
  link.program = options_.program;
  return std::unique_ptr<Link>(
      std::make_unique<LocalLink>(deps.loop, deps.files, deps.log, std::move(link)));
}

void LocalMasterSide::report(const Result<std::string>& address) {
  if (options_.ready_fd >= 0) {
    const std::string line = address ? ready_line(*address) : error_line(address.error());
    (void)!::write(options_.ready_fd, line.data(), line.size());
    ::close(options_.ready_fd);
  }
}

bool LocalMasterSide::signalled(int signal) { return signal != SIGHUP; }

}  // namespace muster::cluster::local
