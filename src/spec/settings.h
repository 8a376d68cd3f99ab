#pragma once

#include "base/time.h"
#include "spec/policy.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace muster::spec {

/// A framework that is known only by its file (frameworks.h), apart from its variables and roles.
struct Runtime {
  std::string name;     ///< Empty: that of `framework`.
  std::string module;   ///< What its programs import in Python; empty: what `framework` says.
  std::string program;  ///< Prints variables for each task; empty: none.
  bool key = false;     ///< The tasks share a secret of their own.

  bool operator==(const Runtime&) const = default;
};

/// Texts with placeholders for what the view says (view_text.h), by the variable they become.
struct ViewVariables : std::map<std::string, std::string> {
  using std::map<std::string, std::string>::map;
};

/// Sizes are bytes everywhere.
using Bytes = uint64_t;

/// How one environment variable gets its value.
struct EnvValue {
  enum class Source : uint8_t {
    Literal,   ///< `text` is the value.
    FromEnv,   ///< `text` names a variable of the client's environment; secret.
    FromFile,  ///< `text` is a file at the client's side; secret.
  };
  Source source = Source::Literal;
  std::string text;

  bool operator==(const EnvValue&) const = default;
};

/// By variable name.
using Environment = std::map<std::string, EnvValue>;

/// A file, folder or URI that every task finds in its own folder.
struct File {
  std::string src;  ///< Relative to the spec, absolute, or a URI.
  std::string as;   ///< The name in the task's folder; empty: the last part of `src`.
  Unpack unpack = Unpack::Auto;

  bool operator==(const File&) const = default;
};

/// The Python environment of the tasks; its interpreter's folder is put first on PATH.
struct Python {
  std::string env;          ///< An archive or folder; empty: the interpreter found on PATH.
  std::string interpreter;  ///< Inside `env`, or absolute; empty: bin/python3.

  bool operator==(const Python&) const = default;
};

/// The waits between restarts: the n-th one within the window is min(low * 2^(n-1), high).
struct Backoff {
  Duration low = std::chrono::seconds(1);
  Duration high = std::chrono::minutes(1);

  bool operator==(const Backoff&) const = default;
};

/// How often each rung of the ladder may be tried within `window`. This constant: how often a task
/// moves to a new container, and to another host, if not specified.
inline constexpr uint32_t kMovesUnset = 3;

struct Restart {
  uint32_t process = 3;
  /// Unset: kMovesUnset for failures of the place, none for a program that ended on its own.
  std::optional<uint32_t> container;
  std::optional<uint32_t> host;
  uint32_t job = 0;
  uint32_t infrastructure = 20;
  std::optional<Duration> window = std::chrono::hours(1);  ///< nullopt: the whole life of the job.
  Backoff backoff;

  bool operator==(const Restart&) const = default;
};

/// When tasks that do nothing are considered to hang, and what follows.
struct Stall {
  std::optional<Duration> after = std::chrono::minutes(10);  ///< nullopt: never.
  StallAction then = StallAction::Report;

  bool operator==(const Stall&) const = default;
};

/// Which hosts a job would rather avoid.
struct Hosts {
  std::vector<std::string> avoid;
  bool remembered = true;  ///< Also those that earlier jobs found harmful.

  bool operator==(const Hosts&) const = default;
};

/// What a failure rule looks at; every given part must match, and at least one is given.
struct Match {
  std::optional<int32_t> exit_code;
  std::optional<int32_t> signal;
  std::optional<std::string> cluster_code;
  std::optional<std::string> pattern;  ///< An RE2 expression, searched in the last output.

  bool operator==(const Match&) const = default;
};

/// A failure rule of the user, tried in order before the built-in ones.
struct Rule {
  Match match;
  std::string failure_class;   ///< The key `class`.
  std::optional<Retry> retry;  ///< nullopt: what the class says.

  bool operator==(const Rule&) const = default;
};

/// How long the steps of a job may take; nullopt is `none`.
struct Deadlines {
  std::optional<Duration> queue;
  std::optional<Duration> gather;
  std::optional<Duration> join = std::chrono::minutes(5);
  std::optional<Duration> run;
  Duration stop = std::chrono::seconds(30);  ///< From TERM to KILL.

  bool operator==(const Deadlines&) const = default;
};

