#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What the user typed, by command, before anything is checked. Filled by parse_command_line.
namespace muster::client {

/// What a SIGINT does to a followed job.
enum class OnInterrupt : uint8_t {
  /// A command that was typed is interrupted. For a job from a file on a terminal, the first
  /// detaches and a second within 3 s stops; elsewhere it stops.
  Auto,
  Detach,
  Stop,
  Interrupt,  ///< Its programs get SIGINT; on a second one SIGTERM; a third leaves.
};

/// run, submit, plan: everything that makes up a Spec.
struct SpecOptions {
  std::string spec;               ///< The file; empty for the quick form.
  std::string on;                 ///< "local", "yarn" or a cluster of the site file; empty: local.
  std::string proxy_user;         ///< On whose behalf a YARN job runs; empty: one's own.
  std::vector<std::string> sets;  ///< KEY=VALUE
  std::optional<uint32_t> tasks;  ///< -n
  std::optional<std::string> framework;
  std::vector<std::string> roles;     ///< --role ps=1,memory=2g
  std::optional<std::string> memory;  ///< --memory, as typed; so the next three.
  std::optional<std::string> vcores;
  std::optional<std::string> gpus;
  std::optional<std::string> max_restarts;
  std::optional<std::string> name;
  std::vector<std::string> arguments;  ///< After `--`.
};

/// For a job on the executors of a Spark application; set by its driver's Python code.
struct SparkOptions {
  int link_fd = -1;         ///< The socket to it; -1: not such a job.
  std::string listen_host;  ///< The literal address that the executors reach the driver by.
};

struct RunOptions {
  SpecOptions spec;
  OnInterrupt on_interrupt = OnInterrupt::Auto;
  bool stops_at_hang_up = false;  ///< SIGHUP stops the job instead of only detaching.
  std::string exit_code_from;     ///< A role; empty: the table of docs/failures.md.
  bool quiet = false;             ///< Only the tasks' output and the end.
  bool json = false;              ///< submit: the answer as JSON. run: JSON lines (RunEvents).
  SparkOptions spark;             ///< submit only.
};

struct RunCommand : RunOptions {};
struct SubmitCommand : RunOptions {};

struct PlanOptions {
  SpecOptions spec;
  bool yaml = false;
  bool json = false;
};

struct JobOptions {
  std::string id;
  std::string on;  ///< Where to look; empty: here, then on the cluster that is configured.
  bool json = false;
};

struct StatusCommand : JobOptions {
  bool owner_link = false;  ///< Print the link by which the page can stop the job, instead.
};
struct ShowCommand : JobOptions {
  bool page = false;  ///< Serve its page instead.
};
struct WhyCommand : JobOptions {};
struct EffCommand : JobOptions {};
struct AdviseCommand : JobOptions {
  bool spec = false;  ///< The specification with the advice in it.
};

struct UsageOptions {
  std::string by = "user";  ///< "user", "queue", "name", "day" or "host".
  std::string since;        ///< As LogsOptions::since; empty: all that is kept.
  std::string on;           ///< As ListOptions::on.
  bool json = false;
  bool csv = false;
};

struct HostsOptions {
  std::string on;  ///< As ListOptions::on.
  bool json = false;
};

struct ListOptions {
  std::string on;  ///< As JobOptions::on; empty: only jobs that this host knows.
  bool all = false;
  std::optional<uint32_t> limit;  ///< None: 20 for people, all as JSON.
  bool json = false;
};

struct PsCommand : ListOptions {};
struct HistoryCommand : ListOptions {};

struct LogsOptions {
  std::string id;
  std::string on;
  std::vector<std::string> tasks;  ///< "worker" or "worker:1"; none: all.
  bool follow = false;
  std::string since;  ///< A duration ("10m") or an ISO time.
  std::string grep;   ///< An RE2 expression.
  std::optional<uint32_t> tail;
  bool timestamps = false;
  std::optional<uint32_t> attempt;
  std::string stream;  ///< "stdout", "stderr"; empty: both.
  bool json = false;
};

struct MetricsOptions {
  std::string id;
  std::string on;
  std::vector<std::string> tasks;  ///< "worker", "worker:1" or "@HOST"; none: all.
  std::vector<std::string> names;  ///< Whole, or a beginning that ends in "."; none: all.
  std::string step;                ///< "1", "10", "60"; empty: 1.
  bool json = false;
  bool csv = false;
};

struct TopOptions {
  std::string id;  ///< Empty: all jobs that run.
  std::string on;  ///< As JobOptions::on.
  bool once = false;
  bool json = false;  ///< Once, as JSON.
};

struct TensorboardOptions {
  std::string id;
  std::string on;      ///< As JobOptions::on.
  std::string logdir;  ///< The folder or URI to read; empty: what the job names.
  uint16_t port = 0;   ///< 0: any free one.
};

struct PortalOptions {
  std::string id;     ///< The job to show; empty: the list.
  std::string on;     ///< As ListOptions::on.
  uint16_t port = 0;  ///< 0: any free one.

