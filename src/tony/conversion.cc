#include "tony/conversion.h"

#include "base/text.h"
#include "spec/names.h"
#include "spec/write/serialize.h"
#include "tony/reading.h"
#include "tony/roles.h"
#include "tony/unmapped.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

namespace muster::tony {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kVenv = "venv";
/// Where an archive of -src_dir is unpacked.
constexpr std::string_view kSources = "src";

Result<spec::Framework> framework_of(Reading& reading) {
  const std::string name = reading.lower("tony.application.framework", "tensorflow");
  if (name == "tensorflow") {
    return spec::Framework::Tensorflow;
  }
  if (name == "pytorch") {
    return spec::Framework::Pytorch;
  }
  if (name == "mxnet" || name == "horovod") {
    return user_error(
        fmt::format("tony.application.framework: this version of Muster does not run {} jobs; with "
                    "`-conf tony.application.framework=generic` tasks run without its variables, "
                    "and find each other's addresses in CLUSTER_SPEC",
                    name));
  }
  if (name == "standalone") {
    return spec::Framework::Standalone;
  }
  if (name != "generic") {
    reading.note("tony.application.framework",
                 fmt::format("Muster has no framework {}: `generic` is used instead, whose tasks "
                             "find each other's addresses in CLUSTER_SPEC",
                             printable(name)));
  }
  return spec::Framework::Generic;
}

Status convert_application(Reading& reading, spec::Spec& spec) {
  spec.name = spec::job_name_from(reading.text("tony.application.name", "tony-job"));
  MUSTER_TRY(spec.framework, framework_of(reading));
  spec.yarn.queue = reading.text("tony.yarn.queue", spec.yarn.queue);
  spec.yarn.tags = reading.list("tony.application.tags");
  spec.yarn.node_label = reading.text("tony.application.node-label", "");
  const std::string type = reading.text("tony.application.type", "TONY");
  if (type != "TONY") {
    spec.yarn.type = type;
  }
  if (const auto mode = reading.lower("tony.application.distributed-mode", ""); !mode.empty()) {
    spec.barrier = mode == "fcfs" ? spec::Barrier::AsGranted : spec::Barrier::Gang;
  }
  if (const auto logdir = reading.text("tony.application.tensorboard-log-dir", "");
      !logdir.empty()) {
    spec.tensorboard = spec::Tensorboard{.logdir = logdir};
  }
  spec.master.vcores = static_cast<uint32_t>(reading.number("tony.am.vcores", spec.master.vcores));
  spec.restart.job = static_cast<uint32_t>(reading.number("tony.am.retry-count", 0));
  return {};
}

/// A time-out of TonY, off where it is not above 0.
std::optional<Duration> limit(Reading& reading, const std::string& name, Duration unit) {
  const int64_t value = reading.number(name, 0);
  return value > 0 ? std::optional(unit * value) : std::nullopt;
}

void convert_deadlines(Reading& reading, spec::Spec& spec) {
  spec.deadlines.run = limit(reading, "tony.application.timeout", milliseconds(1));
  spec.deadlines.queue = limit(reading, "tony.am.startup-timeout", milliseconds(1));
  spec.deadlines.gather = limit(reading, "tony.container.allocation.timeout", milliseconds(1));
  const auto registration = limit(reading, "tony.container.registration.timeout", milliseconds(1));
  const auto registry = limit(reading, "tony.task.executor.registry-timeout-sec", seconds(1));
  if (registration || registry) {
    spec.deadlines.join =
        std::min(registration.value_or(Duration::max()), registry.value_or(Duration::max()));
  }
  // Both were seconds apart from what TonY did with them: only what the user chose is kept.
  constexpr int64_t kTonysBeatMs = 1000;
  constexpr int64_t kTonysMissed = 25;
  const int64_t beat = reading.number("tony.task.heartbeat-interval-ms", kTonysBeatMs);
  const int64_t missed = reading.number("tony.task.max-missed-heartbeats", kTonysMissed);
  if (beat > 0 && missed > 0 && (beat != kTonysBeatMs || missed != kTonysMissed)) {
    constexpr int64_t kMissedMin = 3;
    spec.liveness.beat = milliseconds(beat);
    spec.liveness.lost = milliseconds(beat * std::max(kMissedMin + 1, missed));
    spec.liveness.suspect = milliseconds(beat * kMissedMin);
  }
}

void add_variables(Reading& reading, const std::vector<std::string>& entries,
                   const std::string& origin, spec::Environment& to) {
  for (const std::string& entry : entries) {
    const size_t equals = entry.find('=');
    const std::string name(trim(std::string_view(entry).substr(0, equals)));
    if (equals == std::string::npos || !spec::wrong_variable(name).empty()) {
      reading.note(origin, fmt::format("\"{}\" is not NAME=VALUE", printable(entry)));
      continue;
    }
    to[name] = {.source = spec::EnvValue::Source::Literal, .text = entry.substr(equals + 1)};
  }
}

void convert_environment(Reading& reading, const Flags& flags, spec::Spec& spec) {
  // What is for the task alone wins over what is for its container.
  add_variables(reading, reading.list("tony.containers.envs"), "tony.containers.envs", spec.env);
  add_variables(reading, flags.container_env, "-container_env", spec.env);
  add_variables(reading, reading.list("tony.execution.envs"), "tony.execution.envs", spec.env);
  add_variables(reading, flags.shell_env, "-shell_env", spec.env);
}

void convert_files(Reading& reading, const Input& input, spec::Spec& spec) {
  const std::string& folder = input.flags.src_dir;
  for (const std::string& entry : input.source_entries) {
    spec.files.push_back({.src = folder + (folder.ends_with('/') ? "" : "/") + entry});
  }
  if (!folder.empty() && input.source_entries.empty()) {
    spec.files.push_back({.src = folder, .as = std::string(kSources), .unpack = spec::Unpack::Yes});
    reading.note("-src_dir",
                 "it is an archive: it is unpacked in the folder src, to whose files links lead "
                 "from where the command starts");
  }
  reading.add_resources("tony.containers.resources", spec.files);
  for (const std::string& entry : reading.split_list(input.flags.hdfs_classpath)) {
    spec.files.push_back({.src = entry});
  }
  if (!input.flags.hdfs_classpath.empty()) {
    reading.note("-hdfs_classpath",
                 "its entries are files of the job now, not part of a class path");
  }
}

/// Tasks find the environment as venv/ in their folder: TonY's commands name paths in it.
void convert_python(const Flags& flags, spec::Spec& spec) {
  if (!flags.python_venv.empty()) {
    spec.files.push_back(
        {.src = flags.python_venv, .as = std::string(kVenv), .unpack = spec::Unpack::Yes});
  }
}

/// The words that TonY's client makes of its flags.
std::string command_of(const Input& input) {
  const Flags& flags = input.flags;
  std::string command = flags.executes;
  if (command.empty()) {
    return command;
  }
  if (const std::string& interpreter = flags.python_binary_path; !interpreter.empty()) {
    const bool own = !interpreter.starts_with('/') && !flags.python_venv.empty();
    command = (own ? fmt::format("{}/{}", kVenv, interpreter) : interpreter) + " " + command;
  }
  if (!flags.task_params.empty()) {
    command += " " + flags.task_params;
  }
  return command;
}

/// Of files with one name in a task's folder the last one counts, as in TonY.
void keep_last_of_a_name(Reading& reading, std::vector<spec::File>& files) {
  std::map<std::string, std::string> last;
  for (const spec::File& file : files) {
    const auto [there, fresh] = last.emplace(spec::place_of(file), file.src);
    if (!fresh && there->second != file.src) {
      reading.note(there->first, fmt::format("{} and {} have this name; tasks find the latter",
                                             printable(there->second), printable(file.src)));
    }
    there->second = file.src;
  }
  std::set<std::string> kept;
  std::vector<spec::File> left;
  for (auto file = files.rbegin(); file != files.rend(); ++file) {
    if (kept.insert(spec::place_of(*file)).second) {
      left.push_back(std::move(*file));
    }
  }
  std::ranges::reverse(left);
  files = std::move(left);
}

void keep_last_of_a_name(Reading& reading, spec::Spec& spec) {
  keep_last_of_a_name(reading, spec.files);
  for (spec::Role& role : spec.roles) {
    if (role.files) {
      keep_last_of_a_name(reading, *role.files);
    }
  }
}

/// TonY unpacks an archive of sources where the command starts.
void begin_in_sources(spec::Spec& spec) {
  const std::string begin = fmt::format("ln -sfn {}/* . && ", kSources);
  for (spec::Role& role : spec.roles) {
    if (role.command) {
      role.command = begin + *role.command;
    }
  }
  if (spec.command) {
    spec.command = begin + *spec.command;
  }
}

Properties lay(const Input& input, std::vector<Note>& notes) {
  const std::set<std::string> appended = {"tony.containers.envs", "tony.execution.envs",
                                          "tony.containers.resources"};
  Properties properties;
  for (const Property& property : input.properties) {
    properties.add(property, false);
  }
  for (const std::string& entry : input.flags.conf) {
    const size_t equals = entry.find('=');
    const std::string name(trim(std::string_view(entry).substr(0, equals)));
    if (equals == std::string::npos) {
      notes.push_back({.name = "-conf", .text = "\"" + printable(entry) + "\" is not KEY=VALUE"});
      continue;
    }
    properties.add({.name = name, .value = entry.substr(equals + 1), .origin = "-conf"},
                   appended.contains(name));
  }
  return properties;
}

void note_rest(Reading& reading, Properties& properties) {
  for (const Property& property : properties.rest()) {
    if (!property.name.starts_with("tony.")) {
      reading.note(property.name,
                   "not a setting of TonY; Hadoop's own settings are read from its configuration");
      continue;
    }
    const auto why = why_unmapped(property.name);
    reading.note(
        property.name,
        why ? std::string(*why) : fmt::format("no version of TonY knows it ({})", property.origin));
  }
}

}  // namespace

