#include "app/job_finder.h"

#include "app/application_end.h"
#include "base/text.h"
#include "client/job_source.h"
#include "eventlog/summary.h"
#include "spec/layers.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace muster::app {
namespace {

namespace yarn = cluster::yarn;

/// The values that all layers but a job's own give.
Result<spec::Loaded> load_defaults(Session& session) {
  client::JobSource source;
  source.quick.command = {"true"};
  MUSTER_TRY(const spec::Layers layers,
             client::read_layers(*session.files, source, session.surroundings()));
  return spec::load(layers);
}

bool is_configured(const Session& session) {
  constexpr std::array kVariables = {"HADOOP_CONF_DIR", "YARN_CONF_DIR", "HADOOP_HOME"};
  for (const char* name : kVariables) {
    if (const auto value = session.environment.find(name); value && !value->empty()) {
      return true;
    }
  }
  return false;
}

/// The name of the cluster to look at; "" for none.
Result<std::string> chosen_name(const Session& session, const std::string& on,
                                const std::map<std::string, spec::ClusterEntry>& clusters) {
  if (on == "local") {
    return std::string();
  }
  if (!on.empty()) {
    const auto entry = clusters.find(on);
    const bool is_yarn =
        entry == clusters.end() ? on == "yarn" : entry->second.type == spec::ClusterType::Yarn;
    return is_yarn ? Result<std::string>(on)
                   : user_error(fmt::format("--on {}: there is no such YARN cluster; known are "
                                            "yarn and those of the site file",
                                            printable(on)));
  }
  if (is_configured(session)) {
    return std::string("yarn");
  }
  for (const auto& [name, entry] : clusters) {
    if (entry.type == spec::ClusterType::Yarn) {
      return name;
    }
  }
  return std::string();
}

/// The job of this host with that application's id.
std::optional<client::JobEntry> find_application(Session& session, const std::string& id) {
  const Result<std::vector<client::JobEntry>> entries = session.home.jobs();
  for (const client::JobEntry& entry : entries ? *entries : std::vector<client::JobEntry>()) {
    if (application_id_of(session, entry.folder) == id) {
      return entry;
    }
  }
  return std::nullopt;
}

/// A job that its cluster ended, and whose master wrote nothing more.
Status close_from_outside(Session& session, const client::JobEntry& entry,
                          const job::Outcome& outcome) {
  MUSTER_TRY(client::JobReading reading, client::read_job_folder(*session.files, entry, plan_of()));
  const job::State closed =
      eventlog::closed_state(reading.state(), outcome, reading.replayed.last_at);
  reading.application_id = application_id_of(session, entry.folder);
  const eventlog::StatusContext context = client::status_context(entry, reading);
  return session.files->write(
      entry.folder.summary(),
      eventlog::summary_json(reading.replayed.machine.plan(), closed, context), {.mode = 0600});
}

}  // namespace

RemoteJobs::RemoteJobs(Session& session, std::string name, std::string conf)
    : session_(session),
      name_(std::move(name)),
      conf_(std::move(conf)),
      client_(session, name_, conf_) {}

Status RemoteJobs::find_root(const spec::Spec& defaults) {
  MUSTER_TRY(root_, client_.cluster().staging_root(defaults));
  directory_.emplace(client_.cluster(), *session_.files, root_);
  return {};
}

Result<std::unique_ptr<RemoteJobs>> RemoteJobs::open(Session& session, const std::string& on) {
  const Result<spec::Loaded> loaded = load_defaults(session);
  if (!loaded && on.empty()) {
    // Whoever named no cluster hears of the files' mistakes when they are needed.
    return std::unique_ptr<RemoteJobs>();
  }
  MUSTER_TRY(const spec::Loaded defaults, loaded);
  MUSTER_TRY(const std::string name, chosen_name(session, on, defaults.clusters));
  if (name.empty()) {
    return std::unique_ptr<RemoteJobs>();
  }
  const auto entry = defaults.clusters.find(name);
  std::unique_ptr<RemoteJobs> jobs(new RemoteJobs(
      session, name, entry == defaults.clusters.end() ? std::string() : entry->second.conf));
  MUSTER_TRY_STATUS(jobs->find_root(defaults.spec));
  return jobs;
}

Result<client::JobEntry> RemoteJobs::bring(const yarn::KnownJob& job) {
  MUSTER_TRY(const std::filesystem::path folder,
             directory_->adopt(job, session_.home.jobs_folder(), conf_));
  return session_.home.find(folder.filename().string());
}

Result<client::JobEntry> RemoteJobs::bring(const std::string& id) {
  MUSTER_TRY(const yarn::KnownJob job, directory_->find(id));
  return bring(job);
}

Result<client::JobEntry> find_entry(Session& session, const std::string& id,
                                    const std::string& on) {
  Result<client::JobEntry> here = session.home.find(id);
  if (here && (on.empty() || on == "local" || id != "last")) {
    return here;
  }
  if (!here && here.error().code != Errc::NotFound) {
    return here;
  }
  if (id.starts_with("application_")) {
    if (std::optional<client::JobEntry> entry = find_application(session, id)) {
      return *std::move(entry);
    }
  }
  MUSTER_TRY(const std::unique_ptr<RemoteJobs> jobs, RemoteJobs::open(session, on));
  return jobs == nullptr ? here : jobs->bring(id);
}

Status bring_up_to_date(Session& session, client::JobEntry& entry) {
  if (entry.ended || !is_on_yarn(session, entry.folder)) {
    return {};
  }
  const auto yarn = yarn_client_of(session, entry.folder);
  const Result<cluster::MasterPlace> place = yarn->cluster().locate(entry.folder.root());
  if (place || place.error().code == Errc::Unavailable) {
    const Status brought = yarn->cluster().bring_log(entry.folder.root());
    return brought || brought.error().code == Errc::NotFound ? Status() : brought;
  }
  if (place.error().code != Errc::NotFound) {
    return place.error();
  }
  const Status home = yarn->cluster().bring_home(entry.folder.root());
  if (!home && home.error().code != Errc::NotFound) {
    return home;
  }
  if (!home) {
    (void)yarn->cluster().bring_log(entry.folder.root());
    MUSTER_TRY_STATUS(close_from_outside(
        session, entry, ask_outcome(yarn->cluster(), entry.folder.root(), place.error().message)));
    // So that other hosts need not find it out; without it they do.
    (void)yarn->cluster().publish_summary(entry.folder.root());
  }
  entry.ended = true;
  return {};
}

Result<FoundJob> find_job(Session& session, const std::string& id, const std::string& on) {
  MUSTER_TRY(client::JobEntry entry, find_entry(session, id, on));
  MUSTER_TRY_STATUS(bring_up_to_date(session, entry));
  MUSTER_TRY(client::JobReading reading, client::read_job_folder(*session.files, entry, plan_of()));
  reading.application_id = application_id_of(session, entry.folder);
  return FoundJob{std::move(entry), std::move(reading)};
}

}  // namespace muster::app
