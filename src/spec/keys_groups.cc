#include "spec/codec.h"
#include "spec/names.h"

#include <array>
#include <limits>
#include <span>

// The groups of keys that stand below a key of the specification: `restart: {...}` and so on. One
// row is one key; its type and its built-in value are those of the field. README.md lists the
// steps for a new key.

namespace muster::spec {
namespace {

constexpr int64_t kMebibyte = 1 << 20;
constexpr int64_t kMillisecond = 1000;
constexpr int64_t kSecond = 1000 * kMillisecond;
constexpr int64_t kTriesMax = 1'000'000;

}  // namespace

template <>
std::span<const Row> rows_of<File>() {
  static constexpr std::array kRows = {
      row<&File::src>(
          "src",
          {.doc = "What to bring: a path relative to the specification, an absolute path, or a "
                  "URI like hdfs:///data/train.tgz.",
           .required = true,
           .check = wrong_word,
           .also = "source path from"}),
      row<&File::as>("as", {.doc = "The name it gets in the task's folder.",
                            .unset = "the last part of src",
                            .check = wrong_place,
                            .also = "to target dest name"}),
      row<&File::unpack>(
          "unpack", {.doc = "Whether an archive is unpacked where it arrives. auto unpacks .zip, "
                            ".tar, .tar.gz, .tgz, .tar.bz2, .tar.xz and .tar.zst.",
                     .also = "extract archive"})};
  return kRows;
}

template <>
std::span<const Row> rows_of<SecretSource>() {
  static constexpr std::array kRows = {
      row<&SecretSource::from_env>(
          "from_env",
          {.doc = "The variable of your own environment that holds the value when the job is "
                  "submitted. The value travels on the secret channel only: no file of the job, no "
                  "log and no page contains it.",
           .check = wrong_word}),
      row<&SecretSource::from_file>(
          "from_file",
          {.doc = "The file at your side that holds the value, relative to the specification; one "
                  "line break at its end is dropped. Secret in the same way.",
           .check = wrong_word})};
  return kRows;
}

template <>
std::span<const Row> rows_of<Python>() {
  static constexpr std::array kRows = {
      row<&Python::env>(
          "env",
          {.doc = "A Python environment to bring along: an archive or a folder, as venv-pack "
                  "or conda-pack make it. File modes are kept.",
           .unset = "the interpreter that the task finds on PATH",
           .check = wrong_line,
           .also = "venv conda archive"}),
      row<&Python::interpreter>(
          "interpreter",
          {.doc = "The interpreter: relative to env, or absolute where no env is given. Its folder "
                  "is put first on PATH, so that python3 in a command means this one.",
           .unset = "bin/python3",
           .check = wrong_line,
           .also = "python binary executable"})};
  return kRows;
}

template <>
std::span<const Row> rows_of<Restart>() {
  static constexpr std::array kRows = {
      row<&Restart::process>(
          "process", {.doc = "How often a failed task is started again in its place, within "
                             "the window.",
                      .max = kTriesMax,
                      .also = "task retries max_retries max_restarts"}),
      row<&Restart::container>(
          "container", {.doc = "How often it then gets a new container.", .max = kTriesMax}),
      row<&Restart::host>("host",
                          {.doc = "How often it then goes to another host.", .max = kTriesMax}),
      row<&Restart::job>("job", {.doc = "How often everything is then released and asked for anew.",
                                 .max = kTriesMax}),
      row<&Restart::infrastructure>(
          "infrastructure",
          {.doc = "How many losses of hosts and preemptions are made good. They are charged "
                  "here and not to the rungs above.",
           .max = kTriesMax}),
      row<&Restart::window>(
          "window", {.doc = "Restarts count within this time; older ones are forgotten. With "
                            "none they count for the whole life of the job.",
                     .min = kSecond,
                     .none = true}),
      row<&Restart::backoff>(
          "backoff", {.doc = "The waits before restarts: the n-th one within the window waits "
                             "the low end times 2^(n-1), at most the high end."})};
  return kRows;
}

template <>
std::span<const Row> rows_of<Match>() {
  static constexpr std::array kRows = {
      row<&Match::exit_code>(
          "exit_code",
          {.doc = "The exit code of the task.", .min = 0, .max = 255, .also = "code exit status"}),
      row<&Match::signal, SignalCodec>(
          "signal", {.doc = "The signal that ended the task, by number or name: 9, "
                            "KILL or SIGKILL."}),
      row<&Match::cluster_code>("cluster_code",
                                {.doc = "The code that the cluster gives for a container's end, "
                                        "as it writes it: -104 on YARN.",
                                 .check = wrong_word}),
      row<&Match::pattern>("pattern",
                           {.doc = "A regular expression (RE2) that is searched in the task's last "
                                   "output, line by line.",
                            .check = wrong_word,
                            .also = "regex output message"})};
  return kRows;
}

template <>
std::span<const Row> rows_of<Rule>() {
  static constexpr std::array kRows = {
      row<&Rule::match>("match",
                        {.doc = "What must hold of a task's end; every key that is given must.",
                         .required = true}),
      row<&Rule::failure_class>(
          "class", {.doc = "The failure class it then has, like user.data. What begins with "
                           "user. counts as the program's own failure.",
                    .required = true,
                    .check = wrong_class}),
      row<&Rule::retry>(
          "retry",
          {.doc = "Whether the task is tried again: yes, no, or elsewhere, which avoids the "
                  "host.",
           .unset = "what the class says"})};
  return kRows;
}

template <>
std::span<const Row> rows_of<Deadlines>() {
  static constexpr std::array kRows = {
      row<&Deadlines::queue>(
          "queue",
          {.doc = "The longest wait for the first container.", .min = kSecond, .none = true}),
      row<&Deadlines::gather>("gather",
                              {.doc = "The longest time from the first container to the last.",
                               .min = kSecond,
                               .none = true}),
      row<&Deadlines::join>(
          "join", {.doc = "The longest time from a container's grant until its agent has joined.",
                   .min = kSecond,
                   .none = true}),
      row<&Deadlines::run>(
          "run", {.doc = "The longest time the job may run, from the moment all tasks run.",
                  .min = kSecond,
                  .none = true,
                  .also = "timeout max_runtime"}),
      row<&Deadlines::stop>("stop", {.doc = "The time from TERM to KILL when a task is stopped.",
                                     .also = "grace grace_period"})};
  return kRows;
}

template <>
std::span<const Row> rows_of<Liveness>() {
  static constexpr std::array kRows = {
      row<&Liveness::beat>("beat", {.doc = "How often an agent says that it lives.",
                                    .min = 50 * kMillisecond,
                                    .also = "heartbeat interval"}),
      row<&Liveness::suspect>("suspect",
                              {.doc = "The silence after which a host is shown as suspect and the "
                                      "cluster is asked about it.",
                               .min = 100 * kMillisecond}),
      row<&Liveness::lost>("lost", {.doc = "The silence after which it counts as lost.",
                                    .min = 200 * kMillisecond,
                                    .also = "timeout dead"}),
      row<&Liveness::orphan>(
          "orphan", {.doc = "How long an agent without a master keeps its tasks before it ends "
                            "them.",
                     .unset = "the cluster's own: 15m on local and yarn, 10s on spark",
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
          "to", {.doc = "Where complete checkpoints are mirrored to: a folder that outlives the "
                        "job, or a URI like hdfs:///user/me/digits. A relative path is relative "
                        "to the specification.",
                 .unset = "they stay on the host",
                 .check = wrong_line,
                 .also = "mirror target"}),
      row<&Checkpoint::by>(
          "by", {.doc = "Whose folder counts. chief: only the chief's is mirrored, and restored on "
                        "every host before a start. each: that of every task."}),
      row<&Checkpoint::keep>(
          "keep",
          {.doc = "How many complete checkpoints are kept there.", .min = 1, .max = 1'000'000}),
      row<&Checkpoint::resume>(
          "resume",
          {.doc = "When tasks find the last complete checkpoint in their folder: after restarts "
                  "within "
                  "the job, always (a new submission with the same `to` goes on too), or never."})};
  return kRows;
}

template <>
std::span<const Row> rows_of<Tensorboard>() {
  static constexpr std::array kRows = {row<&Tensorboard::logdir>(
      "logdir", {.doc = "The folder or URI with the event files, read beside the chief: relative "
                        "to its folder, in $MUSTER_CHECKPOINT_DIR (then it is mirrored with the "
                        "checkpoints), or a shared place.",
                 .required = true,
                 .check = wrong_word,
                 .also = "dir path"})};
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
                                     {.doc = "How many masters may be started one after the other "
                                             "before the job fails. Tasks live on meanwhile.",
                                      .min = 1,
                                      .max = 1000})};
  return kRows;
}