Result<Converted> convert(const Input& input) {
  Converted converted;
  Properties properties = lay(input, converted.notes);
  Reading reading(properties, converted.notes);
  spec::Spec& spec = converted.spec;
  MUSTER_TRY_STATUS(convert_application(reading, spec));
  convert_deadlines(reading, spec);
  convert_environment(reading, input.flags, spec);
  convert_files(reading, input, spec);
  convert_python(input.flags, spec);
  std::string command = command_of(input);
  const std::string configured = reading.text("tony.containers.command", "");
  command = command.empty() ? configured : command;
  if (!command.empty()) {
    spec.command = std::move(command);
  }
  if (!input.flags.tensorboard_log_dir.empty()) {
    spec.tensorboard = spec::Tensorboard{.logdir = input.flags.tensorboard_log_dir};
  }
  MUSTER_TRY_STATUS(convert_roles(reading, spec));
  MUSTER_TRY_STATUS(reading.error());
  keep_last_of_a_name(reading, spec);
  if (!input.flags.src_dir.empty() && input.source_entries.empty()) {
    begin_in_sources(spec);
  }
  note_rest(reading, properties);
  std::ranges::sort(converted.notes, {}, [](const Note& note) {
    return std::pair(std::string_view(note.name), std::string_view(note.text));
  });
  return converted;
}

std::string render_notes(const Converted& converted) {
  std::string text = "# Made from a TonY job by `muster tony`.\n";
  if (!converted.notes.empty()) {
    text += "#\n# Not converted, and what to do about it:\n";
  }
  for (const Note& note : converted.notes) {
    text += fmt::format("#   {}: {}\n", printable(note.name), printable(note.text));
  }
  return text;
}

std::string render(const Converted& converted) {
  return render_notes(converted) + spec::to_yaml(converted.spec);
}

}  // namespace muster::tony
