#include "app/chosen_cluster.h"
#include "app/commands.h"
#include "app/demo_program.h"
#include "app/failure.h"
#include "app/follow_command.h"
#include "app/hdfs_checkpoints.h"
#include "app/page_address.h"
#include "app/run_end.h"
#include "app/self_cleaning.h"
#include "base/text.h"
#include "client/fit_text.h"
#include "client/job_reader.h"
#include "client/submission.h"
#include "framework/plan.h"
#include "job/describe.h"
#include "os/identity.h"
#include "os/signals.h"
#include "rt/system_random.h"
#include "spec/file_check.h"
#include "spec/serialize.h"
#include "verdict/classifier.h"

#include <fmt/format.h>

#include <unistd.h>

namespace muster::app {
namespace {

/// Finds the program that the shell would start, without starting it.
std::string find_on_path(const Environment& environment, std::string_view name) {
  const std::string path = environment.find("PATH").value_or("/usr/bin:/bin");
  for (const std::string_view folder : split(path, ':')) {
    const std::string candidate = std::string(folder) + "/" + std::string(name);
    if (!folder.empty() && access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
  }
  return {};
}

Result<job::Plan> plan_spec(const spec::Spec& spec, const std::string& job_id, uint64_t seed) {
  return framework::plan(spec, {.job = job::JobId{job_id}, .seed = seed});
}

Status check_rules(const spec::Spec& spec) {
  const Result<verdict::Classifier> classifier = verdict::Classifier::make(spec.rules);
  return classifier ? Status() : Status(classifier.error());
}

/// On this machine agents have the client's environment, and nothing else to find HDFS with.
Status check_checkpoints(Session& session, const SpecOptions& options, const spec::Loaded& loaded) {
  const auto entry = loaded.clusters.find(options.on);
  const bool here =
      options.on.empty() || options.on == "local" ||
      (entry != loaded.clusters.end() && entry->second.type == spec::ClusterType::Local);
  const std::string& to = loaded.spec.checkpoint.to;
  return here && spec::is_uri(to) && !to.starts_with("file:")
             ? check_hdfs_checkpoints(*session.files, client_environment(session), to)
             : Status();
}

Result<client::ReadJob> read_source(Session& session, const SpecOptions& options,
                                    bool from_spark = false) {
  if (options.spec.empty() && options.words.empty()) {
    return user_error(
        "name a specification (job.yaml), or give a command: muster run -n 4 -- python3 train.py");
  }
  if (!options.spec.empty() && (options.tasks || options.framework || !options.roles.empty())) {
    return user_error(fmt::format(
        "-n, --framework and --role are for jobs without a specification; {} says it itself "
        "(or: --set tasks=4)",
        printable(options.spec)));
  }
  MUSTER_TRY(client::ReadJob job,
             client::read_job(*session.files, source_of(options), session.surroundings()));
  MUSTER_TRY_STATUS(check_cluster(options, job.loaded, from_spark));
  MUSTER_TRY_STATUS(check_checkpoints(session, options, job.loaded));
  // Compiled here only to be refused here: every agent of the job needs them.
  MUSTER_TRY_STATUS(check_rules(job.loaded.spec));
  return job;
}

/// Shows what the cluster has to say about a job that it takes all the same.
Status warn(Session& session, cluster::Cluster& cluster, const spec::Spec& spec) {
  MUSTER_TRY(const job::Plan plan, plan_spec(spec, "warn", 0));
  MUSTER_TRY(const cluster::Fit fit, cluster.fit(plan));
  for (const std::string& warning : fit.warnings) {
    session.console.err("muster: warning: " + warning + "\n");
  }
  return {};
}

/// Holds what a person may press or a batch system may send, so that no job is submitted of which
/// nobody is told.
using Held = std::unique_ptr<os::HeldSignals>;

/// `exit_code_from`: a role that must exist, if it is not empty. `follows`: the job is followed
/// from here at once. Signals are held from the moment on at which a job may exist.
Result<client::Submitted> submit(Session& session, const SpecOptions& options,
                                 const std::string& exit_code_from, Held& held, bool follows,
                                 const SparkOptions& spark = {}) {
  const bool from_spark = spark.link_fd >= 0;
  MUSTER_TRY(const client::ReadJob job, read_source(session, options, from_spark));
  if (!exit_code_from.empty() && spec::find_role(job.loaded.spec, exit_code_from) == nullptr) {
    return user_error(
        fmt::format("--exit-code-from {}: the job has no such role", printable(exit_code_from)));
  }
  for (const std::string& warning : job.loaded.warnings) {
    session.console.err(warning + "\n");
  }
  const ChosenCluster chosen = choose_cluster(session, options, job.loaded, spark);
  MUSTER_TRY_STATUS(warn(session, chosen.cluster(), job.loaded.spec));
  rt::SystemRandom random;
  client::Submitter submitter;
  submitter.user = os::user_name(client_environment(session));
  submitter.python = find_on_path(session.environment, "python3");
  submitter.now = session.now();
  submitter.follows = follows;
  held = std::make_unique<os::HeldSignals>(kForegroundSignals);
  MUSTER_TRY(client::Submitted submitted,
             client::submit_job({*session.files, random, chosen.cluster(), session.home, plan_spec},
                                job, submitter));
  if (options.proxy_user.empty()) {
    start_cleaning_by_itself(session, chosen.yarn != nullptr ? options.on : std::string(),
                             job.loaded.cleaning);
  }
  return submitted;
}

int print_status_json(Session& session, const cluster::JobFolder& folder) {
  const client::JobEntry entry{folder, {}, session.files->exists(folder.summary())};
  const Result<client::JobReading> reading =
      client::read_job_folder(*session.files, entry, plan_of());
  if (!reading) {
    return fail(session.console, reading.error());
  }
  const job::Machine& machine = reading->replayed.machine;
  session.console.out(eventlog::status_json(machine.plan(), machine.state(),
                                            client::status_context(entry, *reading)) +
                      "\n");
  return 0;
}

}  // namespace

client::JobSource source_of(const SpecOptions& options) {
  client::JobSource source;
  source.spec = options.spec;
  source.elsewhere = !options.on.empty() && options.on != "local" && options.on != "spark";
  source.sets = options.sets;
  if (!options.spec.empty()) {
    source.words = options.words;
    if (options.name) {
      source.sets.push_back("name=" + *options.name);
    }
    return source;
  }
  if (options.tasks) {
    source.quick.tasks = std::to_string(*options.tasks);
  }
  source.quick.framework = options.framework;
  source.quick.name = options.name;
  source.quick.roles = options.roles;
  source.quick.command = options.words;
  return source;
}

int run_job(Session& session, const RunCommand& command) {
  const WallTime begun = session.now();
  Held held;
  const Result<client::Submitted> submitted =
      submit(session, command.spec, command.exit_code_from, held, true);
  if (!submitted) {
    return fail(session.console, submitted.error());
  }
  const Duration submitted_in = session.now() - begun;
  if (!command.quiet) {
    const std::string& application = submitted->place.application_id;
    session.console.err(fmt::format(
        "muster: {}: {} {}\n", submitted->folder.id().value,
        job::count_of(submitted->plan.task_count(), "task"),
        application.empty() ? "on this machine"
                            : fmt::format("on {} as {}", command.spec.on, application)));
  }
  const std::string page = page_link_of(session, submitted->folder, submitted->place);
  if (!command.quiet && !page.empty()) {
    session.console.err("muster: page: " + page + "\n");
  }
  FollowCommand follow;
  follow.folder = submitted->folder;
  follow.on_interrupt = command.on_interrupt;
  follow.quiet = command.quiet;
  const Result<Followed> followed = follow_job(session, follow);
  held.reset();
  if (!followed) {
    return fail(session.console, followed.error());
  }
  switch (followed->end.kind) {
    case client::FollowEnd::Kind::Detached:
      return kDetached;
    case client::FollowEnd::Kind::Lost:
      return fail(session.console, cluster_error(followed->end.error));
    case client::FollowEnd::Kind::Ended:
      break;
  }
  const job::Outcome& outcome = *followed->end.outcome;
  const job::Machine* machine = followed->machine ? &*followed->machine : nullptr;
  if (command.json) {
    (void)print_status_json(session, submitted->folder);
  }
  print_end(session, *submitted, outcome, machine, submitted_in, command.quiet);
  const int status = exit_status(outcome.reason);
  return command.exit_code_from.empty() || machine == nullptr
             ? status
             : role_exit_code(*machine, command.exit_code_from, status);
}

int submit_job(Session& session, const SubmitCommand& command) {
  Held held;
  const Result<client::Submitted> submitted =
      submit(session, command.spec, {}, held, false, command.spark);
  if (!submitted) {
    return fail(session.console, submitted.error());
  }
  const std::string id = submitted->folder.id().value;
  const std::string page = page_link_of(session, submitted->folder, submitted->place);
  if (command.json) {
    const std::string on = command.spark.link_fd >= 0 ? "spark"
                           : command.spec.on.empty()  ? "local"
                                                      : command.spec.on;
    const std::string& application = submitted->place.application_id;
    session.console.out(fmt::format(
        R"({{"schema":"muster.submitted/1","job":{},"application_id":{},"on":{},"page":{}}})"
        "\n",
        json_quote(id), application.empty() ? "null" : json_quote(application), json_quote(on),
        page.empty() ? "null" : json_quote(page)));
    return 0;
  }
  session.console.out(id + "\n");
  session.console.err(fmt::format(
      "  follow:  muster logs -f {0}\n  state:   muster status {0}\n  stop:    muster stop {0}\n",
      id));
  if (!page.empty()) {
    session.console.err("  page:    " + page + "\n");
  }
  return 0;
}

int plan_job(Session& session, const PlanOptions& command) {
  const Result<client::ReadJob> job = read_source(session, command.spec);
  if (!job) {
    return fail(session.console, job.error());
  }
  if (command.yaml) {
    session.console.out(spec::to_yaml(job->loaded.spec));
    return 0;
  }
  const Result<job::Plan> plan = plan_spec(job->loaded.spec, "plan", 0);
  if (!plan) {
    return fail(session.console, plan.error());
  }
  const ChosenCluster chosen = choose_cluster(session, command.spec, job->loaded);
  const Result<cluster::Fit> fit = chosen.cluster().fit(*plan);
  if (!fit) {
    return fail(session.console, fit.error());
  }
  if (command.json) {
    session.console.out(client::render_fit_json(*plan, *fit));
  } else {
    session.console.out(client::render_fit(*plan, *fit));
  }
  return fit->never() == nullptr ? 0 : kCouldNotStart;
}

int demo(Session& session, const DemoOptions&) {
  const std::filesystem::path folder = session.home.root() / "demo";
  Status written = session.files->make_folders(folder, 0700);
  if (written) {
    written = session.files->write(folder / "job.yaml", demo_spec());
  }
  if (written) {
    written = session.files->write(folder / "demo.py", demo_program());
  }
  if (!written) {
    return fail(session.console, written.error());
  }
  session.console.err(
      fmt::format("muster: the demo is {}; watch worker:1, which is killed half-way\n",
                  (folder / "job.yaml").string()));
  RunCommand command;
  command.spec.spec = (folder / "job.yaml").string();
  const int status = run_job(session, command);
  if (status == 0) {
    session.console.err(
        "try next:\n  muster status last\n  muster logs last worker:1\n  muster show last\n  "
        "muster init --list\n");
  }
  return status;
}

}  // namespace muster::app