template <>
std::span<const Row> rows_of<Logs>() {
  static constexpr std::array kRows = {
      row<&Logs::max>(
          "max", {.doc = "The most that each output stream of an attempt keeps on disk; the oldest "
                         "part goes first.",
                  .min = kMebibyte,
                  .also = "size limit"}),
      row<&Logs::keep>(
          "keep",
          {.doc = "Into how many files it is split.", .min = 1, .max = 1000, .also = "files"})};
  return kRows;
}

template <>
std::span<const Row> rows_of<Network>() {
  static constexpr std::array kRows = {
      row<&Network::interface>("interface",
                               {.doc = "The network interface or address that master and agents "
                                       "listen on. The local cluster always uses 127.0.0.1.",
                                .unset = "the address that the host's name resolves to",
                                .check = wrong_line}),
      row<&Network::port_range>("port_range",
                                {.doc = "The ports they may listen on, as in 20000-20999.",
                                 .unset = "any free port",
                                 .also = "ports"})};
  return kRows;
}

template <>
std::span<const Row> rows_of<Yarn>() {
  static constexpr std::array kRows = {
      row<&Yarn::queue>("queue",
                        {.doc = "The queue the application is submitted to.", .check = wrong_word}),
      row<&Yarn::tags>("tags", {.doc = "Tags of the application.", .check = wrong_word}),
      row<&Yarn::type>(
          "type", {.doc = "The type of the application in YARN's lists.", .check = wrong_word}),
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
      row<&Yarn::attempt_window>("attempt_window",
                                 {.doc = "Failures of the master that are older no longer count "
                                         "towards master.attempts.",
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
          {.doc = "Into how many virtual hosts this machine is divided.", .min = 1, .max = 64}),
      row<&Local::strict_vcores>("strict_vcores",
                                 {.doc = "Whether vcores are a limit as memory and GPUs are. "
                                         "Otherwise they are shares and may exceed the cores."})};
  return kRows;
}

template <>
std::span<const Row> rows_of<Docker>() {
  static constexpr std::array kRows = {
      row<&Docker::image>(
          "image", {.doc = "The image the task runs in, where the cluster runs containers of "
                           "Docker.",
                    .required = true,
                    .check = wrong_image}),
      row<&Docker::mounts>("mounts", {.doc = "Folders of the host inside it, as in /data:/data:ro.",
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
      row<&DeadlineAfter::in>("in", {.doc = "The time this role then has to end, too.",
                                     .required = true,
                                     .min = kMillisecond,
                                     .also = "within timeout"}),
      row<&DeadlineAfter::then>(
          "then", {.doc = "What happens when it has not: the job fails, or no longer waits "
                          "for this role."})};
  return kRows;
}

}  // namespace muster::spec