  bool serve = false;              ///< For a team; what follows belongs to it.
  std::vector<std::string> homes;  ///< Patterns, as cluster::TeamOptions has them.
  std::string tokens;              ///< The file of a TokenBook.
  std::vector<std::string> admins;
  std::string admins_file;  ///< Of an AdminBook; "" for none.
  std::string listen = "127.0.0.1";
  std::vector<std::string> names;  ///< By which browsers may call this machine.
  std::string certificate;
  std::string key;
  std::vector<std::string> proxies;  ///< IP addresses.
  std::string user_header = "x-forwarded-user";
  std::string keytab;       ///< With the keys of the service HTTP; "" for no Kerberos.
  std::string disk = "8g";  ///< cluster::TeamOptions::disk_max, as a size.
};

struct StopOptions {
  std::vector<std::string> ids;
  std::string on;
  bool interrupt = false;  ///< SIGINT first, like a Ctrl-C by hand.
  bool no_wait = false;
  bool json = false;
};

struct ExecOptions {
  std::string id;
  std::string on;
  std::vector<std::string> tasks;      ///< "worker" or "worker:1"; none: the chief, or the first.
  std::vector<std::string> arguments;  ///< The command.
  bool terminal = false;
  bool no_input = false;
  std::optional<uint32_t> parallel;  ///< How many tasks at a time; none: 16.
  std::string wait = "1m";           ///< How long for a task that does not run now.
};

/// forward
struct ForwardOptions {
  std::string id;
  std::string on;
  std::string task;  ///< "worker:1", or the first port; empty: the chief, or the first.
  std::vector<std::string> ports;    ///< "8265" or "0:8265".
  std::optional<std::string> socks;  ///< The port of this machine for all hosts of the job.
  bool relay = false;                ///< Never dial a task's host.
  bool any_user = false;             ///< ForwardPlan::any_user.
  std::string wait = "1m";           ///< How long for a task that does not run now.
};

/// notebook: `id` returns to one that is running.
struct NotebookOptions {
  std::string id;
  SpecOptions spec;    ///< Of a new one; its `on` is where `id` is looked for, too.
  std::string folder;  ///< Of its files, in HDFS or on the host; "": the cluster's own choice.
  uint16_t port = 0;
  std::string idle = "4h";
  std::string wait = "15m";
};

/// stacks.
struct StacksOptions {
  std::string id;
  std::string on;
  std::vector<std::string> tasks;  ///< "worker" or "worker:1"; none: all.
  bool native = false;             ///< Native frames, too.
  bool json = false;
};

/// debug
struct DebugOptions {
  std::string id;
  std::string on;
  std::string task;              ///< "worker:1"
  std::string what = "dump";     ///< "dump", "record", "top", "flame" or "gdb".
  std::string seconds = "10s";   ///< record, flame: for how long.
  std::optional<uint32_t> rate;  ///< Of samples a second; none: 100.
  std::optional<uint32_t> pid;   ///< Of the task's processes; none: its Python process.
  std::string output;            ///< record, flame: the file; empty: named for the task.
  bool native = false;
  std::string wait = "1m";
};

/// cp: the last of `paths` is the target.
struct CopyOptions {
  std::vector<std::string> paths;  ///< JOB:TASK:PATH, or a path of this machine.
  bool recursive = false;          ///< Folders with all that is in them.
  std::string on;
};

struct ShellOptions {
  std::string id;
  std::string on;
  std::string task;  ///< "worker:1"; empty: the chief, or the first.
  std::string wait = "1m";
  std::optional<uint32_t> join;  ///< The number of a shell; 0: the only one that was left.
  bool list = false;
  bool json = false;  ///< Of the list.
  std::string detach_keys = "ctrl-],d";
};

/// ssh-config
struct SshConfigOptions {
  std::string id;
  std::string on;
  std::vector<std::string> tasks;  ///< "worker" or "worker:1"; none: all.
  bool write = false;              ///< Into the file that Muster keeps.
  std::string wait = "1m";
};

/// ssh-proxy
struct SshProxyOptions {
  std::string id;
  std::string on;
  std::string task;
};

struct SpecFileOptions {
  std::string spec;
  std::vector<std::string> sets;
  bool json = false;
};

struct ExplainOptions {
  std::string key;
  bool json_schema = false;
  bool markdown = false;
};

struct ConfigOptions {
  std::string explain;
  std::string spec;
  std::vector<std::string> sets;
  bool json = false;
};

struct InitOptions {
  std::string template_name;
  std::string folder = ".";
  bool list = false;
  bool force = false;
};

struct CleanOptions {
  std::string on;     ///< A YARN cluster; empty: this host's jobs.
  std::string older;  ///< A duration; empty: 30 days.
  std::string over;   ///< A size; empty: 5g.
  bool all = false;
  bool dry_run = false;
  bool by_itself = false;  ///< Unasked: at most once a day, and only as the site says.
  bool json = false;
};

/// tony: arguments in TonY's own form, which differs from this command line's.
struct TonyOptions {
  std::vector<std::string> arguments;
};

struct CompletionOptions {
  std::string shell;
};

/// completion words: what the `completion` scripts ask for.
struct CompletionWords {
  std::vector<std::string> typed;  ///< After "muster", the last one unfinished.
};

struct VersionOptions {
  bool all = false;  ///< The libraries in the program, too.
  bool json = false;
};

struct DoctorOptions {
  std::string on;     ///< The cluster to look at; empty: this machine and what is configured.
  bool deep = false;  ///< Also check a node, by a job with one container.
  bool json = false;
};

struct DemoOptions {
  bool fast = false;  ///< Without the pauses that let people read along.
};

struct MasterCommand {
  std::string job_folder;
  int ready_fd = -1;      ///< Where to report that it listens; -1: nobody waits.
  int lock_fd = -1;       ///< The job's lock, held as long as this process lives.
  bool followed = false;  ///< Whoever started it follows the job at once.
  SparkOptions spark;
  std::string on;  ///< The kind of cluster that started it; empty: local.
};

}  // namespace muster::client
