#include "tony/roles.h"

#include "base/text.h"
#include "spec/names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <ranges>
#include <set>

namespace muster::tony {
namespace {

constexpr std::string_view kInstances = ".instances";
constexpr uint64_t kTonysMemory = uint64_t{2} << 30;
constexpr const char* kDockerEnabled = "tony.docker.enabled";

std::string key(std::string_view role, std::string_view rest) {
  return fmt::format("tony.{}.{}", role, rest);
}

/// Returns whether TonY accepts the name for a type; it ignores others.
bool is_type(std::string_view name) {
  return std::ranges::all_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
}

std::string image_key(std::string_view role) { return fmt::format("tony.docker.{}.image", role); }

std::optional<spec::Docker> docker_of(Reading& reading, const std::string& role) {
  const bool enabled = reading.flag(kDockerEnabled, false);
  const std::string common = reading.text("tony.docker.containers.image", "");
  const std::string image = reading.text(image_key(role), common);
  const std::vector<std::string> mounts = reading.list("tony.docker.containers.mount");
  if (!enabled || image.empty()) {
    return std::nullopt;
  }
  spec::Docker docker{.image = image, .mounts = {}};
  for (const std::string& mount : mounts) {
    const std::vector<std::string_view> parts = split(mount, ':');
    if (parts.size() < 2) {
      reading.note("tony.docker.containers.mount",
                   fmt::format("\"{}\" is not SOURCE:TARGET[:ro]", printable(mount)));
      continue;
    }
    if (parts.size() > 2 && parts[2] != "ro" && parts[2] != "rw") {
      reading.note(
          "tony.docker.containers.mount",
          fmt::format(
              "\"{}\" becomes {}:{}: the container does not see what is mounted below it later",
              printable(mount), parts[0], parts[1]));
    }
    docker.mounts.push_back({.source = std::string(parts[0]),
                             .target = std::string(parts[1]),
                             .read_only = parts.size() > 2 && parts[2].starts_with("ro")});
  }
  return docker;
}

/// Returns a role with what one type asks for, and what it runs.
spec::Role role_of(Reading& reading, const std::string& name, const spec::Spec& spec) {
  spec::Role role;
  role.name = name;
  role.tasks = reading.count(key(name, "instances"), 0, 0);
  role.memory = reading.memory(key(name, "memory"), kTonysMemory);
  role.vcores = reading.vcores(key(name, "vcores"), 1);
  role.gpus = reading.count(key(name, "gpus"), 0, 0);
  role.node_label = reading.text(key(name, "node-label"), "");
  role.constraint =
      reading.text(key(name, "placement-spec"), reading.text("tony.containers.placement-spec", ""));
  role.allocation_tags = reading.list("tony.containers.allocation-tags");
  if (const auto own = reading.list(key(name, "allocation-tags")); !own.empty()) {
    role.allocation_tags = own;
  }
  if (const std::string command = reading.text(key(name, "command"), ""); !command.empty()) {
    role.command = command;
  }
  if (reading.has(key(name, "resources"))) {
    // A role's own list replaces the common one.
    role.files = spec.files;
    reading.add_resources(key(name, "resources"), *role.files);
  }
  role.docker = docker_of(reading, name);
  return role;
}

/// Returns the role for what TonY runs in its master's container. Its home is that container's
/// folder.
spec::Role master_role(Reading& reading, const spec::Spec& spec) {
  spec::Role role;
  role.name = "worker";
  role.memory = reading.memory("tony.am.memory", kTonysMemory);
  role.vcores = reading.vcores("tony.am.vcores", 1);
  role.gpus = reading.count("tony.am.gpus", 0, 0);
  role.node_label = reading.text("tony.am.node-label", "");
  const std::string command = reading.text("tony.am.command", spec.command.value_or(""));
  if (!command.empty()) {
    role.command = "export HOME=\"$PWD\"; " + command;
  }
  role.env["PREPROCESSING_JOB"] = {.source = spec::EnvValue::Source::Literal, .text = "true"};
  if (reading.has("tony.am.resources")) {
    role.files = spec.files;
    reading.add_resources("tony.am.resources", *role.files);
  }
  role.docker = docker_of(reading, "am");
  return role;
}

/// Returns whether the only task is what TonY ran in its master.
bool runs_in_master(const spec::Spec& spec) {
  return spec.roles.size() == 1 && spec.roles.front().env.contains("PREPROCESSING_JOB");
}

/// Returns whether a type exists only to show the folder of -sidecar_tensorboard_log_dir: without a
/// command of the user's, Muster starts TensorBoard itself, next to the chief.
bool is_started_by_muster(const Reading& reading, const std::string& name, const spec::Spec& spec) {
  return name == "tensorboard" && spec.tensorboard.has_value() &&
         !reading.has("tony.tensorboard.command");
}

/// Recognises TonY's driver of a Horovod job, which is one of its roles only when the user's own
/// driver is tried out.
bool is_horovod_driver(const std::string& name, const spec::Spec& spec) {
  return name == "driver" && spec.framework == spec::Framework::Horovod;
}

/// In its debug mode TonY has the user's own driver assign the ranks.
Status check_own_driver(Reading& reading, spec::Spec& spec, Dealer dealer) {
  if (dealer != Dealer::OwnDriver) {
    return {};
  }
  const auto driver = std::ranges::find(spec.roles, kOwnDriver, &spec::Role::name);
  if (driver == spec.roles.end() || !driver->command || driver->tasks != 1) {
    return user_error(
        "tony.horovod.driver.mode.debug needs tony.driver.instances=1 and tony.driver.command, the "
        "user's own driver; without that setting Muster serves the rendezvous itself");
  }
  if (spec.barrier == spec::Barrier::AsGranted) {
    reading.refuse("tony.application.distributed-mode", "must be GANG with horovod");
  }
  // The driver never ends by itself.
  driver->success = spec::Success::Ignored;
  driver->failure = spec::Failure::FailsJob;
  for (spec::Role& role : spec.roles) {
    role.membership = spec::Membership::Static;
  }
  return {};
}

/// TensorFlow knows at most one chief and one evaluator; TonY, whose default framework it is, runs
/// programs of all kinds.
void leave_tensorflow(Reading& reading, spec::Spec& spec) {
  for (const spec::Role& role : spec.roles) {
    const bool single = role.name == "chief" || role.name == "evaluator";
    if (spec.framework == spec::Framework::Tensorflow && single && role.tasks > 1) {
      spec.framework = spec::Framework::Generic;
      reading.note(key(role.name, "instances"),
                   fmt::format("tensorflow knows at most one {}: tasks get CLUSTER_SPEC, but no "
                               "TF_CONFIG",
                               role.name),
                   Note::Kind::Doubtful);
    }
  }
}

/// How long TonY's ranks look for each other; horovodrun and Muster have limits of their own.
void add_horovod(spec::Spec& spec, Dealer dealer) {
  if (spec.framework == spec::Framework::Horovod || dealer == Dealer::OwnDriver) {
    spec.env.try_emplace("HOROVOD_GLOO_TIMEOUT_SECONDS",
                         spec::EnvValue{.source = spec::EnvValue::Source::Literal, .text = "2000"});
  }
}

/// If the user gives a command, it is a role.
void add_tensorboard(Reading& reading, spec::Spec& spec) {
  const auto there = std::ranges::find(spec.roles, "tensorboard", &spec::Role::name);
  if (!spec.tensorboard || !reading.has("tony.tensorboard.command")) {
    return;
  }
  if (there != spec.roles.end()) {
    spec.roles.erase(there);
  }
  spec::Role role = role_of(reading, "tensorboard", spec);
  role.tasks = 1;
  role.vcores = reading.vcores("tony.tensorboard.vcores", 2);
  spec.env["TB_LOG_DIR"] = {.source = spec::EnvValue::Source::Literal,
                            .text = spec.tensorboard->logdir};
  spec.tensorboard.reset();
  spec.roles.push_back(std::move(role));
}

uint64_t tasks_of(const spec::Spec& spec) {
  uint64_t tasks = 0;
  for (const spec::Role& role : spec.roles) {
    tasks += role.tasks;
  }
  return tasks;
}

/// Returns how much of a resource each task of a role asks for, counted as in TonY: memory in MB,
/// and for a type only what is set for it, as TonY's own file does for the types ps and worker.
std::optional<uint64_t> counted(const Reading& reading, const spec::Role& role,
                                std::string_view resource) {
  if (resource == "instances") {
    return 1;
  }
  if (resource != "memory" && resource != "vcores" && resource != "gpus") {
    return std::nullopt;
  }
  if (!reading.has(key(role.name, resource)) && role.name != "ps" && role.name != "worker") {
    return 0;
  }
  if (resource == "memory") {
    return role.memory.value_or(0) >> 20U;
  }
  return (resource == "vcores" ? role.vcores : role.gpus).value_or(0);
}

std::optional<uint64_t> total_of(const Reading& reading, const spec::Spec& spec,
                                 std::string_view resource) {
  uint64_t total = 0;
  for (const spec::Role& role : spec.roles) {
    const std::optional<uint64_t> each = counted(reading, role, resource);
    if (!each) {
      return std::nullopt;
    }
    total += role.tasks * *each;
  }
  return total;
}

/// TonY started tasks without an image on the host itself and said so in a log. If no task has one,
/// this cannot be what was meant.
void check_images(Reading& reading, const spec::Spec& spec) {
  if (!reading.flag(kDockerEnabled, false)) {
    return;
  }
  const auto lacks = [](const spec::Role& role) { return !role.docker.has_value(); };
  if (std::ranges::all_of(spec.roles, lacks)) {
    reading.refuse(kDockerEnabled,
                   fmt::format("no image is named: set tony.docker.containers.image for all, or {} "
                               "for this type alone",
                               image_key(runs_in_master(spec) ? "am" : spec.roles.front().name)));
  }
  for (const spec::Role& role : spec.roles | std::views::filter(lacks)) {
    reading.note(kDockerEnabled,
                 fmt::format("{} runs without Docker: neither {} nor tony.docker.containers.image "
                             "is set",
                             role.name, image_key(role.name)),
                 Note::Kind::Doubtful);
  }
}

void check_limits(Reading& reading, const spec::Spec& spec) {
  constexpr std::string_view kEachMax = ".max-instances";
  constexpr std::string_view kTotalMax = "tony.task.max-total-";
  for (const std::string& name : reading.names("tony.", kEachMax)) {
    const std::string role_name = name.substr(5, name.size() - 5 - kEachMax.size());
    const spec::Role* const role = spec::find_role(spec, role_name);
    const int64_t most = reading.number(name, -1);
    if (role != nullptr && most >= 0 && role->tasks > most) {
      reading.refuse(name, fmt::format("{} may have at most {} instances, but {} are requested",
                                       role_name, most, role->tasks));
    }
  }
  for (const std::string& name : reading.names(kTotalMax, "")) {
    const std::string resource = name.substr(kTotalMax.size());
    const int64_t most = reading.number(name, -1);
    const std::optional<uint64_t> total = total_of(reading, spec, resource);
    if (!total) {
      reading.note(name, fmt::format("no role asks for {}", printable(resource)));
    } else if (most >= 0 && *total > static_cast<uint64_t>(most)) {
      reading.refuse(name, fmt::format("all tasks together may use at most {} {}, but request {}",
                                       most, resource, *total));
    }
  }
}

/// One part of tony.application.placement-spec: "zk=3,notin,node,zk" or "zk(3),notin,node,zk".
struct Placement {
  std::string tag;
  std::string constraint;
};

std::optional<Placement> placement_of(std::string_view part) {
  const size_t count = part.find_first_of("=(");
  const size_t comma = count == std::string_view::npos ? count : part.find(',', count);
  if (comma == std::string_view::npos || count == 0 || comma + 1 == part.size()) {
    return std::nullopt;
  }
  return Placement{.tag = std::string(trim(part.substr(0, count))),
                   .constraint = std::string(trim(part.substr(comma + 1)))};
}

/// Splits at colons that are not in parentheses.
std::vector<std::string_view> placements_in(std::string_view text) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : (text[i] == ')' ? -1 : 0);
    if (text[i] == ':' && depth == 0) {
      parts.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  parts.push_back(text.substr(begin));
  return parts;
}

/// The constraints of a whole application are keyed by the tags of the containers they apply to.
void convert_placement(Reading& reading, spec::Spec& spec) {
  constexpr const char* kName = "tony.application.placement-spec";
  const std::string text = reading.text(kName, "");
  if (text.empty()) {
    return;
  }
  for (const std::string_view part : placements_in(text)) {
    const std::optional<Placement> placement = placement_of(part);
    if (!placement) {
      reading.refuse(kName, fmt::format("`{}` is not TAG=NUMBER,CONSTRAINT", printable(part)));
      return;
    }
    bool used = false;
    for (spec::Role& role : spec.roles) {
      if (std::ranges::find(role.allocation_tags, placement->tag) != role.allocation_tags.end()) {
        used = true;
        role.constraint = role.constraint.empty() ? placement->constraint : role.constraint;
      }
    }
    if (!used) {
      reading.note(kName, fmt::format("no role has the allocation tag {}: write `constraint` in "
                                      "each role it applies to",
                                      printable(placement->tag)));
    }
  }
}

/// What the end of a type means, according to TonY's lists.
class Ends {
 public:
  explicit Ends(Reading& reading) {
    const auto types = [&](const char* name, const char* fallback) {
      const std::vector<std::string> parts = Reading::split_list(reading.text(name, fallback));
      return std::set<std::string>(parts.begin(), parts.end());
    };
    untracked_ = types("tony.application.untracked.jobtypes", "ps");
    sidecars_ = types("tony.application.sidecar.jobtypes", "tensorboard");
    stoppers_ = types("tony.application.stop-on-failure-jobtypes", "ps");
    any_failure_ends_ = reading.flag("tony.application.fail-on-worker-failure-enabled", false);
  }

