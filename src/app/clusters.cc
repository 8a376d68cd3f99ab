#include "app/clusters.h"

#include "app/program.h"
#include "base/text.h"
#include "client/submit/job_source.h"
#include "cluster/job_reading.h"
#include "cluster/local/local_cluster.h"           // lint: allow(seam) makes them
#include "cluster/local/local_master_side.h"       // lint: allow(seam) makes them
#include "cluster/local/local_master_starter.h"    // lint: allow(seam) makes them
#include "cluster/local/master_launcher.h"         // lint: allow(seam) makes them
#include "cluster/spark/spark_cluster.h"           // lint: allow(seam) makes them
#include "cluster/spark/spark_master_side.h"       // lint: allow(seam) makes them
#include "cluster/yarn/client/yarn_cluster.h"      // lint: allow(seam) makes them
#include "cluster/yarn/link/container_entry.h"     // lint: allow(seam) makes them
#include "cluster/yarn/master/yarn_master_side.h"  // lint: allow(seam) makes them
#include "eventlog/derive_plan.h"
#include "eventlog/plan_file.h"
#include "os/file/local_files.h"
#include "spec/read/layers.h"
#include "stores/hdfs_checkpoints.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace muster::app {
namespace {

using client::Session;
using cluster::Cluster;
using cluster::FindVariable;
using cluster::JobFolder;
using cluster::MasterSide;

/// One cluster of a kind: what distinguishes it from others of that kind.
struct Choice {
  std::string name;  ///< The user's name for it.
  std::string conf;  ///< The folder of its configuration; empty: the default places are searched.
  std::string proxy_user;  ///< On whose behalf; empty: the user's own.
  auto operator<=>(const Choice&) const = default;
};

class Factory;

/// A kind of cluster. A new one is a row in kKinds.
struct ClusterKind {
  std::string_view name;   ///< That of its default cluster.
  spec::ClusterType type;  ///< The site file's name for it.
  bool offered;            ///< Completion and messages name it, `muster doctor` examines it.
  std::unique_ptr<Cluster> (Factory::*make)(const Choice&);
  /// Returns whether it runs that job. The first row that does wins.
  bool (*owns)(const eventlog::PlanFile& plan, const cluster::Application& application);
  /// Returns whether the environment says that there is one.
  bool (*configured)(const client::Environment& environment);
  /// Makes what a master process needs from it.
  std::unique_ptr<MasterSide> (*make_master_side)(const client::Environment& environment,
                                                  const client::MasterCommand& command);
  /// Reads what a keeper finds if this kind starts keepers itself; nullptr if it does not.
  Result<cluster::ContainerEntry> (*enter_container)(os::Files& files, const FindVariable& find,
                                                     const std::filesystem::path& folder);
};

bool names_hadoop(const client::Environment& environment) {
  constexpr std::array kVariables = {"HADOOP_CONF_DIR", "YARN_CONF_DIR", "HADOOP_HOME"};
  return std::ranges::any_of(kVariables, [&](const char* name) {
    const auto value = environment.find(name);
    return value && !value->empty();
  });
}
bool never(const client::Environment&) { return false; }

FindVariable variables_of(const client::Environment& environment) {
  return [&environment](std::string_view name) { return environment.find(name); };
}

std::unique_ptr<MasterSide> local_master_side(const client::Environment& environment,
                                              const client::MasterCommand& command) {
  return std::make_unique<cluster::local::LocalMasterSide>(
      cluster::local::LocalMasterSide::Options{.folder = JobFolder(command.job_folder),
                                               .program = own_program(),
                                               .find = variables_of(environment),
                                               .ready_fd = command.ready_fd,
                                               .lock_fd = command.lock_fd});
}

std::unique_ptr<MasterSide> spark_master_side(const client::Environment& environment,
                                              const client::MasterCommand& command) {
  return std::make_unique<cluster::spark::SparkMasterSide>(
      local_master_side(environment, command),
      cluster::spark::SparkMasterSide::Options{.driver = rt::Fd(command.spark.link_fd),
                                               .listen_host = command.spark.listen_host});
}

std::unique_ptr<MasterSide> yarn_master_side(const client::Environment& environment,
                                             const client::MasterCommand&) {
  return std::make_unique<cluster::yarn::YarnMasterSide>(variables_of(environment));
}

class Factory final : public cluster::Clusters {
 public:
  explicit Factory(Session& session) : session_(session) {}

