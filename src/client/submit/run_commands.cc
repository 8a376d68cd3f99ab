#include "base/text.h"
#include "client/commands.h"
#include "client/follow/foreground.h"
#include "client/follow/held_signals.h"
#include "client/follow/run_end.h"
#include "client/keep/self_cleaning.h"
#include "client/show/failure.h"
#include "client/submit/assumed_sizes.h"
#include "client/submit/assumed_terminal.h"
#include "client/submit/demo_program.h"
#include "client/submit/fit_text.h"
#include "client/submit/host_notes.h"
#include "client/submit/made_job.h"
#include "client/submit/submission.h"
#include "client/submit/submit_detached.h"
#include "client/submit/unread_input.h"
#include "cluster/cluster.h"
#include "cluster/job_reading.h"
#include "eventlog/derive_plan.h"
#include "eventlog/status.h"
#include "framework/plan.h"
#include "job/describe.h"
#include "os/host/identity.h"
#include "rt/system_random.h"
#include "spec/write/serialize.h"

#include <fmt/format.h>

#include <unistd.h>

namespace muster::client {
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

/// Makes the source of a job from what was typed.
JobSource source_of(const SpecOptions& options, const cluster::Cluster& cluster) {
  JobSource source;
  source.spec = options.spec;
  source.elsewhere = cluster.traits().remote;
  source.sets = options.sets;
  if (!options.spec.empty()) {
    source.arguments = options.arguments;
    if (options.name) {
      source.sets.push_back("name=" + *options.name);
    }
    return source;
  }
  if (options.tasks) {
    source.quick.tasks = std::to_string(*options.tasks);
  }
  source.quick.memory = options.memory;
  source.quick.vcores = options.vcores;
  source.quick.gpus = options.gpus;
  source.quick.max_restarts = options.max_restarts;
  source.quick.framework = options.framework;
  source.quick.name = options.name;
  source.quick.roles = options.roles;
  source.quick.command = options.arguments;
  source.quick.shares_gpus = !cluster.traits().sized;
  return source;
}

/// A job that was read, and the cluster that it is meant for.
struct JobAndCluster {
  ReadJob job;
  cluster::Cluster& cluster;
  std::vector<std::string> assumed;   ///< What was filled in for the cluster's sake.
  std::vector<std::string> warnings;  ///< What could not be found out for that.