/// When a silent agent is suspected, when it is lost, and how long one without a master keeps its
/// tasks.
struct Liveness {
  Duration beat = std::chrono::seconds(1);
  Duration suspect = std::chrono::seconds(3);
  Duration lost = std::chrono::seconds(10);
  std::optional<Duration> orphan;  ///< nullopt: the cluster's own window (local and yarn 15 min).

  bool operator==(const Liveness&) const = default;
};

/// Where checkpoints are written, and which of them are restored.
struct Checkpoint {
  std::string dir =
      "ckpt";  ///< The folder's name below the job's own; tasks see it as MUSTER_CHECKPOINT_DIR.
  std::string to;  ///< A folder or URI it is mirrored to; empty: not mirrored.
  CheckpointBy by = CheckpointBy::Chief;
  uint32_t keep = 3;  ///< Complete checkpoints kept at `to`.
  Resume resume = Resume::Restarts;

  bool operator==(const Checkpoint&) const = default;
};

struct Tensorboard {
  std::string logdir;

  bool operator==(const Tensorboard&) const = default;
};

/// A page that a program of a role's first task serves.
struct EndpointPage {
  std::string role;
  std::string port;  ///< A number, or one of the role's `ports`.
  std::string path = "/";

  bool operator==(const EndpointPage&) const = default;
};

struct MasterSettings {
  Bytes memory = 256ULL << 20;
  uint32_t vcores = 1;
  uint32_t attempts = 2;

  bool operator==(const MasterSettings&) const = default;
};

/// Log files rotate at `max` bytes for each attempt and stream, in total over all parts; `keep`
/// parts. `merged`: a task's standard error goes where its standard output goes.
struct Logs {
  Bytes max = 1ULL << 30;
  uint32_t keep = 5;
  bool merged = false;

  bool operator==(const Logs&) const = default;
};

/// Whether what people see on terminals in tasks is recorded in files, of at most `max` bytes each.
struct Recording {
  bool terminals = false;
  Bytes max = 256ULL << 20;

  bool operator==(const Recording&) const = default;
};

/// Inclusive at both ends.
struct PortRange {
  uint16_t low = 0;
  uint16_t high = 0;

  bool operator==(const PortRange&) const = default;
};

struct Network {
  std::string interface;                ///< Empty: the address that the host's name resolves to.
  std::optional<PortRange> port_range;  ///< For listeners; nullopt: any free port.

  bool operator==(const Network&) const = default;
};

/// Who is notified of what while the job runs.
struct Notify {
  std::string command;            ///< For /bin/sh -c, where the master runs; empty: none.
  std::string hook;               ///< An http or https address; empty: none.
  std::string token;              ///< The secret variable of `env` that the hook is sent; or empty.
  std::vector<std::string> mail;  ///< Addresses.
  std::vector<Occasion> on = {Occasion::End, Occasion::Stall};

  bool operator==(const Notify&) const = default;
};

struct Yarn {
  std::string queue = "default";
  std::vector<std::string> tags;
  std::string type = "MUSTER";
  std::string node_label;
  int32_t priority = 0;
  std::string staging;  ///< Empty: the user's home folder on the default file system.
  Duration attempt_window = std::chrono::minutes(10);
  std::vector<std::string> acl_view;
  std::vector<std::string> acl_modify;

  bool operator==(const Yarn&) const = default;
};

struct Local {
  uint32_t hosts = 1;
  bool strict_vcores = false;
  bool share_gpus = false;

  bool operator==(const Local&) const = default;
};

/// A folder of the host inside a task's Docker container.
struct Mount {
  std::string source;
  std::string target;
  bool read_only = false;

  bool operator==(const Mount&) const = default;
};

struct Docker {
  std::string image;
  std::vector<Mount> mounts;

  bool operator==(const Docker&) const = default;
};

/// A role waits until `role` meets `condition`.
struct After {
  std::string role;
  Condition condition = Condition::Ended;

  bool operator==(const After&) const = default;
};

/// The role must have ended within `in` of the end of the last of `roles`; else `then`.
struct DeadlineAfter {
  std::vector<std::string> roles;
  Duration in{};
  DeadlineAction then = DeadlineAction::Fail;

  bool operator==(const DeadlineAfter&) const = default;
};

}  // namespace muster::spec