  Result<Cluster*> named(const std::string& name, const cluster::Asker& asker) override;
  [[nodiscard]] std::vector<std::string> names() const override;
  Cluster& of(const JobFolder& job) override;
  Cluster* configured() override;
  Result<std::vector<Cluster*>> to_examine(const std::string& name) override;

  std::unique_ptr<Cluster> make_local(const Choice&);
  std::unique_ptr<Cluster> make_spark(const Choice&);
  std::unique_ptr<Cluster> make_yarn(const Choice& choice);

 private:
  using Entries = std::map<std::string, spec::ClusterEntry>;

  Cluster& made(const ClusterKind& kind, const Choice& choice);
  [[nodiscard]] Result<Entries> site_entries() const;
  [[nodiscard]] cluster::local::LocalCluster::Options here(std::string_view name);

  Session& session_;
  cluster::Driver driver_;  ///< The submitting driver, for the cluster made of its executors.
  std::map<std::pair<std::string_view, Choice>, std::unique_ptr<Cluster>> made_;
};

constexpr std::array kKinds = {
    ClusterKind{
        .name = "yarn",
        .type = spec::ClusterType::Yarn,
        .offered = true,
        .make = &Factory::make_yarn,
        .owns = [](const eventlog::PlanFile&,
                   const cluster::Application& application) { return !application.id.empty(); },
        .configured = names_hadoop,
        .make_master_side = yarn_master_side,
        .enter_container = cluster::yarn::enter_container},
    ClusterKind{.name = "spark",
                .type = spec::ClusterType::Spark,
                .offered = false,
                .make = &Factory::make_spark,
                .owns = [](const eventlog::PlanFile& plan,
                           const cluster::Application&) { return plan.on == "spark"; },
                .configured = never,
                .make_master_side = spark_master_side,
                .enter_container = nullptr},
    ClusterKind{.name = "local",
                .type = spec::ClusterType::Local,
                .offered = true,
                .make = &Factory::make_local,
                .owns = [](const eventlog::PlanFile&, const cluster::Application&) { return true; },
                .configured = never,
                .make_master_side = local_master_side,
                .enter_container = nullptr},
};
constexpr const ClusterKind& kLocal = kKinds.back();

const ClusterKind* find_kind(std::string_view name) {
  const auto found = std::ranges::find(kKinds, name, &ClusterKind::name);
  return found == kKinds.end() ? nullptr : &*found;
}

const ClusterKind& kind_of(spec::ClusterType type) {
  return *std::ranges::find(kKinds, type, &ClusterKind::type);
}

Cluster& Factory::made(const ClusterKind& kind, const Choice& choice) {
  std::unique_ptr<Cluster>& cluster = made_[{kind.name, choice}];
  if (cluster == nullptr) {
    cluster = (this->*kind.make)(choice);
  }
  return *cluster;
}

Result<Factory::Entries> Factory::site_entries() const {
  MUSTER_TRY(const spec::Layers layers,
             client::read_layers(*session_.files, {}, session_.surroundings()));
  return spec::load_clusters(layers);
}

/// The names to offer for `--on`. No entry of a site file has the name of a kind.
std::vector<std::string> names_with(const std::map<std::string, spec::ClusterEntry>& entries) {
  std::vector<std::string> names;
  for (const ClusterKind& kind : kKinds) {
    if (kind.offered) {
      names.emplace_back(kind.name);
    }
  }
  std::ranges::sort(names);
  for (const auto& [name, entry] : entries) {
    names.push_back(name);
  }
  return names;
}

std::string known_names(const std::map<std::string, spec::ClusterEntry>& entries) {
  std::vector<std::string> names = names_with(entries);
  std::ranges::transform(names, names.begin(), printable);
  const std::string last = std::move(names.back());
  names.pop_back();
  const std::string known = join(names, ", ") + " and " + last;
  return entries.empty() ? known + "; `clusters` in a site file or the configuration names more"
                         : known;
}

std::vector<std::string> Factory::names() const {
  return names_with(site_entries().value_or(Entries()));
}

Result<Cluster*> Factory::named(const std::string& name, const cluster::Asker& asker) {
  if (name.empty() || name == kLocal.name) {
    return &made(kLocal, {.name = std::string(kLocal.name), .conf = {}, .proxy_user = {}});
  }
  MUSTER_TRY(const Entries entries, site_entries());
  const auto entry = entries.find(name);
  const ClusterKind* const kind =
      entry == entries.end() ? find_kind(name) : &kind_of(entry->second.type);
  if (kind == nullptr) {
    return user_error(fmt::format("--on {}: there is no such cluster; the known clusters are {}",
                                  printable(name), known_names(entries)));
  }
  driver_ = asker.driver;
  return &made(*kind, {.name = name,
                       .conf = entry == entries.end() ? std::string() : entry->second.conf,
                       .proxy_user = asker.proxy_user});
}

Cluster& Factory::of(const JobFolder& job) {
  const cluster::Application application = cluster::application_of(*session_.files, job);
  const Result<std::string> text = session_.files->read(job.plan());
  const Result<eventlog::PlanFile> read =
      text ? eventlog::parse_plan_file(*text) : Result<eventlog::PlanFile>(text.error());
  const eventlog::PlanFile plan = read.value_or(eventlog::PlanFile());
  const ClusterKind& kind = *std::ranges::find_if(
      kKinds, [&](const ClusterKind& one) { return one.owns(plan, application); });
  return made(kind, {.name = application.id.empty() ? std::string(kind.name) : plan.on,
                     .conf = application.conf,
                     .proxy_user = application.proxy_user});
}

Cluster* Factory::configured() {
  for (const ClusterKind& kind : kKinds) {
    if (kind.configured(session_.environment)) {
      return named(std::string(kind.name), {}).value_or(nullptr);
    }
  }
  // A user who named no cluster learns of mistakes in the files when they are needed.
  const Entries entries = site_entries().value_or(Entries());
  for (const auto& [name, entry] : entries) {
    if (entry.type == spec::ClusterType::Yarn) {
      return named(name, {}).value_or(nullptr);
    }
  }
  return nullptr;
}

Result<std::vector<Cluster*>> Factory::to_examine(const std::string& name) {
  MUSTER_TRY(Cluster* const here, named({}, {}));
  std::vector<Cluster*> all = {here};
  if (!name.empty()) {
    MUSTER_TRY(Cluster* const asked, named(name, {}));
    if (asked != here) {
      all.push_back(asked);
    }
    return all;
  }
  for (const ClusterKind& kind : kKinds) {
    if (kind.offered && &kind != &kLocal) {
      MUSTER_TRY(Cluster* const other, named(std::string(kind.name), {}));
      all.push_back(other);
    }
  }
  return all;
}

cluster::local::LocalCluster::Options Factory::here(std::string_view name) {
  return {.name = std::string(name),
          .home = session_.home,
          .program = session_.program,
          .environment = session_.process_environment(),
          .plan_of = eventlog::derive_plan,
          .check_checkpoints =
              [this](const std::string& address) {
                // Agents on this machine find it through the client's environment.
                return stores::check_hdfs_checkpoints(*session_.files,
                                                      session_.process_environment(), address);
              },
          .hardware = {},
          .now = [this] { return session_.now(); }};
}

std::unique_ptr<Cluster> Factory::make_local(const Choice&) {
  return std::make_unique<cluster::local::LocalCluster>(*session_.files, here(kLocal.name));
}

std::unique_ptr<Cluster> Factory::make_spark(const Choice& choice) {
  cluster::spark::SparkCluster::StartMaster start;
  if (driver_.link_fd >= 0) {
    start = [this, driver = driver_](
                const cluster::Submission& submission) -> Result<cluster::MasterPlace> {
      cluster::local::MasterLauncher launcher(
          *session_.files,
          {.program = session_.program, .environment = session_.process_environment()});
      MUSTER_TRY(
          std::string address,
          launcher.start(submission, {.arguments = {"--on", "spark", "--spark-link-fd",
                                                    std::to_string(cluster::local::kMasterLinkFd),
                                                    "--spark-listen", driver.listen_host},
                                      .fd = driver.link_fd}));
      return cluster::MasterPlace{.address = std::move(address), .application_id = {}};
    };
  }
  return std::make_unique<cluster::spark::SparkCluster>(
      std::make_unique<cluster::local::LocalCluster>(*session_.files, here(choice.name)),
      std::move(start));
}

std::unique_ptr<Cluster> Factory::make_yarn(const Choice& choice) {
  std::map<std::string, std::string> environment(session_.environment.all().begin(),
                                                 session_.environment.all().end());
  if (!choice.proxy_user.empty()) {
    environment[std::string(cluster::yarn::kProxyVariable)] = choice.proxy_user;
  }
  const auto on_wait = [this](std::string_view why) {
    if (!why.empty()) {
      session_.console.err("muster: waiting: " + std::string(why) + "\n");
    }
  };
  const auto defaults = [this]() -> Result<spec::Spec> {
    client::JobSource source;
    source.quick.command = {"true"};
    MUSTER_TRY(const spec::Layers layers,
               client::read_layers(*session_.files, source, session_.surroundings()));
    MUSTER_TRY(spec::Loaded loaded, spec::load(layers));
    return std::move(loaded.spec);
  };
  return std::make_unique<cluster::yarn::YarnCluster>(
      *session_.files,
      cluster::yarn::YarnCluster::Options{.name = choice.name,
                                          .client = {.conf = choice.conf,
                                                     .environment = std::move(environment),
                                                     .on_wait = on_wait},
                                          .program = session_.program,
                                          .home = session_.home,
                                          .plan_of = eventlog::derive_plan,
                                          .defaults = defaults});
}

}  // namespace

