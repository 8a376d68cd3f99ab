#include "spec/keys/key_units.h"
#include "spec/names.h"
#include "spec/read/codec.h"

#include <array>
#include <limits>
#include <span>

// The groups of keys below a key of the specification: `restart: {...}` and so on. One
// row is one key; its type and its built-in value are those of the field. README.md lists the
// steps for a new key.

namespace muster::spec {
namespace {

constexpr int64_t kTriesMax = 1'000'000;

}  // namespace

template <>
std::span<const Row> rows_of<File>() {
  static constexpr std::array kRows = {
      row<&File::src>("src", {.doc = "What to bring along: a path relative to the specification, "
                                     "an absolute path, or a URI like hdfs:///data/train.tgz.",
                              .required = true,
                              .check = wrong_word,
                              .also = "source path from"}),
      row<&File::as>("as", {.doc = "The name it gets in the task's folder.",
                            .unset = "the last part of src",
                            .check = wrong_place,
                            .also = "to target dest name"}),
      row<&File::unpack>("unpack",
                         {.doc = "Whether an archive is unpacked on arrival. auto unpacks .zip, "
                                 ".tar, .tar.gz, .tgz, .tar.bz2, .tar.xz and .tar.zst.",
                          .also = "extract archive"})};
  return kRows;
}

template <>
std::span<const Row> rows_of<SecretSource>() {
  static constexpr std::array kRows = {
      row<&SecretSource::from_env>(
          "from_env",
          {.doc = "The variable of your own environment that holds the value when you submit the "
                  "job. The value reaches the job's master in its environment (on YARN among the "
                  "job's credentials) and tasks over the encrypted channel; no file of the job, no "
                  "log and no page contains it.",
           .check = wrong_word}),
      row<&SecretSource::from_file>(
          "from_file",
          {.doc = "The local file that holds the value, relative to the specification; one "
                  "trailing line break is dropped. It is kept secret in the same way.",
           .check = wrong_word})};
  return kRows;
}

template <>
std::span<const Row> rows_of<Python>() {
  static constexpr std::array kRows = {
      row<&Python::env>("env",
                        {.doc = "The Python environment to bring along: an archive or a folder "
                                "made by venv-pack or conda-pack. File modes are kept.",
                         .unset = "the interpreter that the task finds on PATH",
                         .check = wrong_line,
                         .also = "venv conda archive"}),
      row<&Python::interpreter>(
          "interpreter",
          {.doc = "The interpreter: relative to env, or absolute if no env is given. Its folder "
                  "comes first on PATH, so that python3 in a command means this one.",
           .unset = "bin/python3",
           .check = wrong_line,
           .also = "python binary executable"})};
  return kRows;
}

constexpr std::string_view kMoves =
    "3, but 0 for a program that ended by itself, because moving it would not help";

template <>
std::span<const Row> rows_of<Restart>() {
  static constexpr std::array kRows = {
      row<&Restart::process>(
          "process",
          {.doc = "How often a failed task is restarted in its container within the window.",
           .max = kTriesMax,
           .also = "task retries max_retries max_restarts"}),
      row<&Restart::container>("container",
                               {.doc = "How often it is then restarted in a new container.",
                                .unset = kMoves,
                                .max = kTriesMax}),
      row<&Restart::host>("host", {.doc = "How often it is then restarted on another host.",
                                   .unset = kMoves,
                                   .max = kTriesMax}),
      row<&Restart::job>("job",
                         {.doc = "How often all containers are then released and requested again.",
                          .max = kTriesMax}),
      row<&Restart::infrastructure>("infrastructure",
                                    {.doc = "How many lost hosts and preemptions are replaced. "
                                            "They count here and not against the rungs above.",
                                     .max = kTriesMax}),
      row<&Restart::window>(
          "window",
          {.doc =
               "Only restarts within this time count. With none, every restart of the job counts.",
           .min = kSecond,
           .none = true}),
      row<&Restart::backoff>("backoff",
                             {.doc = "The delay before a restart: the low end times 2^(n-1) before "
                                     "the n-th one within the window, but at most the high end."})};
  return kRows;
}

template <>
std::span<const Row> rows_of<Stall>() {
  static constexpr std::array kRows = {
      row<&Stall::after>(
          "after",
          {.doc =
               "How long tasks that belong together must all have written nothing, computed next "
               "to nothing and moved no files before they count as hanging. Then their stacks are "
               "read once, and the suspect is named. With none, Muster never looks.",
           .min = kSecond,
           .none = true,
           .also = "timeout"}),
      row<&Stall::then>(
          "then", {.doc = "What follows. report: it is shown. restart: the suspect is ended, "
                          "its host is avoided, and it is restarted within the budgets of restart. "
                          "fail: the job fails.",
                   .also = "action"})};
  return kRows;
}

template <>
std::span<const Row> rows_of<Hosts>() {
  static constexpr std::array kRows = {
      row<&Hosts::avoid>(
          "avoid", {.doc = "Hosts, by the cluster's names for them, that are used only if there is "
                           "no other. At most a third of the cluster's hosts are avoided.",
                    .unset = "none",
                    .check = wrong_word,
                    .also = "exclude blacklist"}),
      row<&Hosts::remembered>("remembered", {.doc = "Also avoids the hosts that caused trouble for "
                                                    "earlier jobs, as listed by muster hosts."})};
  return kRows;
}

template <>
std::span<const Row> rows_of<Match>() {
  static constexpr std::array kRows = {
      row<&Match::exit_code>(
          "exit_code", {.doc = "The exit code of the task; one that ends with 0 has not failed.",
                        .min = 1,
                        .max = 255,
                        .also = "code exit status"}),
      row<&Match::signal, SignalCodec>(
          "signal", {.doc = "The signal that ended the task, by number or name: 9, "
                            "KILL or SIGKILL."}),
      row<&Match::cluster_code>(
          "cluster_code",
          {.doc = "The cluster's own exit status of the container, such as -104 on YARN.",
           .check = wrong_word}),
      row<&Match::pattern>(
          "pattern",
          {.doc = "A regular expression (RE2) to look for in the task's last output, line by line.",
           .check = wrong_word,
           .also = "regex output message"})};
  return kRows;
}

template <>
std::span<const Row> rows_of<Rule>() {
  static constexpr std::array kRows = {
      row<&Rule::match>("match",
                        {.doc = "How the task must have ended; all keys that are given must match.",
                         .required = true}),
      row<&Rule::failure_class>("class",
                                {.doc = "The failure class to assign, like user.data. Classes that "
                                        "start with user. count as the program's own failure.",
                                 .required = true,
                                 .check = wrong_class}),
      row<&Rule::retry>(
          "retry",
          {.doc = "Whether the task is retried: yes, no, or elsewhere, which avoids the host.",
           .unset = "decided by the class"})};
  return kRows;
}

template <>
std::span<const Row> rows_of<Deadlines>() {
  static constexpr std::array kRows = {
      row<&Deadlines::queue>(
          "queue",
          {.doc = "The longest wait for the first container.", .min = kSecond, .none = true}),
      row<&Deadlines::gather>("gather", {.doc = "The longest time from the first request of a gang "
                                                "until all its containers are there.",
                                         .min = kSecond,
                                         .none = true}),
      row<&Deadlines::join>("join",
                            {.doc = "The longest time from a container's grant until its task has "
                                    "joined: agent started, files placed, checkpoint restored.",
                             .min = kSecond,
                             .none = true}),
      row<&Deadlines::run>(
          "run",
          {.doc = "The longest time the job may run, counted from the first start of a task.",
           .min = kSecond,
           .none = true,
           .also = "timeout max_runtime"}),
      row<&Deadlines::stop>("stop",
                            {.doc = "The time between SIGTERM and SIGKILL when a task is stopped.",
                             .also = "grace grace_period"})};
  return kRows;
}

template <>
std::span<const Row> rows_of<Liveness>() {
  static constexpr std::array kRows = {
      row<&Liveness::beat>("beat", {.doc = "How often an agent sends a heartbeat.",
                                    .min = 50 * kMillisecond,
                                    .also = "heartbeat interval"}),
      row<&Liveness::suspect>("suspect", {.doc = "How long a host may be silent before it is shown "
                                                 "as suspect and the cluster is asked about it.",
                                          .min = 100 * kMillisecond}),
      row<&Liveness::lost>("lost",
                           {.doc = "How long a host may be silent before it counts as lost.",
                            .min = 200 * kMillisecond,
                            .also = "timeout dead"}),
      row<&Liveness::orphan>(
          "orphan", {.doc = "How long an agent that has lost its master keeps its tasks running.",
                     .unset = "15m on local and yarn, 10s on spark",
                     .min = kSecond})};
  return kRows;
}

template <>
std::span<const Row> rows_of<Checkpoint>() {
  static constexpr std::array kRows = {
      row<&Checkpoint::dir>(
          "dir", {.doc = "The name of the checkpoint folder, one for each job and host; tasks "
                         "find its absolute path in MUSTER_CHECKPOINT_DIR.",
                  .check = wrong_checkpoint_dir,
                  .also = "path folder"}),
      row<&Checkpoint::to>(
          "to", {.doc = "Where complete checkpoints are mirrored: a folder that outlives the job, "
                        "or a URI like hdfs:///user/me/digits. A relative path is relative "
                        "to the specification.",
                 .unset = "they stay on the host",
                 .check = wrong_line,
                 .also = "mirror target"}),
      row<&Checkpoint::by>(
          "by",
          {.doc = "Whose checkpoints count. chief: only those of the chief are mirrored, and they "
                  "are restored on every host before tasks start. each: every task has its own."}),
      row<&Checkpoint::keep>(
          "keep",
          {.doc = "How many complete checkpoints the mirror keeps.", .min = 1, .max = 1'000'000}),
      row<&Checkpoint::resume>("resume",
                               {.doc = "When the last complete checkpoint is restored. restarts: "
                                       "after restarts within the job. always: also when a job is "
                                       "submitted again with the same `to`. never: not at all."})};
  return kRows;
}

template <>
std::span<const Row> rows_of<Runtime>() {
  static constexpr std::array kRows = {
      row<&Runtime::name>("name", {.doc = "What the framework is called.",
                                   .unset = "the value of framework",
                                   .check = wrong_framework_name}),
      row<&Runtime::module>("module",
                            {.doc = "The Python module that its programs import. A task whose "
                                    "Python lacks it fails with a message that says so.",
                             .unset = "that of framework",
                             .check = wrong_line}),
      row<&Runtime::program>(
          "program",
          {.doc = "A command that is run in the task's folder before its own: it gets the job's "
                  "view as JSON on its standard input, and the lines NAME=VALUE that it prints "
                  "are added to the task's environment.",
           .unset = "no program",
           .check = wrong_line,
           .also = "command script"}),
      row<&Runtime::key>(
          "key",
          {.doc =
               "Gives the tasks MUSTER_TASK_KEY, a secret that only they "
               "share, by which they can prove to each other that they belong to the same job."})};
  return kRows;
}

template <>
std::span<const Row> rows_of<Tensorboard>() {
  static constexpr std::array kRows = {row<&Tensorboard::logdir>(
      "logdir", {.doc = "The folder or URI of the event files, as the chief sees it: relative to "
                        "its working folder, in $MUSTER_CHECKPOINT_DIR (which mirrors it with the "
                        "checkpoints), or on shared storage.",
                 .required = true,
                 .check = wrong_word,
                 .also = "dir path"})};
  return kRows;
}

template <>
std::span<const Row> rows_of<EndpointPage>() {
  static constexpr std::array kRows = {
      row<&EndpointPage::role>("role", {.doc = "The role whose first task serves it.",
                                        .required = true,
                                        .check = wrong_role_name,
                                        .also = "task"}),
      row<&EndpointPage::port>("port",
                               {.doc = "The port it listens on, on 127.0.0.1 or on the task's "
                                       "address: a number, or one of the role's `ports`.",
                                .required = true,
                                .check = wrong_endpoint_port}),
      row<&EndpointPage::path>("path",
                               {.doc = "The page to begin with.", .check = wrong_page_path})};
  return kRows;
}

template <>
std::span<const Row> rows_of<MasterSettings>() {
  static constexpr std::array kRows = {
      row<&MasterSettings::memory>(
          "memory", {.doc = "Memory of the master's container.", .min = 32 * kMebibyte}),
      row<&MasterSettings::vcores>(
          "vcores", {.doc = "Cores of the master's container.", .min = 1, .max = 1024}),
      row<&MasterSettings::attempts>("attempts",
                                     {.doc = "How many masters may be started, one after another, "
                                             "before the job fails. Tasks keep running meanwhile.",
                                      .min = 1,
                                      .max = 1000})};
  return kRows;
}

template <>
std::span<const Row> rows_of<Logs>() {
  static constexpr std::array kRows = {
      row<&Logs::max>("max", {.doc = "How much of each output stream of an attempt is kept on "
                                     "disk; the oldest part is dropped first.",
                              .min = kMebibyte,
                              .also = "size limit"}),
      row<&Logs::keep>(
          "keep",
          {.doc = "How many files it is split into.", .min = 1, .max = 1000, .also = "files"}),
      row<&Logs::merged>(
          "merged",
          {.doc =
               "Whether a task's standard error goes into its standard output, which keeps the "
               "order in which it wrote to both. On by default for a command given to muster run "
               "if both of muster run's own streams go to the same place, such as a terminal.",
           .also = "stderr merge combine order"})};
  return kRows;
}

template <>
std::span<const Row> rows_of<Recording>() {
  static constexpr std::array kRows = {
      row<&Recording::terminals>(
          "terminals", {.doc = "Whether all that muster shell and muster exec -t show is kept, "
                               "beside the output of the task, as asciicast files. Whoever opens "
                               "such a terminal is told that it is recorded.",
                        .also = "shells shell terminal"}),
      row<&Recording::max>("max", {.doc = "How large one of these files may become. A terminal "
                                          "whose file is full, or on a full disk, ends.",
                                   .min = kMebibyte,
                                   .also = "size limit"})};
  return kRows;
}

template <>
std::span<const Row> rows_of<Network>() {
  static constexpr std::array kRows = {
      row<&Network::interface>("interface",
                               {.doc = "The network interface or address that master, agents and "
                                       "tasks listen on, and that tasks are given.",
                                .unset = "127.0.0.1 on this machine, else the address that the "
                                         "host's name resolves to",
                                .check = wrong_line}),
      row<&Network::port_range>("port_range",
                                {.doc = "The ports that they may listen on, as in 20000-20999: one "
                                        "for the master, and on each host one for each container "
                                        "and those of its tasks.",
                                 .unset = "any free port",
                                 .also = "ports"})};
  return kRows;
}

template <>
std::span<const Row> rows_of<Notify>() {
  static constexpr std::array kRows = {
      row<&Notify::command>(
          "command", {.doc = "A command that is run by /bin/sh -c where the job's master runs, "
                             "with the notice as JSON on its standard input and MUSTER_JOB and "
                             "MUSTER_NOTICE in its environment. It may take 30 s.",
                      .unset = "no command",
                      .check = wrong_line,
                      .also = "script exec program"}),
      row<&Notify::hook>("hook", {.doc = "An http or https address that gets each notice as JSON "
                                         "by POST; any answer of 200 to 299 within 10 s counts "
                                         "as delivered.",
                                  .unset = "no hook",
                                  .check = wrong_hook,
                                  .also = "webhook web_hook url slack post"}),
      row<&Notify::token>("token", {.doc = "The name of a secret variable in `env`; its value is "
                                           "sent to the hook as a bearer token.",
                                    .unset = "no token",
                                    .check = wrong_line,
                                    .also = "secret bearer authorization"}),
      row<&Notify::mail>("mail", {.doc = "Addresses that each notice is sent to by the sendmail "
                                         "program of the host where the job's master runs.",
                                  .check = wrong_mail_address,
                                  .also = "email e-mail mail_to mail_user"}),
      row<&Notify::on>("on",
                       {.doc = "The occasions for a notice: start (all tasks run for the first "
                               "time), first_cause (the first failure whose cause is known, "
                               "whether or not the job goes on), stall (a task hangs) and end.",
                        .unset = "[end, stall]",
                        .also = "events when mail_type"})};
  return kRows;
}

template <>
std::span<const Row> rows_of<Yarn>() {
  static constexpr std::array kRows = {
      row<&Yarn::queue>("queue",
                        {.doc = "The queue the application is submitted to.", .check = wrong_word}),
      row<&Yarn::tags>("tags", {.doc = "Tags of the application.", .check = wrong_word}),
      row<&Yarn::type>("type",
                       {.doc = "The application type that YARN shows.", .check = wrong_word}),
      row<&Yarn::node_label>("node_label",
                             {.doc = "The node label for the master and for every role without its "
                                     "own.",
                              .unset = "the queue's default",
                              .check = wrong_line}),
      row<&Yarn::priority>(
          "priority", {.doc = "The application's priority; higher goes first, within the queue's "
                              "limits."}),
      row<&Yarn::staging>("staging",
                          {.doc = "The folder on the cluster's file system where files are staged.",
                           .unset = ".muster in your home folder there",
                           .check = wrong_line}),
      row<&Yarn::attempt_window>(
          "attempt_window",
          {.doc = "Only master failures within this time count towards master.attempts.",
           .min = kSecond}),
      row<&Yarn::acl_view>("acl_view",
                           {.doc = "Users and groups that may see the job. A group is written "
                                   "group:NAME; `*` is everybody.",
                            .check = wrong_word}),
      row<&Yarn::acl_modify>(
          "acl_modify", {.doc = "Users and groups that may stop the job.", .check = wrong_word})};
  return kRows;
}

template <>
std::span<const Row> rows_of<Local>() {
  static constexpr std::array kRows = {
      row<&Local::hosts>(
          "hosts",
          {.doc = "How many virtual hosts this machine pretends to be.", .min = 1, .max = 64}),
      row<&Local::strict_vcores>(
          "strict_vcores",
          {.doc = "Whether vcores are a hard limit, like memory and GPUs. Otherwise they are "
                  "shares and may exceed the number of cores."}),
      row<&Local::share_gpus>(
          "share_gpus",
          {.doc = "Whether tasks see all GPUs of this machine, as processes started by hand do, if "
                  "no role says how many it wants. Nothing is reserved then. Without a "
                  "specification it is on.",
           .also = "gpus"})};
  return kRows;
}

template <>
std::span<const Row> rows_of<Docker>() {
  static constexpr std::array kRows = {
      row<&Docker::image>(
          "image", {.doc = "The image the task runs in, on clusters that run Docker containers.",
                    .required = true,
                    .check = wrong_image}),
      row<&Docker::mounts>("mounts",
                           {.doc = "Host folders to mount in the container, as in /data:/data:ro.",
                            .also = "volumes"})};
  return kRows;
}

template <>
std::span<const Row> rows_of<DeadlineAfter>() {
  static constexpr std::array kRows = {
      row<&DeadlineAfter::roles>(
          "roles", {.doc = "The roles whose end starts the clock; all of them must have "
                           "ended.",
                    .required = true,
                    .also = "role after"}),
      row<&DeadlineAfter::in>("in", {.doc = "How long this role may then take to end.",
                                     .required = true,
                                     .min = kMillisecond,
                                     .also = "within timeout"}),
      row<&DeadlineAfter::then>("then",
                                {.doc = "What happens if it has not ended by then. fail: the "
                                        "job fails. ignore: the job no longer waits for "
                                        "this role; a task of it that fails later fails "
                                        "the job, unless `failure` is ignored."})};
  return kRows;
}

}  // namespace muster::spec