  /// Compares the plan with what the cluster has, and includes everything that was assumed.
  [[nodiscard]] Result<cluster::Fit> fit(const job::Plan& plan) const {
    MUSTER_TRY(cluster::Fit fit, cluster.fit(plan));
    fit.assumed.insert(fit.assumed.begin(), assumed.begin(), assumed.end());
    fit.warnings.insert(fit.warnings.end(), warnings.begin(), warnings.end());
    return fit;
  }
};

/// Returns an option that was given but applies only to a job without a specification; "" for none.
std::string_view quick_option(const SpecOptions& options) {
  return options.tasks            ? "-n"
         : options.framework      ? "--framework"
         : !options.roles.empty() ? "--role"
         : options.memory         ? "--memory"
         : options.vcores         ? "--vcores"
         : options.gpus           ? "--gpus"
         : options.max_restarts   ? "--max-restarts"
                                  : "";
}

/// Returns the same as a key of a specification, for `--set`.
std::string_view key_of_option(std::string_view option) {
  return option == "-n"               ? "roles.worker.tasks=4"
         : option == "--framework"    ? "framework=pytorch"
         : option == "--role"         ? "roles.ps.tasks=1"
         : option == "--memory"       ? "roles.worker.memory=8g"
         : option == "--vcores"       ? "roles.worker.vcores=4"
         : option == "--max-restarts" ? "restart.process=3"
                                      : "roles.worker.gpus=1";
}

/// Returns the command that would run a file that was given in place of a specification; "" if the
/// file does not look like a program.
std::string command_for(std::string_view file) {
  return file.ends_with(".py")   ? fmt::format("python3 {}", printable(file))
         : file.ends_with(".sh") ? fmt::format("sh {}", printable(file))
                                 : "";
}

/// Returns what is wrong with the command of a job without a specification: several words quoted as
/// one, as in `muster run -- 'echo a b'`, or a script that is not on PATH; "" if nothing is wrong.
std::string wrong_command(const Session& session, const SpecOptions& options) {
  if (!options.spec.empty() || options.arguments.empty()) {
    return {};
  }
  const std::string& word = options.arguments.front();
  const bool alone = options.arguments.size() == 1;
  if (alone && trim(word).empty()) {
    return "the command after -- is empty: give a program, as in -- python3 train.py";
  }
  if (word.contains('/') || !find_on_path(session.environment, word).empty()) {
    return {};
  }
  if (word.contains(' ')) {
    return !alone ? ""
                  : fmt::format(
                        "{0} is one word, and no program has that name: leave the quotes out, or "
                        "let a shell read the line, as in -- sh -c {0}",
                        printable(shell_quote(word)));
  }
  const std::string program = command_for(word);
  return program.empty() || !session.files->exists(word)
             ? ""
             : fmt::format("{} is a file, not a command; start it as in -- {}", printable(word),
                           program);
}

/// What makes up a job beside what was typed.
struct Origin {
  SparkOptions spark;
  const MadeJob* made = nullptr;  ///< Not null: the job itself; nothing of it was typed.
  std::function<void(const wire::Output&)> take_output = {};  ///< FollowCommand::take_output.
  std::function<Status(const spec::Spec&)> may = {};          ///< Asked before anything is made.
  bool merges_streams = false;                                ///< QuickOptions::merges_streams.
};

Result<ReadJob> read_origin(Session& session, const SpecOptions& options, const Origin& origin,
                            const cluster::Cluster& cluster) {
  if (origin.made != nullptr) {
    return read_made_job(*session.files, *origin.made, options.sets, session.surroundings());
  }
  JobSource source = source_of(options, cluster);
  source.quick.merges_streams = origin.merges_streams;
  return read_job(*session.files, source, session.surroundings());
}

Result<JobAndCluster> read_source(Session& session, const SpecOptions& options,
                                  const Origin& origin = {}) {
  if (options.spec.empty() && options.arguments.empty() && origin.made == nullptr) {
    return user_error(
        "name a specification (job.yaml), or give a command: muster run -n 4 -- python3 train.py");
  }
  if (const std::string program = command_for(options.spec); !program.empty()) {
    return user_error(fmt::format("{} is a program, not a specification: muster run -n {} -- {}",
                                  printable(options.spec), options.tasks.value_or(1), program));
  }
  if (std::string wrong = wrong_command(session, options); !wrong.empty()) {
    return user_error(std::move(wrong));
  }
  if (options.gpus == "all") {
    return user_error(
        "--gpus all: give each task a number of them, as in --gpus 1; without --gpus, tasks on "
        "this machine share all");
  }
  if (const std::string_view option = quick_option(options);
      !options.spec.empty() && !option.empty()) {
    return user_error(
        fmt::format("{} is for jobs without a specification; set it in {}, or override it with a "
                    "key, as in --set {}",
                    option, printable(options.spec), key_of_option(option)));
  }
  const cluster::Asker asker{
      .proxy_user = options.proxy_user,
      .driver = {.link_fd = origin.spark.link_fd, .listen_host = origin.spark.listen_host}};
  MUSTER_TRY(cluster::Cluster* const cluster, session.clusters->named(options.on, asker));
  if (!options.proxy_user.empty() && !cluster->traits().proxies) {
    return unsupported(*cluster, "run a job on another user's behalf (--proxy-user)",
                       "its tasks run as the user who starts them; YARN can");
  }
  MUSTER_TRY(ReadJob job, read_origin(session, options, origin, *cluster));
  std::vector<std::string> assumed;
  if (cluster->traits().sized) {
    assumed = assume_sizes(job.loaded.spec);
  }
  // What another user's jobs found out is kept in that user's place.
  HostNotes notes = options.proxy_user.empty()
                        ? take_host_notes(*cluster, job.loaded.spec, session.now())
                        : HostNotes();
  assumed.insert(assumed.end(), notes.avoided.begin(), notes.avoided.end());
  return JobAndCluster{.job = std::move(job),
                       .cluster = *cluster,
                       .assumed = std::move(assumed),
                       .warnings = std::move(notes.troubles)};
}

/// Shows what the cluster has to say about a job that it accepts all the same, and returns it.
Result<cluster::Fit> warn(Session& session, const JobAndCluster& source) {
  MUSTER_TRY(const job::Plan plan, plan_spec(source.job.loaded.spec, "warn", 0));
  MUSTER_TRY(cluster::Fit fit, source.fit(plan));
  for (const std::string& warning : fit.warnings) {
    session.console.err("muster: warning: " + warning + "\n");
  }
  return fit;
}

/// Held so that no job is submitted without anybody being told.
using Held = std::unique_ptr<HeldSignals>;

/// A job that was submitted, and what was assumed for it.
struct Accepted {
  Submitted submitted;
  std::vector<std::string> assumed;
};

/// `exit_code_from`: a role that must exist, if it is not empty. `follows`: the job is followed
/// from here at once. Signals are held from the moment at which a job may exist.
Result<Accepted> submit(Session& session, const SpecOptions& options,
                        const std::string& exit_code_from, Held& held, bool follows,
                        const Origin& origin = {}) {
  MUSTER_TRY(JobAndCluster source, read_source(session, options, origin));
  spec::Loaded& loaded = source.job.loaded;
  // On this machine, tasks get the user's own variable, if it is set.
  if (follows && session.console.screen().out_is_terminal &&
      (source.cluster.traits().remote || !session.environment.find("PYTHONUNBUFFERED"))) {
    assume_terminal(loaded.spec);
  }
  if (!exit_code_from.empty() && spec::find_role(loaded.spec, exit_code_from) == nullptr) {
    return user_error(
        fmt::format("--exit-code-from {}: the job has no such role", printable(exit_code_from)));
  }
  for (const std::string& warning : loaded.warnings) {
    session.console.err(warning + "\n");
  }
  if (origin.may) {
    MUSTER_TRY_STATUS(origin.may(loaded.spec));
  }
  MUSTER_TRY(cluster::Fit fit, warn(session, source));
  if (const std::string* never = fit.never()) {
    return user_error(*never, Errc::NeverFits);  // Before anything is made.
  }
  rt::SystemRandom random;
  Submitter submitter;
  submitter.user = os::user_name(session.process_environment());
  submitter.python = find_on_path(session.environment, "python3");
  submitter.now = session.now();
  submitter.follows = follows;
  held = std::make_unique<HeldSignals>(session.console);
  MUSTER_TRY(Submitted submitted,
             submit_job({*session.files, random, source.cluster, session.home, plan_spec},
                        source.job, submitter));
  if (options.proxy_user.empty()) {
    start_cleaning_by_itself(session, source.cluster.traits().remote ? options.on : std::string(),
                             loaded.cleaning);
  }
  return Accepted{.submitted = std::move(submitted), .assumed = std::move(fit.assumed)};
}

/// Returns the link to the page of a job that has just been submitted; "" while there is none.
std::string page_of(Session& session, const cluster::JobFolder& folder) {
  return session.clusters->of(folder).page(folder).value_or("");
}

std::string on_name(const SpecOptions& options) {
  return options.on.empty() ? "local" : options.on;
}

/// Returns the status of a job that has been followed to its end; "" if it cannot be read.
std::string last_status(Session& session, const cluster::JobFolder& folder) {
  const Result<cluster::JobReading> reading =
      cluster::read_job(*session.files, folder, eventlog::derive_plan);
  if (!reading) {
    (void)fail(session.console, reading.error());
    return {};
  }
  const job::Machine& machine = reading->replayed.machine;
  return eventlog::status_json(machine.plan(), machine.state(),
                               cluster::status_context(folder, *reading));
}

/// Tells a person what was submitted, and where to look.
void announce(Session& session, const RunCommand& command, const Origin& origin,
              const Accepted& accepted, const std::string& page) {
  const Submitted& submitted = accepted.submitted;
  const std::string& application = submitted.place.application_id;
  session.console.err(fmt::format("muster: {}: {} {}\n", submitted.folder.id().value,
                                  job::count_of(submitted.plan.task_count(), "task"),
                                  application.empty()
                                      ? "on this machine"
                                      : fmt::format("on {} as {}", command.spec.on, application)));
  if (!accepted.assumed.empty()) {
    session.console.err("muster: assumed: " + join(accepted.assumed, "; ") + "\n");
  }
  if (!page.empty()) {
    // On a line of its own it can be clicked, or copied even if it wraps.
    session.console.err("muster: page:\n" + page + "\n");
  }
  if (origin.made != nullptr) {
    session.console.err("muster: the job as a specification:\n" + submitted.folder.spec().string() +
                        "\n");
  }
}

int run_origin(Session& session, const RunCommand& command, const Origin& origin) {
  const WallTime begun = session.now();
  Held held;
  const Result<Accepted> accepted =
      submit(session, command.spec, command.exit_code_from, held, true, origin);
  if (!accepted) {
    return fail(session.console, accepted.error());
  }
  const Submitted* const submitted = &accepted->submitted;
  const Duration submitted_in = session.now() - begun;
  const std::string page = page_of(session, submitted->folder);
  if (origin.made == nullptr && has_unread_input(STDIN_FILENO)) {
    session.console.err(
        "muster: warning: tasks do not receive this standard input, because theirs is empty: let "
        "the program read a file\n");
  }
  if (!command.quiet) {
    announce(session, command, origin, *accepted, page);
  }
  RunEvents events(session.console, [&session] { return session.now(); });
  if (command.json) {
    events.submitted({.job_id = submitted->folder.id().value,
                      .application_id = submitted->place.application_id,
                      .on = on_name(command.spec),
                      .page = page});
  }
  FollowCommand follow;
  follow.folder = submitted->folder;
  follow.events = command.json ? &events : nullptr;
  const bool typed = origin.made == nullptr && command.spec.spec.empty();
  follow.on_interrupt = typed && command.on_interrupt == OnInterrupt::Auto ? OnInterrupt::Interrupt
                                                                           : command.on_interrupt;
  follow.stops_at_hang_up = command.stops_at_hang_up;
  follow.quiet = command.quiet;
  follow.take_output = origin.take_output;
  const Result<Followed> followed = follow_job(session, follow);
  held.reset();
  if (!followed) {
    return fail(session.console, followed.error());
  }
  switch (followed->end.kind) {
    case FollowEnd::Kind::Detached:
      return kDetached;
    case FollowEnd::Kind::Lost:
      return fail(session.console, cluster_error(followed->end.error));
    case FollowEnd::Kind::Ended:
      break;
  }
  const job::Outcome& outcome = *followed->end.outcome;
  const job::Machine* machine = followed->machine ? &*followed->machine : nullptr;
  if (command.json) {
    events.ended(last_status(session, submitted->folder));
  }
  print_end(session, *submitted, outcome, machine, submitted_in, command.quiet);
  if (session.console.out_reader_gone() && outcome.result != job::JobResult::Succeeded) {
    return kReaderGone;
  }
  const int status = followed->interrupted && outcome.reason == job::OutcomeReason::StoppedByUser
                         ? kInterrupted
                         : exit_status(outcome.reason);
  return command.exit_code_from.empty() || machine == nullptr
             ? status
             : role_exit_code(*machine, command.exit_code_from, status);
}

}  // namespace

