#include "app/commands.h"
#include "app/program.h"
#include "cli/command.h"
#include "client/commands.h"

#include <span>

namespace muster::app {

using namespace client;  // The rows are its commands.
using cli::command;
using cli::Command;
using cli::Field;
using cli::Kind;
using cli::Parameter;
namespace {

constexpr std::string_view kReferenceHead = R"(# Reference: commands

<!-- Made from the table of commands by tools/reference: edit src/app/command_table.cc. -->

`muster COMMAND --help` prints an entry of this page. A job is named by its id, by the beginning of
it, or as `last`. [Failures](../failures.md) explains the exit statuses.
)";

using Parameters = std::vector<Parameter>;
using Names = std::vector<std::string_view>;

Parameter flag(bool& field, Names names, std::string_view help) {
  return {.names = std::move(names), .field = &field, .help = help};
}

template <class Value>
Parameter option(Value& field, Names&& names, std::string_view value, std::string_view help,
                 Kind kind = Kind::Text) {
  return {.names = std::move(names), .field = &field, .help = help, .kind = kind, .value = value};
}

Parameter at_least(uint32_t least, Parameter number) {
  number.least = least;
  return number;
}

Parameter choice(Field field, Names names, std::string_view value, Names choices,
                 std::string_view help) {
  return {.names = std::move(names),
          .field = std::move(field),
          .help = help,
          .kind = Kind::Choice,
          .value = value,
          .choices = std::move(choices)};
}

template <class Value>
Parameter argument(Value& field, std::string_view name, Kind kind, std::string_view help,
                   std::string_view missing = "") {
  return {.names = {name}, .field = &field, .help = help, .kind = kind, .missing = missing};
}

// What several commands accept.

Parameter json(bool& field) {
  return flag(field, {"--json"}, "Print JSON with a versioned schema");
}

constexpr std::string_view kNameAJob =
    "name a job: its id, the beginning of it, or `last`; `muster ps --all` lists them";

Parameter job(std::string& id, Kind kind = Kind::Job) {
  return argument(id, "JOB", kind,
                  "A job's id, the beginning of its id, the cluster's id for the job, or `last`",
                  kNameAJob);
}

Parameter on(std::string& cluster) {
  return option(cluster, {"--on"}, "CLUSTER",
                "Also look for jobs on this cluster, whichever host they were submitted from: "
                "yarn, or a cluster named in the site file",
                Kind::Cluster);
}

Parameter limit(std::optional<uint32_t>& count) {
  return option(count, {"--limit"}, "N",
                "At most this many, newest first (default: 20; as JSON, all)");
}

Parameter port(uint16_t& number) {
  return option(number, {"--port"}, "PORT",
                "Listen on this port of 127.0.0.1 (default: any free one)");
}

Parameter sets(std::vector<std::string>& settings) {
  return option(settings, {"--set"}, "KEY=VALUE",
                "Set a key of the specification, as in roles.worker.tasks=8; may be repeated",
                Kind::Setting);
}

Parameter some_tasks(std::vector<std::string>& tasks) {
  return argument(tasks, "ROLE[:INDEX]...", Kind::Tasks,
                  "Only these roles or tasks, as in worker or worker:1");
}

Parameter spec_file(std::string& file, std::string_view missing) {
  return argument(file, "SPEC", Kind::File, "The job's specification, a YAML or JSON file",
                  missing);
}

Parameters with(Parameters first, const Parameters& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// Returns options of torchrun, horovodrun, mpirun, srun and docker.
std::vector<cli::Foreign> of_other_launchers() {
  return {
      {{"--nproc-per-node", "--nproc_per_node", "--nproc", "-np", "--np", "--num-proc",
        "--num-processes", "--num_processes", "--nnodes", "--num-nodes", "--num_nodes", "-N",
        "--nodes", "--ntasks", "--ntasks-per-node"},
       "-n is the number of tasks, on all hosts together, as in -n 4"},
      {{"--node-rank", "--node_rank", "--master-addr", "--master_addr", "--master-port",
        "--master_port", "--rdzv-backend", "--rdzv_backend", "--rdzv-endpoint", "--rdzv_endpoint",
        "--rdzv-id", "--rdzv_id", "--standalone", "--hostfile", "--host", "--hosts", "-H", "--rm"},
       "leave it out, Muster places the tasks and brings them together"},
      {{"-m", "--module"}, "give the whole command, as in -- python3 -m MODULE"},
      {{"--mem", "--mem-per-cpu", "--mem-per-gpu"},
       "--memory is the memory of each task, as in --memory 8g"},
      {{"-c", "--cpus-per-task", "--cpus"},
       "--vcores is the number of cores of each task, as in --vcores 4"},
      {{"-G", "--gres", "--gpus-per-task", "--gpus-per-node", "--num-gpus", "--num_gpus"},
       "--gpus is the number of GPUs of each task, as in --gpus 1"},
      {{"--time", "--timeout"}, "--set deadlines.run=2h ends the job after two hours"},
      {{"-p", "--partition", "--queue"}, "--set yarn.queue=NAME chooses the queue on YARN"},
      {{"-e", "--env", "-x", "--export"},
       "--set env.NAME=VALUE sets a variable; tasks on this machine have all of yours"},
      {{"-i", "-t", "-it", "-ti", "--interactive", "--tty", "--pty"},
       "tasks have no terminal and no input; muster shell opens a shell in a running one"},
      {{"-d", "--detach"}, "muster submit starts a job and returns at once"},
      {{"-v", "--volume", "--mount"},
       "tasks see the files of their host; `files` in a specification sends others along"},
      {{"-J", "--job-name"}, "--name is the job's name"},
      {{"-o", "--output", "--error", "--log-dir", "--log_dir", "-r", "--redirects", "--tee"},
       "each task's output is kept, and muster logs shows it"},
      {{"-w", "-D", "--workdir", "--chdir", "--wdir", "-wdir"},
       "start it in that folder: tasks on this machine run where you are"}};
}

/// Returns commands of Slurm, docker, kubectl and program launchers.
std::vector<cli::Foreign> commands_of_others() {
  return {{{"sbatch", "qsub", "start", "create", "apply"}, "submit"},
          {{"srun", "launch", "mpirun", "mpiexec", "torchrun", "horovodrun", "train", "accelerate",
            "deepspeed", "python", "python3"},
           "run"},
          {{"squeue", "qstat", "list", "ls", "jobs", "get"}, "ps"},
          {{"scancel", "qdel", "cancel", "kill", "abort", "terminate"}, "stop"},
          {{"rm", "delete", "prune", "purge"}, "clean"},
          {{"attach", "tail", "follow"}, "logs -f"},
          {{"inspect", "describe", "events", "sacct"}, "show"},
          {{"info", "stat", "scontrol"}, "status"},
          {{"stats", "htop"}, "top"},
          {{"ssh", "bash", "sh"}, "shell"},
          {{"dashboard", "ui"}, "portal"}};
}

/// Returns what makes up a specification, followed by the command's own parameters.
Parameters job_source(SpecOptions& o, const Parameters& own) {
  return with(
      {spec_file(o.spec, ""),
       argument(
           o.arguments, "-- COMMAND...", Kind::AfterDashes,
           "The command of a job without a specification; otherwise arguments to append to the "
           "specification's command"),
       option(o.on, {"--on"}, "CLUSTER",
              "Where to run: local (the default), yarn, or a cluster named in the site file",
              Kind::Cluster),
       option(o.proxy_user, {"--proxy-user"}, "USER",
              "On YARN: run as this user, whom you must be allowed to impersonate"),
       sets(o.sets),
       at_least(1, option(o.tasks, {"-n", "--tasks"}, "N",
                          "Without a specification: the number of tasks in the role worker")),
       option(o.framework, {"--framework"}, "NAME",
              "Without a specification: pytorch, tensorflow, jax, horovod, horovod-elastic, mpi, "
              "mxnet, ray, dask, xgboost, standalone, generic (the default), or a framework file",
              Kind::Framework),
       option(o.roles, {"--role"}, "ROLE=N[,KEY=VALUE...]",
              "Without a specification: a further role, as in ps=1,memory=2g; may be repeated"),
       option(o.memory, {"--memory"}, "SIZE",
              "Without a specification: the memory of each task, as in 8g (default: on this "
              "machine no limit, elsewhere 1g)"),
       option(o.vcores, {"--vcores"}, "N",
              "Without a specification: the cores of each task (default: on this machine its "
              "cores divided by the tasks, elsewhere 1)"),
       option(o.gpus, {"--gpus"}, "N",
              "Without a specification: the GPUs of each task, for its use alone (default: on this "
              "machine all, shared; elsewhere none)"),
       option(o.max_restarts, {"--max-restarts"}, "N",
              "Without a specification: how often a task that fails is started again (default: "
              "never)"),
       option(o.name, {"--name"}, "NAME", "The job's name")},
      own);
}

/// For the Python package, not for people.
Parameters of_spark(SparkOptions& o) {
  return {option(o.link_fd, {"--spark-link-fd"}, "FD", ""),
          option(o.listen_host, {"--spark-listen"}, "HOST", "")};
}

void set_on_interrupt(OnInterrupt& field, std::string_view value) {
  field = value == "detach"      ? OnInterrupt::Detach
          : value == "stop"      ? OnInterrupt::Stop
          : value == "interrupt" ? OnInterrupt::Interrupt
                                 : OnInterrupt::Auto;
}

void add_start_commands(std::vector<Command>& table) {
  const size_t first = table.size();
  table.push_back(command(
      "run", "Run a job and follow it to its end", run_job,
      [](RunCommand& o) {
        return job_source(
            o.spec,
            {choice([&o](std::string_view value) { set_on_interrupt(o.on_interrupt, value); },
                    {"--on-interrupt"}, "WHAT", {"auto", "detach", "stop", "interrupt"},
                    "What Ctrl-C does: detach from the job, stop it, or interrupt its programs as "
                    "if you had run them by hand (SIGINT; a second Ctrl-C sends SIGTERM). auto, "
                    "the default, interrupts a command given after --; for a job from a file, on a "
                    "terminal, it detaches, and a second Ctrl-C within 3 s stops the job"),
             option(o.exit_code_from, {"--exit-code-from"}, "ROLE",
                    "Exit with the exit code of this role's task", Kind::Role),
             flag(o.quiet, {"-q", "--quiet"},
                  "Show only the tasks' output, and the summary of a failure"),
             flag(o.json, {"--json"},
                  "Print what happens, and the tasks' output, as JSON lines with a versioned "
                  "schema")});
      },
      "muster run -n 4 --framework pytorch -- python3 train.py"));
  table.push_back(command(
      "submit", "Start a job and return at once", submit_job,
      [](SubmitCommand& o) { return job_source(o.spec, with(of_spark(o.spark), {json(o.json)})); },
      "muster submit job.yaml --on yarn"));
  table.push_back(command(
      "plan", "Show what a job would request and whether it fits, without changing anything",
      plan_job,
      [](PlanOptions& o) {
        return job_source(
            o.spec,
            {flag(o.yaml, {"--yaml"}, "Print the resulting specification as YAML"), json(o.json)});
      },
      "muster plan job.yaml --set roles.worker.memory=8g"));
  for (Command& each : std::span(table).subspan(first)) {
    each.foreign = of_other_launchers();
  }
}

void add_job_commands(std::vector<Command>& table) {
  table.push_back(command(
      "ps", "List running jobs", list_running,
      [](PsCommand& o) {
        return Parameters{flag(o.all, {"-a", "--all"}, "Include jobs that have ended"),
                          limit(o.limit), on(o.on), json(o.json)};
      },
      "muster ps --all"));
  table.push_back(command(
      "status", "Show the state of a job and its tasks", show_status,
      [](StatusCommand& o) {
        return Parameters{job(o.id), on(o.on), json(o.json),
                          flag(o.owner_link, {"--owner-link"},
                               "Print a link to the job's page that can also stop the job")};
      },
      "muster status last"));
  table.push_back(command(
      "logs", "Show the output of a job's tasks", show_logs,
      [](LogsOptions& o) {
        return Parameters{
            job(o.id),
            some_tasks(o.tasks),
            on(o.on),
            flag(o.follow, {"-f", "--follow"}, "Show new output as it comes, until the job ends"),
            option(o.since, {"--since"}, "TIME",
                   "Only what came after this, as in 10m or 2026-11-21T09:30:00Z"),
            option(o.grep, {"--grep"}, "REGEX", "Only lines that match this regular expression"),
            option(o.tail, {"--tail"}, "N", "Only the last N lines of each task"),
            flag(o.timestamps, {"-t", "--timestamps"}, "Show when each line was written"),
            option(o.attempt, {"--attempt"}, "N", "Only this attempt (default: all)"),
            choice(&o.stream, {"--stream"}, "NAME", {"stdout", "stderr"},
                   "Only stdout or only stderr"),
            json(o.json)};
      },
      "muster logs last worker:1 --follow"));
  table.push_back(command(
      "stop", "Stop jobs and wait for their end", stop_job,
      [](StopOptions& o) {
        return Parameters{
            argument(o.ids, "JOB...", Kind::LiveJob,
                     "Jobs, each given by its id, the beginning of its id, the cluster's id for "
                     "it, or `last`",
                     kNameAJob),
            on(o.on),
            flag(o.interrupt, {"--interrupt"},
                 "Interrupt the programs as Ctrl-C would if they were run by hand (SIGINT): Python "
                 "raises KeyboardInterrupt. Programs that keep running get SIGTERM after their "
                 "grace period"),
            flag(o.no_wait, {"--no-wait"}, "Return as soon as the job has been told to stop"),
            json(o.json)};
      },
      "muster stop last"));
  table.push_back(command(
      "why", "Show why a job is waiting or has failed, and what to do", show_why,
      [](WhyCommand& o) { return Parameters{job(o.id), on(o.on), json(o.json)}; },
      "muster why last"));
}

void add_metric_commands(std::vector<Command>& table) {
  table.push_back(command(
      "top", "Show what running jobs and their tasks are using, live", show_top,
      [](TopOptions& o) {
        return Parameters{
            argument(o.id, "JOB", Kind::LiveJob,
                     "A job's id, the beginning of its id, the cluster's id for the job, or `last` "
                     "(default: all running jobs)"),
            on(o.on),
            flag(o.once, {"--once"}, "Print the table once, as when there is no terminal"),
            json(o.json)};
      },
      "muster top last"));
  table.push_back(command(
      "metrics", "Show what a job's tasks used and reported", show_metrics,
      [](MetricsOptions& o) {
        return Parameters{
            job(o.id),
            argument(o.tasks, "TASK...", Kind::Tasks,
                     "Only these roles, tasks or hosts, as in worker, worker:1 or @node7"),
            on(o.on),
            option(o.names, {"--name"}, "NAME",
                   "Only this metric, as in container.cpu.usage, or, with a name that ends in a "
                   "period such as `user.`, all that begin with it; may be repeated"),
            choice(&o.step, {"--step"}, "SECONDS", {"1", "10", "60"},
                   "Average over 10 or 60 seconds (default: 1, every value)"),
            flag(o.csv, {"--csv"}, "Print every value: time,task,attempt,name,unit,value"),
            flag(o.json, {"--json"}, "Print every value as JSON, one object per line")};
      },
      "muster metrics last worker --name container.memory.usage --csv"));
}

void add_account_commands(std::vector<Command>& table) {
  table.push_back(command(
      "eff", "Show how the time that a job was granted was spent", show_account,
      [](EffCommand& o) { return Parameters{job(o.id), on(o.on), json(o.json)}; },
      "muster eff last"));
  table.push_back(command(
      "advise", "Show what to change in a job, and what that will save", show_advice,
      [](AdviseCommand& o) {
        return Parameters{
            job(o.id), on(o.on),
            flag(o.spec, {"--spec"}, "Print the job's specification with the advice in it"),
            json(o.json)};
      },
      "muster advise last"));
  table.push_back(command(
      "usage", "Show how much your jobs used in total", show_usage,
      [](UsageOptions& o) {
        return Parameters{
            choice(
                &o.by, {"--by"}, "WHAT", {"user", "queue", "name", "day", "host"},
                "One row for each user, queue, name, day or host (default: user); days are in UTC"),
            option(o.since, {"--since"}, "TIME",
                   "Only what was used after this, as in 7d or 2026-11-21T09:30:00Z"),
            on(o.on), json(o.json),
            flag(o.csv, {"--csv"}, "Print comma-separated values, with a header line")};
      },
      "muster usage --by day --since 7d"));
  table.push_back(command(
      "hosts", "Show which hosts made jobs fail or slow them down", show_hosts,
      [](HostsOptions& o) { return Parameters{on(o.on), json(o.json)}; }, "muster hosts"));
}

Parameter wait(std::string& text) {
  return option(text, {"--wait"}, "DURATION",
                "How long to wait for a task that is not running now (default: 1m)");
}

Parameter one_task(std::string& task) {
  return argument(task, "ROLE:INDEX", Kind::Tasks,
                  "The task, as in worker:1 (default: the chief, or the first task)");
}

void add_reach_commands(std::vector<Command>& table) {
  table.push_back(command(
      "exec", "Run a command inside running tasks of a job", exec_in_tasks,
      [](ExecOptions& o) {
        return Parameters{
            job(o.id, Kind::LiveJob),
            argument(o.tasks, "ROLE[:INDEX]...", Kind::Tasks,
                     "The tasks, as in worker:1, or worker for all of the role (default: the "
                     "chief, or the first task)"),
            argument(o.arguments, "-- COMMAND...", Kind::AfterDashes,
                     "The program and its arguments; it runs without a shell, in the task's "
                     "environment and working folder"),
            flag(o.terminal, {"-t", "--tty"}, "Give the command a terminal"),
            flag(o.no_input, {"-n", "--no-input"},
                 "Do not read standard input; with several tasks it is never read"),
            option(o.parallel, {"--parallel"}, "N",
                   "Run in at most N tasks at a time (default: 16; at most 52)"),
            wait(o.wait),
            on(o.on)};
      },
      "muster exec last worker:0 -- nvidia-smi"));
  table.push_back(command(
      "shell", "Open a shell inside a running task of a job", open_shell,
      [](ShellOptions& o) {
        return Parameters{
            job(o.id, Kind::LiveJob),
            one_task(o.task),
            flag(o.list, {"--list"}, "Show the shells of the job, or of the task"),
            option(o.join, {"--join"}, "N",
                   "Rejoin shell N of the task, even if somebody else is in it (0: the only one "
                   "that nobody is in)"),
            option(o.detach_keys, {"--detach-keys"}, "KEYS",
                   "The keys that leave the shell running, as in ctrl-p,ctrl-q, or none (default: "
                   "ctrl-],d)"),
            wait(o.wait),
            on(o.on),
            flag(o.json, {"--json"}, "Print the list as JSON with a versioned schema")};
      },
      "muster shell last worker:0"));
  table.back().notes =
      "A shell belongs to its task and ends with it. It keeps running when you leave it, when your "
      "terminal is closed or when the job's master dies; after three days with nobody in it, it is "
      "ended.";
}

void add_ssh_commands(std::vector<Command>& table) {
  table.push_back(command(
      "ssh-config", "Print the configuration that ssh, scp and editors need to reach a job's tasks",
      configure_ssh,
      [](SshConfigOptions& o) {
        return Parameters{
            job(o.id, Kind::LiveJob), some_tasks(o.tasks),
            flag(o.write, {"--write"},
                 "Write it into $MUSTER_HOME/ssh_config, for an Include in ~/.ssh/config"),
            wait(o.wait), on(o.on)};
      },
      "muster ssh-config last --write"));
  table.back().notes =
      "The task needs OpenSSH's server (sshd), which is started for each connection, without root "
      "and without a port.";
  table.push_back(command(
      "ssh-proxy", "", serve_ssh,
      [](SshProxyOptions& o) {
        return Parameters{job(o.id, Kind::LiveJob), one_task(o.task), on(o.on)};
      },
      "muster ssh-proxy last worker:0"));
}

void add_stacks_command(std::vector<Command>& table) {
  table.push_back(command(
      "stacks", "Show what the threads of a job's tasks are doing now", show_stacks,
      [](StacksOptions& o) {
        return Parameters{
            job(o.id, Kind::LiveJob), some_tasks(o.tasks),
            flag(o.native, {"--native"},
                 "Include native frames where the host has gdb or eu-stack; stops each process for "
                 "a moment"),
            on(o.on), json(o.json)};
      },
      "muster stacks last"));
}

void add_debug_command(std::vector<Command>& table) {
  table.push_back(command(
      "debug", "Look closely at a process of a task: its stacks, a profile, a debugger", debug_task,
      [](DebugOptions& o) {
        return Parameters{
            job(o.id, Kind::LiveJob),
            one_task(o.task),
            {.names = {"WHAT"},
             .field = &o.what,
             .help =
                 "dump: what its threads do now (the default). record: a profile for "
                 "speedscope.app. flame: a flame graph, as SVG. top: where its time goes, live. "
                 "gdb: the debugger",
             .kind = Kind::Choice,
             .choices = {"dump", "record", "top", "flame", "gdb"}},
            option(o.seconds, {"--time"}, "DURATION",
                   "How long to record (default: 10s; at most 1h)"),
            option(o.rate, {"--rate"}, "N", "Samples per second (default: 100; at most 1000)"),
            option(o.pid, {"--pid"}, "N", "Look at this process of the task"),
            option(o.output, {"-o", "--output"}, "FILE",
                   "Where to write the profile (default: ROLE-INDEX.svg or "
                   "ROLE-INDEX.speedscope.json in this folder)",
                   Kind::File),
            flag(o.native, {"--native"}, "Include native frames"),
            wait(o.wait),
            on(o.on)};
      },
      "muster debug last worker:0 flame"));
}

void add_forward_command(std::vector<Command>& table) {
  table.push_back(command(
      "forward", "Reach ports of a task's host from this machine", forward_ports,
      [](ForwardOptions& o) {
        return Parameters{
            job(o.id, Kind::LiveJob),
            one_task(o.task),
            argument(o.ports, "[LOCAL:]PORT...", Kind::Text,
                     "The ports there, each with the port of 127.0.0.1 that leads to it (default: "
                     "the same; 0: any free one), as in 8265 or 0:8265"),
            option(
                o.socks, {"--socks"}, "PORT",
                "Instead of forwarding single ports, run a SOCKS 5 proxy on this port of 127.0.0.1 "
                "(0: any free one); it reaches all hosts of the job, by name or as ROLE-INDEX"),
            flag(o.relay, {"--relay"},
                 "Have the job's master pass everything on, even if the task's host can be reached "
                 "directly"),
            flag(o.any_user, {"--any-user"},
                 "Let every user of this machine connect, not only you and root"),
            wait(o.wait),
            on(o.on)};
      },
      "muster forward last worker:0 8265"));
}

void add_notebook_command(std::vector<Command>& table) {
  table.push_back(command(
      "notebook", "Run a notebook in a job, and reach it from this machine", open_notebook,
      [](NotebookOptions& o) {
        return Parameters{
            argument(o.id, "JOB", Kind::LiveJob,
                     "Come back to the notebook of this job (default: start a new one)"),
            option(o.spec.on, {"--on"}, "CLUSTER",
                   "Where to run: local (the default), yarn, or a cluster named in the site file",
                   Kind::Cluster),
            option(o.spec.memory, {"--memory"}, "SIZE", "The notebook's memory, as in 8g"),
            option(o.spec.vcores, {"--vcores"}, "N", "The notebook's cores"),
            option(o.spec.gpus, {"--gpus"}, "N", "The notebook's GPUs"),
            option(o.spec.name, {"--name"}, "NAME", "The job's name (default: notebook)"),
            option(o.folder, {"--folder"}, "FOLDER",
                   "Where its files are kept. On a cluster: hdfs://..., saved as they change "
                   "(default: notebooks/NAME in your HDFS folder), or a folder on the cluster's "
                   "hosts. On this machine: any folder (default: the current one)",
                   Kind::File),
            sets(o.spec.sets),
            port(o.port),
            option(o.idle, {"--idle"}, "DURATION",
                   "End a notebook that nobody has used for this long (default: 4h; 0s: never)"),
            option(o.wait, {"--wait"}, "DURATION",
                   "How long to wait for the notebook to start (default: 15m)")};
      },
      "muster notebook --on yarn --memory 8g"));
}

void add_copy_command(std::vector<Command>& table) {
  table.push_back(command(
      "cp", "Copy files and folders between this machine and running tasks of a job", copy_files,
      [](CopyOptions& o) {
        return Parameters{
            argument(o.paths, "FROM... TO", Kind::File,
                     "JOB:TASK:PATH for a file of a task, as in "
                     "last:worker:0:model.pt, or last:worker:model.pt for all of the role; "
                     "relative paths start in the task's working folder",
                     "name what to copy and where to"),
            flag(o.recursive, {"-r", "--recursive"},
                 "Copy folders with everything in them; permissions, times and links are kept"),
            on(o.on)};
      },
      "muster cp last:worker:0:model.pt ."));
}

void add_record_commands(std::vector<Command>& table) {
  table.push_back(command(
      "show", "Show everything that happened in a job", show_job,
      [](ShowCommand& o) {
        return Parameters{job(o.id), on(o.on),
                          flag(o.page, {"--page"},
                               "Instead, serve the page of an ended job on a port of this machine"),
                          json(o.json)};
      },
      "muster show last --page"));
  table.push_back(command(
      "history", "List jobs that have ended", list_ended,
      [](HistoryCommand& o) { return Parameters{limit(o.limit), on(o.on), json(o.json)}; },
      "muster history --limit 5"));
  table.push_back(command(
      "portal", "Serve the pages of ended jobs, to you or (--serve) to a team", run_portal,
      [](PortalOptions& o) {
        return Parameters{
            argument(o.id, "JOB", Kind::EndedJob, "Show this job first"),
            port(o.port),
            on(o.on),
            flag(o.serve, {"--serve"},
                 "Serve a team until interrupted: the jobs of several users, running and ended, "
                 "each to those who may see it"),
            option(o.homes, {"--homes"}, "PATTERN",
                   "With --serve: where users keep their jobs, as in /home/{user}/.muster; may be "
                   "repeated"),
            option(o.tokens, {"--tokens"}, "FILE",
                   "With --serve: the users who may sign in, one line USER TOKEN for each",
                   Kind::File),
            option(o.admins, {"--admin"}, "USER",
                   "With --serve: a user who may see every job; may be repeated"),
            option(o.admins_file, {"--admins"}, "FILE",
                   "With --serve: a file of users who may see every job, one per line", Kind::File),
            option(o.listen, {"--listen"}, "ADDRESS",
                   "With --serve: where to listen (default: 127.0.0.1)"),
            option(o.names, {"--name"}, "HOST",
                   "With --serve: a name under which browsers reach this machine; may be repeated"),
            option(o.certificate, {"--certificate"}, "FILE",
                   "With --serve: the certificates for TLS, in PEM form", Kind::File),
            option(o.key, {"--key"}, "FILE", "With --serve: the certificate's key, in PEM form",
                   Kind::File),
            option(o.proxies, {"--proxy"}, "ADDRESS",
                   "With --serve: a proxy that identifies users in a header; may be repeated"),
            option(o.user_header, {"--user-header"}, "NAME",
                   "With --serve: the header in which the proxy names the user (default: "
                   "X-Forwarded-User)"),
            option(o.keytab, {"--keytab"}, "FILE",
                   "With --serve: identify users by Kerberos; the file has the keys of the HTTP "
                   "service on this host",
                   Kind::File),
            option(o.disk, {"--disk"}, "SIZE",
                   "With --serve: how much disk space copies of a cluster's jobs may take here "
                   "(default: 8g); the output of one job may take a sixteenth of it")};
      },
      "muster portal --port 8080"));
  table.push_back(command(
      "tensorboard", "Run TensorBoard on the event files of a job that has ended", show_tensorboard,
      [](TensorboardOptions& o) {
        return Parameters{job(o.id, Kind::EndedJob), on(o.on),
                          option(o.logdir, {"--logdir"}, "FOLDER",
                                 "The folder or URI with the event files (default: the one that "
                                 "the job names)",
                                 Kind::File),
                          port(o.port)};
      },
      "muster tensorboard last"));
}

void add_spec_commands(std::vector<Command>& table) {
  table.push_back(command(
      "validate", "Check a specification", validate_spec,
      [](SpecFileOptions& o) {
        return Parameters{spec_file(o.spec, "name the specification's file"), sets(o.sets),
                          json(o.json)};
      },
      "muster validate job.yaml"));
  table.push_back(command(
      "explain", "Explain a key of the specification", explain_key,
      [](ExplainOptions& o) {
        return Parameters{
            argument(o.key, "KEY", Kind::Key,
                     "A key, as in roles.worker.memory; without one all keys are listed"),
            flag(o.json_schema, {"--json-schema"}, "Print the JSON Schema of the specification"),
            flag(o.markdown, {"--markdown"}, "Print the reference page")};
      },
      "muster explain restart.window"));
  table.push_back(command(
      "config", "Show the configuration and where each value comes from", show_config,
      [](ConfigOptions& o) {
        return Parameters{
            option(o.explain, {"--explain"}, "KEY",
                   "Show the value of one key in each layer, and which one applies", Kind::Key),
            option(o.spec, {"--spec"}, "SPEC", "Take this specification into account", Kind::File),
            sets(o.sets), json(o.json)};
      },
      "muster config --explain logs.keep"));
  table.push_back(command(
      "init", "Write a specification and a program to start from", init_folder,
      [](InitOptions& o) {
        return Parameters{
            argument(o.template_name, "TEMPLATE", Kind::Template,
                     "The template's name; --list shows them all"),
            argument(o.folder, "FOLDER", Kind::File, "Where to write (default: here)"),
            flag(o.list, {"--list"}, "List the templates"),
            flag(o.force, {"--force"}, "Overwrite files that exist")};
      },
      "muster init pytorch-ddp digits"));
}

/// Makes one command of `muster fs`; `names` says what its paths are called.
template <class Own>
Command fs_command(fs::Verb verb, std::string_view name, std::string_view summary, Parameter names,
                   Own own, std::string_view example) {
  return command(
      name, summary, run_fs,
      [&](fs::Options& o) {
        o.verb = verb;
        names.field = &o.paths;
        return with({names, option(o.conf, {"--conf"}, "FOLDER",
                                   "The folder of core-site.xml (default: $HADOOP_CONF_DIR, "
                                   "/etc/hadoop/conf)",
                                   Kind::File)},
                    own(o));
      },
      example);
}

/// `field` of what it returns is set by fs_command.
Parameter paths(std::string_view name, Kind kind, std::string_view missing = "name a path") {
  return {.names = {name},
          .field = static_cast<bool*>(nullptr),
          .help = "hdfs://HOST:PORT/PATH, /PATH, or a path below /user/YOU",
          .kind = kind,
          .missing = missing};
}

/// The same for a copy between this machine and HDFS.
Parameter copied_paths(std::string_view name) {
  Parameter made = paths(name, Kind::File);
  made.help =
      "LOCAL is on this machine; PATH is hdfs://HOST:PORT/PATH, /PATH, or a path below /user/YOU";
  return made;
}

Parameters copy_options(fs::Options& o) {
  return {flag(o.force, {"-f", "--force"}, "Overwrite files that exist"),
          flag(o.quiet, {"-q", "--quiet"}, "Do not show progress")};
}

void add_fs_commands(std::vector<Command>& table) {
  const auto none = [](fs::Options&) { return Parameters{}; };
  table.push_back({.name = "fs",
                   .summary = "Work with files in HDFS, without a JVM",
                   .example = "muster fs ls -h /data",
                   .notes = "In HDFS paths *, ?, [a-z], [^a], {a,b} and \\ are wildcards; local "
                            "names are taken literally. A target that ends in / is a folder. - "
                            "stands for standard input or output."});
  table.push_back(fs_command(
      fs::Verb::Ls, "fs ls", "List folders and files (without a path: /user/YOU)",
      paths("PATH...", Kind::Text, ""),
      [](fs::Options& o) {
        return Parameters{flag(o.recursive, {"-R", "--recursive"}, "Also list everything below"),
                          flag(o.directory, {"-d", "--directory"}, "List the folders themselves"),
                          flag(o.human, {"-h", "--human"}, "Show sizes as in 1.5 GiB"),
                          json(o.json)};
      },
      "muster fs ls -h /data"));
  table.push_back(fs_command(fs::Verb::Cat, "fs cat", "Write files to standard output",
                             paths("PATH...", Kind::Text), none, "muster fs cat /data/part-*"));
  table.push_back(fs_command(fs::Verb::Put, "fs put", "Copy local files and folders to HDFS",
                             copied_paths("LOCAL... PATH"), copy_options,
                             "muster fs put data.csv /data/"));
  table.push_back(
      fs_command(fs::Verb::Get, "fs get", "Copy files and folders from HDFS to this machine",
                 copied_paths("PATH... [LOCAL]"), copy_options, "muster fs get /data/model ."));
  table.push_back(fs_command(
      fs::Verb::Rm, "fs rm", "Remove files and folders", paths("PATH...", Kind::Text),
      [](fs::Options& o) {
        return Parameters{
            flag(o.recursive, {"-r", "-R", "--recursive"},
                 "Also remove folders, with everything below them"),
            flag(o.force, {"-f", "--force"}, "Do not complain about paths that do not exist"),
            flag(o.skip_trash, {"--skip-trash", "-skipTrash"},
                 "Delete permanently, even if the cluster has a trash folder")};
      },
      "muster fs rm -r /data/old"));
  table.push_back(fs_command(
      fs::Verb::Mkdir, "fs mkdir", "Make folders", paths("PATH...", Kind::Text),
      [](fs::Options& o) {
        return Parameters{flag(o.parents, {"-p", "--parents"},
                               "Also make missing parent folders; a folder may exist already")};
      },
      "muster fs mkdir -p /data/2026/11"));
  table.push_back(fs_command(fs::Verb::Mv, "fs mv", "Rename, or move into a folder",
                             paths("PATH... TARGET", Kind::Text), none,
                             "muster fs mv /data/a /data/b"));
  table.push_back(fs_command(
      fs::Verb::Stat, "fs stat", "Show the details of files and folders",
      paths("PATH...", Kind::Text), [](fs::Options& o) { return Parameters{json(o.json)}; },
      "muster fs stat /data"));
}

void add_machine_commands(std::vector<Command>& table) {
  table.push_back(command(
      "demo", "Watch four small tasks survive a crash, in two seconds", demo,
      [](DemoOptions& o) {
        return Parameters{flag(o.fast, {"--fast"}, "Leave out the explanations")};
      },
      "muster demo"));
  table.push_back(command(
      "doctor", "Check that this machine and a YARN cluster can run jobs", check_machine,
      [](DoctorOptions& o) {
        return Parameters{option(o.on, {"--on"}, "CLUSTER", "Check this cluster", Kind::Cluster),
                          flag(o.deep, {"--deep"},
                               "Also check one of its nodes, with a job of one small container"),
                          json(o.json)};
      },
      "muster doctor --on yarn"));
  table.push_back(command(
      "clean", "Remove old jobs", clean_jobs,
      [](CleanOptions& o) {
        return Parameters{
            option(o.older, {"--older"}, "DURATION",
                   "Remove jobs that ended at least this long ago (default: 30d)"),
            option(o.over, {"--over"}, "SIZE",
                   "On this machine: then remove the oldest ones until the rest fits in this "
                   "(default: 5g)"),
            flag(o.all, {"--all"}, "Remove every job that has ended"),
            flag(o.dry_run, {"--dry-run"}, "Only say what would be removed"),
            flag(o.by_itself, {"--by-itself"}, ""),
            option(o.on, {"--on"}, "CLUSTER",
                   "Clean your folder in the HDFS of this cluster instead", Kind::Cluster),
            json(o.json)};
      },
      "muster clean --older 7d --dry-run"));
  Command tony = command(
      "tony", "Run a TonY job", run_tony,
      [](TonyOptions& o) {
        return Parameters{argument(o.arguments, "FLAG...", Kind::Everything,
                                   "The flags of TonY's submitters (`muster tony -help` lists "
                                   "them), after a tony.xml if it is not the one in this folder",
                                   "")};
      },
      "muster tony -executes train.py -src_dir src -conf tony.worker.instances=4");
  tony.notes =
      "Runs on YARN; --on names another cluster. --convert only prints the job as a specification "
      "for `muster run`. --set, --json and --quiet are those of `muster run`. The exit status is 0 "
      "or, as with TonY's client, 255; --muster-exit-status makes it that of `muster run`. Ctrl-C "
      "stops the job.";
  table.push_back(std::move(tony));
}

void add_own_commands(std::vector<Command>& table) {
  table.push_back(command(
      "completion", "Print a completion script for a shell", print_completion,
      [](CompletionOptions& o) {
        return Parameters{{.names = {"SHELL"},
                           .field = &o.shell,
                           .help = "bash, zsh or fish",
                           .kind = Kind::Choice,
                           .choices = {"bash", "zsh", "fish"},
                           .missing = "name a shell: bash, zsh or fish"}};
      },
      "muster completion bash"));
  table.push_back(command(
      "completion words", "", complete_words,
      [](CompletionWords& o) {
        return Parameters{argument(o.typed, "-- WORD...", Kind::AfterDashes, "")};
      },
      "muster completion words -- status"));
  table.push_back(command(
      "help", "Print the help text of a command", print_help,
      [](HelpOptions& o) {
        return Parameters{
            argument(o.command, "COMMAND...", Kind::Command, "A command, as in run or fs put"),
            flag(o.man, {"--man"}, "Print the manual page"),
            flag(o.markdown, {"--markdown"}, "Print the reference page of all commands")};
      },
      "muster help fs put"));
  table.push_back(command(
      "version", "Print the version", print_version,
      [](VersionOptions& o) {
        return Parameters{flag(o.all, {"--all"},
                               "Also list the libraries in the program, with the versions of their "
                               "Debian packages"),
                          json(o.json)};
      },
      "muster version --all"));
  table.push_back(command(
      "master", "", run_master,
      [](MasterCommand& o) {
        return with(
            {option(o.job_folder, {"--job"}, "FOLDER", ""), option(o.on, {"--on"}, "CLUSTER", ""),
             option(o.ready_fd, {"--ready-fd"}, "FD", ""),
             option(o.lock_fd, {"--lock-fd"}, "FD", ""), flag(o.followed, {"--followed"}, "")},
            of_spark(o.spark));
      },
      "muster master --job FOLDER"));
}

}  // namespace

cli::Table command_table() {
  std::vector<Command> rows;
  add_start_commands(rows);
  add_job_commands(rows);
  add_metric_commands(rows);
  add_account_commands(rows);
  add_reach_commands(rows);
  add_ssh_commands(rows);
  add_stacks_command(rows);
  add_debug_command(rows);
  add_forward_command(rows);
  add_notebook_command(rows);
  add_copy_command(rows);
  add_record_commands(rows);
  add_spec_commands(rows);
  add_fs_commands(rows);
  add_machine_commands(rows);
  add_own_commands(rows);
  return {.summary = "Runs distributed machine-learning jobs on the clusters you already have",
          .example = "muster run -n 2 -- python3 train.py",
          .version = kVersion,
          .reference_head = kReferenceHead,
          .rows = std::move(rows),
          .foreign = commands_of_others()};
}

}  // namespace muster::app
