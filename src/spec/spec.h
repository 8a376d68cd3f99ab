#pragma once

#include "spec/policy.h"
#include "spec/settings.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::spec {

/// One role as the user wrote it. Policies that the user left open are nullopt; the framework
/// proposes them. What a role inherits from the top level of the spec is found by `settings_of`.
struct Role {
  std::string name;

  uint32_t tasks = 1;           ///< How many to ask for; equals `max` when that is given.
  std::optional<uint32_t> min;  ///< Given together with `max`, or not at all.
  std::optional<uint32_t> max;
  uint32_t tasks_per_container = 1;

  /// Per task, like all resources. What is left open is filled in by `give_sizes` if containers
  /// have a size; on the local cluster only the machine sets the limit, and nothing is claimed.
  std::optional<Bytes> memory;
  std::optional<uint32_t> vcores;
  std::optional<uint32_t> gpus;
  std::map<std::string, uint64_t> resources;  ///< Further kinds by the cluster's name for them.
  std::string node_label;
  std::string constraint;
  std::vector<std::string> allocation_tags;
  std::optional<Docker> docker;

  std::optional<Success> success;
  std::optional<Failure> failure;
  std::optional<Membership> membership;
  std::vector<After> after;
  std::optional<DeadlineAfter> deadline_after;

  std::vector<std::string> ports;  ///< Names: `http` is given to the task as MUSTER_PORT_HTTP.
  bool chief = false;              ///< Task 0 of this role is the chief. At most one role says so.

  std::optional<std::string> command;
  std::optional<std::string> prepare;      ///< Run before the command, in the same attempt.
  Environment env;                         ///< Added to the top-level one, and takes precedence.
  ViewVariables variables;                 ///< Likewise.
  std::optional<std::vector<File>> files;  ///< Replaces the top-level list.
  std::optional<Python> python;    ///< Complete: keys the role left out are those of the top.
  std::optional<Restart> restart;  ///< Complete, as `python`.
  std::optional<Stall> stall;      ///< Complete, as `python`.

  bool operator==(const Role&) const = default;
};

/// A job as the user wants it: every key of the specification with its value after all layers. A
/// Spec from `load`, `from_quick` or `parse_json` is valid: `validate` finds nothing wrong with it.
struct Spec {
  std::string
      name;  ///< Never empty: the spec's file name, or the program's, when the user gave none.
  Framework framework = Framework::Generic;
  std::optional<std::string> command;  ///< With the words after `--` already appended, quoted.
  std::vector<File> files;
  std::optional<Python> python;
  Environment env;
  ViewVariables variables;
  Runtime runtime;
  std::vector<Role> roles;  ///< In the order of the spec; at least one; names differ.
  std::optional<Barrier> barrier;
  Restart restart;
  Stall stall;
  Hosts hosts;
  bool stop_on_first_failure = false;    ///< Whatever the `failure` of the task's role says.
  bool chief_failure_fails_job = false;  ///< Whatever the `failure` of the chief's role says.
  std::vector<Rule> rules;
  Deadlines deadlines;
  Liveness liveness;
  Checkpoint checkpoint;
  std::optional<Tensorboard> tensorboard;
  std::map<std::string, EndpointPage> endpoints;  ///< By the name that they are published under.
  MasterSettings master;
  Logs logs;
  Recording recording;
  Network network;
  Notify notify;
  Yarn yarn;
  Local local;

  bool operator==(const Spec&) const = default;
};

/// What a role runs with: its own settings if it has them, else those at the top level of the spec.
struct RoleSettings {
  std::string command;
  Environment env;
  std::vector<File> files;
  std::optional<Python> python;
  Restart restart;
  Stall stall;

  bool operator==(const RoleSettings&) const = default;
};

/// What a task gets if its container must have a size and none was specified.
inline constexpr Bytes kContainerMemory = 1ULL << 30;
inline constexpr uint32_t kContainerVcores = 1;

/// Fills in the memory and vcores that roles leave open, for a cluster whose containers have sizes.
void give_sizes(Spec& spec);

/// Returns whether tasks of `role` see all GPUs of their machine: the job shares them, no role
/// requests any, and this role does not refuse them by `gpus: 0`.
[[nodiscard]] bool shares_gpus(const Spec& spec, const Role& role);

/// Returns what `role`, one of `spec.roles`, runs with.
[[nodiscard]] RoleSettings settings_of(const Spec& spec, const Role& role);

/// Returns the name that a file gets in the task's folder: `as`, else the last part of `src`
/// without a trailing slash.
[[nodiscard]] std::string place_of(const File& file);

/// Returns the role of that name, or nullptr.
[[nodiscard]] const Role* find_role(const Spec& spec, std::string_view name);

}  // namespace muster::spec