  [[nodiscard]] bool any_failure_ends() const { return any_failure_ends_; }

  /// `single`: the job waits for no other role.
  void apply(spec::Role& role, bool single) const {
    if (sidecars_.contains(role.name)) {
      const bool stops = any_failure_ends_ || stoppers_.contains(role.name);
      role.success = spec::Success::Ignored;
      role.failure = stops ? spec::Failure::FailsJob : spec::Failure::Ignored;
      return;
    }
    if (untracked_.contains(role.name)) {
      role.success = spec::Success::Ignored;
      role.failure = spec::Failure::FailsJob;
      return;
    }
    role.success = spec::Success::Required;
    const bool ends = any_failure_ends_ || role.name == "chief" || stoppers_.contains(role.name) ||
                      (single && role.tasks == 1);
    role.failure = ends ? spec::Failure::FailsJob : spec::Failure::Tolerated;
  }
  [[nodiscard]] bool is_waited_for(const spec::Role& role) const {
    return !sidecars_.contains(role.name) && !untracked_.contains(role.name);
  }

 private:
  std::set<std::string> untracked_;
  std::set<std::string> sidecars_;
  std::set<std::string> stoppers_;
  bool any_failure_ends_ = false;
};

/// A list may name types that this job does not have; a likely slip deserves a note.
void note_slips(Reading& reading, const spec::Spec& spec) {
  std::vector<std::string_view> roles;
  for (const spec::Role& role : spec.roles) {
    roles.push_back(role.name);
  }
  for (const char* key :
       {"tony.application.untracked.jobtypes", "tony.application.sidecar.jobtypes",
        "tony.application.stop-on-failure-jobtypes"}) {
    for (const std::string& name : reading.list(key)) {
      const auto near = nearest(name, roles);
      if (near && *near != name) {
        reading.note(
            key, fmt::format("no type {} has instances; did you mean {}?", printable(name), *near));
      }
    }
  }
}

void convert_ends(Reading& reading, spec::Spec& spec) {
  const Ends ends(reading);
  note_slips(reading, spec);
  spec.stop_on_first_failure = ends.any_failure_ends();
  const auto waited = std::ranges::count_if(
      spec.roles, [&](const spec::Role& role) { return ends.is_waited_for(role); });
  bool tolerates_worker = false;
  for (spec::Role& role : spec.roles) {
    ends.apply(role, waited == 1);
    tolerates_worker =
        tolerates_worker || (role.name == "worker" && role.failure == spec::Failure::Tolerated);
  }
  if (tolerates_worker && spec::find_role(spec, "chief") == nullptr) {
    spec.chief_failure_fails_job = true;
    reading.note("failure: tolerated",
                 "as in TonY, the job succeeds even when some workers fail for good, but not "
                 "worker:0, the chief; write `failure: fails_job` if every worker counts");
  }
}

/// Refuses a job that TonY would never end.
Status check_ends(const spec::Spec& spec) {
  std::vector<std::string_view> names;
  for (const spec::Role& role : spec.roles) {
    if (role.success != spec::Success::Ignored) {
      return {};
    }
    names.push_back(role.name);
  }
  return user_error(fmt::format(
      "the job would never end: {} {} untracked or a sidecar (tony.application.untracked.jobtypes, "
      "tony.application.sidecar.jobtypes), and no other type has instances",
      fmt::join(names, ", "), names.size() == 1 ? "is" : "are each"));
}

Status convert_stages(Reading& reading, spec::Spec& spec) {
  const std::vector<std::string> prepare = reading.trimmed_list("tony.application.prepare-stage");
  const std::vector<std::string> training = reading.trimmed_list("tony.application.training-stage");
  if (prepare.empty() && training.empty()) {
    return {};
  }
  for (const std::vector<std::string>* stage : {&prepare, &training}) {
    for (const std::string& name : *stage) {
      // A type with 0 instances has a place in its stage, but nobody waits for it.
      if (spec::find_role(spec, name) == nullptr && !reading.has(key(name, "instances"))) {
        return user_error(fmt::format("tony.application.{}-stage names {}, which has no instances",
                                      stage == &prepare ? "prepare" : "training", printable(name)));
      }
    }
  }
  const auto holds = [](const std::vector<std::string>& stage, const std::string& name) {
    return std::ranges::find(stage, name) != stage.end();
  };
  for (const spec::Role& role : spec.roles) {
    const auto stages = (holds(prepare, role.name) ? 1 : 0) + (holds(training, role.name) ? 1 : 0);
    const bool counts = role.success != spec::Success::Ignored || stages == 2;
    if (!prepare.empty() && !training.empty() && counts && stages != 1) {
      return user_error(fmt::format(
          "{} is in {} of tony.application.prepare-stage and .training-stage; each type must be in "
          "one of them, or give only one of the settings: the other stage then has all other types",
          role.name, stages == 0 ? "neither" : "both"));
    }
  }
  const auto prepares = [&](const std::string& name) {
    return prepare.empty() ? !holds(training, name) : holds(prepare, name);
  };
  for (spec::Role& role : spec.roles) {
    if (prepares(role.name)) {
      continue;
    }
    for (const spec::Role& other : spec.roles) {
      // A role that nobody waits for does not hold up a stage.
      if (prepares(other.name) && other.success != spec::Success::Ignored) {
        role.after.push_back({.role = other.name, .condition = spec::Condition::Ended});
      }
    }
  }
  return {};
}

void convert_dependencies(Reading& reading, spec::Spec& spec) {
  constexpr std::string_view kBegin = "tony.application.dependency.";
  constexpr std::string_view kAfter = ".timeout.after.";
  constexpr std::string_view kIgnored = ".ignored";
  for (const std::string& name : reading.names(kBegin, "")) {
    const size_t after = name.find(kAfter);
    if (after == std::string::npos || name.ends_with(kIgnored)) {
      continue;
    }
    const std::string role_name = name.substr(kBegin.size(), after - kBegin.size());
    const std::string group = name.substr(after + kAfter.size());
    const int64_t seconds = reading.number(name, 0);
    const bool ignored = reading.flag(name + std::string(kIgnored), false);
    std::vector<std::string> members = reading.list("tony.application.group." + group);
    // A group may name types that this job does not have.
    std::erase_if(members, [&](const std::string& member) {
      return spec::find_role(spec, member) == nullptr;
    });
    const auto role = std::ranges::find(spec.roles, role_name, &spec::Role::name);
    if (role == spec.roles.end() || members.empty()) {
      reading.note(name, "no effect: the type is missing, or all types of its group are");
      continue;
    }
    // TonY polls at intervals: a time of 0 lasts as long as one such pause.
    constexpr std::chrono::seconds kPause(5);
    role->deadline_after = {
        .roles = members,
        .in = seconds > 0 ? std::chrono::seconds(seconds) : kPause,
        .then = ignored ? spec::DeadlineAction::Ignore : spec::DeadlineAction::Fail};
  }
}

}  // namespace

Status convert_roles(Reading& reading, spec::Spec& spec, Dealer dealer) {
  for (const std::string& instances : reading.names("tony.", kInstances)) {
    const std::string name =
        instances.substr(5, instances.size() - 5 - kInstances.size());  // After "tony.".
    if (is_started_by_muster(reading, name, spec)) {
      reading.note(instances, "Muster starts TensorBoard itself, beside the chief");
      continue;
    }
    if (is_horovod_driver(name, spec)) {
      (void)role_of(reading, name, spec);  // Takes all its settings.
      reading.note(instances,
                   "no driver is started: Muster serves the rendezvous itself, beside rank 0");
      continue;
    }
    if (!is_type(name)) {
      (void)reading.text(instances, "");  // The note below covers it.
      reading.note(instances,
                   fmt::format("not run, as in TonY: the name of a type may contain only the "
                               "letters a to z, and {} contains others",
                               printable(name)),
                   Note::Kind::Unknown);
      continue;
    }
    if (const std::string wrong = spec::wrong_role_name(name); !wrong.empty()) {
      (void)reading.text(instances, "");
      reading.note(instances, "not run: " + wrong, Note::Kind::Unknown);
      continue;
    }
    spec::Role role = role_of(reading, name, spec);
    if (role.tasks > 0) {
      spec.roles.push_back(std::move(role));
    }
  }
  check_limits(reading, spec);
  if (spec.roles.empty()) {
    spec.framework = spec::Framework::Generic;
    spec.roles.push_back(master_role(reading, spec));
    spec.restart.job = 0;  // TonY does not run it again.
    reading.note("tony.*.instances",
                 "no type has instances: the command, which TonY ran in its master, becomes a role",
                 Note::Kind::NoObject);
  } else {
    add_tensorboard(reading, spec);
  }
  check_images(reading, spec);
  for (const spec::Role& role : spec.roles) {
    if (!role.command && !spec.command) {
      return user_error(fmt::format(
          "{0} has no command: give -executes, tony.containers.command or tony.{0}.command",
          role.name));
    }
  }
  const uint64_t tasks = tasks_of(spec);
  if (spec.framework == spec::Framework::Standalone && tasks != 1) {
    reading.refuse("tony.application.framework",
                   fmt::format("standalone jobs have one task, and this one has {}; `generic` runs "
                               "several without a framework's variables",
                               tasks));
  }
  leave_tensorflow(reading, spec);
  add_horovod(spec, dealer);
  convert_ends(reading, spec);
  MUSTER_TRY_STATUS(check_own_driver(reading, spec, dealer));
  MUSTER_TRY_STATUS(check_ends(spec));
  convert_placement(reading, spec);
  MUSTER_TRY_STATUS(convert_stages(reading, spec));
  convert_dependencies(reading, spec);
  return {};
}

std::optional<spec::Spec> preprocessing_of(Reading& reading, const spec::Spec& spec) {
  if (!reading.flag("tony.application.enable-preprocess", false) || runs_in_master(spec)) {
    return std::nullopt;
  }
  spec::Spec first = spec;
  first.name += "-preprocessing";
  first.framework = spec::Framework::Generic;
  first.barrier.reset();
  first.tensorboard.reset();
  first.runtime = {};
  first.variables.clear();
  first.chief_failure_fails_job = false;
  first.roles = {master_role(reading, spec)};
  if (!first.roles.front().command) {
    return std::nullopt;
  }
  return first;
}

}  // namespace muster::tony