int run_job(Session& session, const RunCommand& command) {
  return run_origin(session, command,
                    {.spark = {}, .merges_streams = session.console.one_place() && !command.json});
}

int run_made_job(Session& session, const RunCommand& command, const MadeJob& made,
                 std::function<void(const wire::Output&)> take_output) {
  return run_origin(session, command,
                    {.spark = {}, .made = &made, .take_output = std::move(take_output)});
}

Result<std::string> submit_detached(Session& session, const SpecOptions& options,
                                    std::function<Status(const spec::Spec&)> may) {
  Held held;
  MUSTER_TRY(const Accepted accepted,
             submit(session, options, {}, held, false, {.spark = {}, .may = std::move(may)}));
  return accepted.submitted.folder.id().value;
}

Result<std::string> submit_made_job(Session& session, const SpecOptions& options,
                                    const MadeJob& made,
                                    std::function<Status(const spec::Spec&)> may) {
  Held held;
  MUSTER_TRY(const Accepted accepted, submit(session, options, {}, held, false,
                                             {.spark = {}, .made = &made, .may = std::move(may)}));
  return accepted.submitted.folder.id().value;
}

int submit_job(Session& session, const SubmitCommand& command) {
  Held held;
  const Result<Accepted> accepted =
      submit(session, command.spec, {}, held, false, {.spark = command.spark});
  if (!accepted) {
    return fail(session.console, accepted.error());
  }
  const Submitted* const submitted = &accepted->submitted;
  const std::string id = submitted->folder.id().value;
  const std::string page = page_of(session, submitted->folder);
  if (command.json) {
    const std::string& application = submitted->place.application_id;
    session.console.out(fmt::format(
        R"({{"schema":"muster.submitted/1","job":{},"application_id":{},"on":{},"page":{}}})"
        "\n",
        json_quote(id), application.empty() ? "null" : json_quote(application),
        json_quote(on_name(command.spec)), page.empty() ? "null" : json_quote(page)));
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
  const Result<JobAndCluster> source = read_source(session, command.spec);
  if (!source) {
    return fail(session.console, source.error());
  }
  const ReadJob* const job = &source->job;
  if (command.yaml) {
    session.console.out(spec::to_yaml(job->loaded.spec));
    return 0;
  }
  for (const std::string& warning : job->loaded.warnings) {
    session.console.err(warning + "\n");
  }
  const Result<job::Plan> plan = plan_spec(job->loaded.spec, "plan", 0);
  if (!plan) {
    return fail(session.console, plan.error());
  }
  const Result<cluster::Fit> fit = source->fit(*plan);
  if (!fit) {
    return fail(session.console, fit.error());
  }
  if (command.json) {
    session.console.out(render_fit_json(*plan, *fit));
  } else {
    session.console.out(render_fit(*plan, *fit));
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

}  // namespace muster::client