std::unique_ptr<cluster::Clusters> make_clusters(Session& session) {
  return std::make_unique<Factory>(session);
}

Result<std::unique_ptr<MasterSide>> make_master_side(const client::Environment& environment,
                                                     const client::MasterCommand& command) {
  const ClusterKind* const kind = command.on.empty() ? &kLocal : find_kind(command.on);
  if (kind == nullptr) {
    return user_error(fmt::format("there is no kind of cluster `{}`", printable(command.on)));
  }
  return kind->make_master_side(environment, command);
}

Result<cluster::ContainerEntry> enter_container(std::string_view kind,
                                                const client::Environment& environment) {
  const ClusterKind* const found = find_kind(kind);
  if (found == nullptr || found->enter_container == nullptr) {
    return user_error(fmt::format("clusters of kind `{}` start no keepers", printable(kind)));
  }
  std::error_code error;
  return found->enter_container(*os::make_local_files(nullptr), variables_of(environment),
                                std::filesystem::current_path(error));
}

std::unique_ptr<cluster::MasterStarter> make_master_starter(os::Files& files,
                                                            const cluster::AgentLaunch& launch,
                                                            int start_fd, bool claimed) {
  if (!claimed) {
    return nullptr;
  }
  return std::make_unique<cluster::local::LocalMasterStarter>(
      files, cluster::local::LocalMasterStarter::Options{.folder = JobFolder(launch.job_folder),
                                                         .program = own_program(),
                                                         .start_socket = start_fd});
}

}  // namespace muster::app
