#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What the user typed, by command, before anything is looked at. Filled by parse_command_line.
namespace muster::app {

/// What a SIGINT does to a followed job.
enum class OnInterrupt : uint8_t {
  Auto,  ///< On a terminal the first detaches and a second within 3 s stops; else it stops.
  Detach,
  Stop,
};

/// run, submit, plan: everything that makes a Spec.
struct SpecOptions {
  std::string spec;               ///< The file; empty for the quick form.
  std::string on;                 ///< "local", "yarn" or a cluster of the site file; empty: local.
  std::string proxy_user;         ///< On whose behalf a YARN job runs; empty: one's own.
  std::vector<std::string> sets;  ///< KEY=VALUE
  std::optional<uint32_t> tasks;  ///< -n
  std::optional<std::string> framework;
  std::vector<std::string> roles;  ///< --role ps=1,memory=2g
  std::optional<std::string> name;
  std::vector<std::string> words;  ///< After `--`.
};

/// Where a job runs on the executors of a Spark application: said by its driver's Python.
struct SparkOptions {
  int link_fd = -1;         ///< The socket to it; -1: this is no such job.
  std::string listen_host;  ///< The literal address that the executors reach the driver by.
};

struct RunOptions {
  SpecOptions spec;
  OnInterrupt on_interrupt = OnInterrupt::Auto;
  std::string exit_code_from;  ///< A role; empty: the table of design 6.
  bool quiet = false;          ///< Only the tasks' output and the end.
  bool json = false;           ///< submit: the answer as JSON. run: the final status.
  SparkOptions spark;          ///< submit only.
};

struct PlanOptions {
  SpecOptions spec;
  bool yaml = false;
  bool json = false;
};

/// fs: one command of several on files of HDFS.
struct FsOptions {
  enum class Verb : uint8_t { Ls, Cat, Put, Get, Rm, Mkdir, Mv, Stat };

  Verb verb = Verb::Ls;
  std::vector<std::string> paths;  ///< In order; the target of put, get and mv is the last.
  std::string conf;                ///< The folder of core-site.xml; empty: looked for.
  bool recursive = false;          ///< ls -R, rm -r
  bool directory = false;          ///< ls -d: the folder itself.
  bool human = false;              ///< ls -h: 1.5 GiB instead of bytes.
  bool force = false;              ///< put -f, get -f: overwrite; rm -f: missing is success.
  bool parents = false;            ///< mkdir -p
  bool skip_trash = false;         ///< rm --skip-trash
  bool quiet = false;              ///< put -q, get -q: no progress.
  bool json = false;
};

struct JobOptions {
  std::string id;
  std::string on;  ///< Where to look; empty: here, then on the cluster that is configured.
  bool json = false;
};

struct ListOptions {
  std::string on;  ///< As JobOptions::on; empty: only jobs that this host knows.
  bool all = false;
  uint32_t limit = 20;
  bool json = false;
};

struct LogsOptions {
  std::string id;
  std::string on;
  std::string task;  ///< "worker" or "worker:1"; empty: all.
  bool follow = false;
  std::string since;  ///< A duration ("10m") or an ISO time.
  std::string grep;   ///< An RE2 expression.
  std::optional<uint32_t> tail;
  std::optional<uint32_t> attempt;
  std::string stream;  ///< "stdout", "stderr"; empty: both.
  bool json = false;
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
};

struct StopOptions {
  std::string id;
  std::string on;
  bool no_wait = false;
  bool json = false;
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
  bool by_itself = false;  ///< Nobody asked: at most once a day, and only what the site says.
  bool json = false;
};

/// tony: words in TonY's own form, which is not this command line's.
struct TonyOptions {
  std::vector<std::string> words;
};

struct CompletionOptions {
  std::string shell;
  std::vector<std::string> words;  ///< For `--complete`: the words typed so far.
};

struct MasterCommand {
  std::string job_folder;
  int ready_fd = -1;      ///< Where to say that it listens; -1: nobody waits.
  int lock_fd = -1;       ///< The job's lock, held as long as this process lives.
  bool followed = false;  ///< Who started it follows the job at once.
  SparkOptions spark;
  std::string on;  ///< The kind of cluster that started it; empty: local.
};

}  // namespace muster::app
