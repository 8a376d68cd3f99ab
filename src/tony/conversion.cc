#include "tony/conversion.h"

#include "base/text.h"
#include "spec/names.h"
#include "spec/write/serialize.h"
#include "tony/reading.h"
#include "tony/roles.h"
#include "tony/settings_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ranges>
#include <set>

namespace muster::tony {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kVenv = "venv";
/// Where an archive of -src_dir is unpacked.
constexpr std::string_view kSources = "src";

/// In TonY's debug mode a driver of the user's own assigns the ranks and serves their rendezvous.
void add_own_driver(spec::Spec& spec) {
  spec.framework = spec::Framework::Generic;
  spec.runtime.program =
      fmt::format(R"(if [ "$MUSTER_ROLE" != {} ]; then exec $HOROVOD_SLOT; fi)", kOwnDriver);
  spec.variables["HOROVOD_SLOT"] =
      fmt::format("{{program}} horovod-slot {{{}.0.address}}", kOwnDriver);
  spec.variables["HOROVOD_DRIVER"] = "{program} horovod-driver {address}";
}

/// A name that TonY finds in its table or among its plug-ins is a built-in framework here, or a
/// framework's file.
Dealer convert_framework(Reading& reading, Converted& converted) {
  constexpr std::array kBuiltIn = {spec::Framework::Tensorflow, spec::Framework::Pytorch,
                                   spec::Framework::Mxnet,      spec::Framework::Horovod,
                                   spec::Framework::Standalone, spec::Framework::Jax,
                                   spec::Framework::Generic};
  const std::string name = reading.lower("tony.application.framework", "tensorflow");
  const auto* const found = std::ranges::find(
      kBuiltIn, name, [](spec::Framework framework) { return spec::to_string(framework); });
  if (found != kBuiltIn.end()) {
    converted.spec.framework = *found;
    if (*found == spec::Framework::Horovod &&
        reading.flag("tony.horovod.driver.mode.debug", false)) {
      add_own_driver(converted.spec);
      return Dealer::OwnDriver;
    }
    return Dealer::Muster;
  }
  converted.spec.framework = spec::Framework::Generic;
  if (const std::string wrong = spec::wrong_framework_name(name); !wrong.empty()) {
    reading.refuse("tony.application.framework", wrong);
    return Dealer::Muster;
  }
  converted.framework_file = name;
  return Dealer::Muster;
}

void convert_application(Reading& reading, spec::Spec& spec) {
  spec.name = spec::job_name_from(reading.text("tony.application.name", "tony-job"));
  spec.yarn.queue = reading.text("tony.yarn.queue", spec.yarn.queue);
  spec.yarn.tags = reading.trimmed_list("tony.application.tags");
  spec.yarn.node_label = reading.text("tony.application.node-label", "");
  const std::string type = reading.text("tony.application.type", "TONY");
  if (type != "TONY") {
    spec.yarn.type = type;
  }
  if (const auto mode = reading.lower("tony.application.distributed-mode", ""); !mode.empty()) {
    if (mode != "fcfs" && mode != "gang") {
      reading.refuse("tony.application.distributed-mode",
                     fmt::format("must be GANG or FCFS, not `{}`", printable(mode)));
    }
    spec.barrier = mode == "fcfs" ? spec::Barrier::AsGranted : spec::Barrier::Gang;
  }
  if (const auto logdir = reading.text("tony.application.tensorboard-log-dir", "");
      !logdir.empty()) {
    spec.tensorboard = spec::Tensorboard{.logdir = logdir};
  }
  spec.restart.job = reading.count("tony.am.retry-count", 0, 0);
}

/// Returns a TonY time-out, which is off unless it is above 0.
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
  // TonY's own behaviour was seconds off these values: only what the user chose is kept.
  constexpr int64_t kTonysBeatMs = 1000;
  constexpr int64_t kTonysMissed = 25;
  const int64_t beat = reading.number("tony.task.heartbeat-interval-ms", kTonysBeatMs, 1);
  const int64_t missed = reading.number("tony.task.max-missed-heartbeats", kTonysMissed, 0);
  if (beat != kTonysBeatMs || missed != kTonysMissed) {
    constexpr int64_t kMissedMin = 3;
    spec.liveness.beat = milliseconds(beat);
    spec.liveness.lost = milliseconds(beat * std::max(kMissedMin + 1, missed));
    spec.liveness.suspect = milliseconds(beat * kMissedMin);
  }
}

/// TonY joined the entries of a flag into a list separated by commas, so one entry may be several
/// variables. Here a comma that is not followed by `NAME=` is part of the value.
std::vector<std::string> entries_in(const std::vector<std::string>& given) {
  std::vector<std::string> entries;
  for (const std::string& text : given) {
    bool first = true;
    for (const std::string_view part : split(text, ',')) {
      const size_t equals = part.find('=');
      const bool begins = equals != std::string_view::npos &&
                          spec::wrong_variable(std::string(trim(part.substr(0, equals)))).empty();
      if (first || begins) {
        entries.emplace_back(part);
      } else {
        entries.back() += "," + std::string(part);
      }
      first = false;
    }
  }
  return entries;
}

void add_variables(Reading& reading, const std::vector<std::string>& entries,
                   const std::string& origin, spec::Environment& to) {
  for (const std::string& entry : entries) {
    const size_t equals = entry.find('=');
    const std::string name(trim(std::string_view(entry).substr(0, equals)));
    if (!spec::wrong_variable(name).empty()) {
      reading.note(origin, fmt::format("\"{}\" is not NAME=VALUE", printable(entry)),
                   Note::Kind::Unknown);
      continue;
    }
    // Without a `=` a variable is empty, as in TonY.
    to[name] = {.source = spec::EnvValue::Source::Literal,
                .text = equals == std::string::npos ? "" : entry.substr(equals + 1)};
  }
}

/// Returns whether the shell that starts a container on YARN would change a value.
bool is_for_the_shell(std::string_view value) {
  const size_t dollar = value.find('$');
  const bool named = dollar != std::string_view::npos && dollar + 1 < value.size();
  return named || value.find("{{") != std::string_view::npos ||
         value.find("<CPS>") != std::string_view::npos;
}

/// Returns what YARN writes into the script that starts a container: `export NAME="VALUE"`, with
/// its own notations for a variable and the path separator converted to the shell's.
std::string exported(std::string_view name, std::string value) {
  const auto replace = [&value](std::string_view what, std::string_view by) {
    for (size_t at = value.find(what); at != std::string::npos;
         at = value.find(what, at + by.size())) {
      value.replace(at, what.size(), by);
    }
  };
  replace("{{", "${");
  replace("}}", "}");
  replace("<CPS>", ":");
  replace("\"", "\\\"");
  return fmt::format("export {}=\"{}\"; ", name, value);
}

/// Returns what precedes every command: variables of containers that refer to other variables, as
/// in PATH=/opt/bin:$PATH.
std::string convert_environment(Reading& reading, const Flags& flags, spec::Spec& spec) {
  spec::Environment container;
  add_variables(reading, reading.list("tony.containers.envs"), "tony.containers.envs", container);
  add_variables(reading, entries_in(flags.container_env), "-container_env", container);
  // What is only for the task overrides what is for its container.
  add_variables(reading, reading.list("tony.execution.envs"), "tony.execution.envs", spec.env);
  add_variables(reading, entries_in(flags.shell_env), "-shell_env", spec.env);
  std::string exports;
  for (auto& [name, value] : container) {
    if (is_for_the_shell(value.text) && !spec.env.contains(name)) {
      exports += exported(name, value.text);
    } else {
      spec.env.try_emplace(name, std::move(value));
    }
  }
  return exports;
}

void convert_files(Reading& reading, const Input& input, spec::Spec& spec) {
  const std::string& folder = input.flags.src_dir;
  for (const std::string& entry : input.source_entries) {
    spec.files.push_back({.src = folder + (folder.ends_with('/') ? "" : "/") + entry});
  }
  if (!folder.empty() && input.source_entries.empty()) {
    spec.files.push_back({.src = folder, .as = std::string(kSources), .unpack = spec::Unpack::Yes});
    reading.note("-src_dir",
                 "it is an archive: it is unpacked into the folder src, and the folder where the "
                 "command starts has links to its files");
  }
  reading.add_resources("tony.containers.resources", spec.files);
  for (const std::string& entry : Reading::split_list(input.flags.hdfs_classpath)) {
    spec.files.push_back({.src = entry.starts_with('/') ? "hdfs://" + entry : entry});
  }
}

/// Tasks find the environment as venv/ in their folder: commands written for TonY name paths in it.
void convert_python(const Flags& flags, spec::Spec& spec) {
  if (!flags.python_venv.empty()) {
    spec.files.push_back(
        {.src = flags.python_venv, .as = std::string(kVenv), .unpack = spec::Unpack::Yes});
  }
}

/// Returns the path of a `file:` URI, which is on this machine; anything else unchanged.
std::string without_file_scheme(std::string source) {
  constexpr std::string_view kScheme = "file:";
  if (source.starts_with(kScheme)) {
    source.erase(0, kScheme.size());
    source.erase(0, source.starts_with("///") ? 2 : 0);
  }
  return source;
}

std::vector<std::string> hadoop_files(Reading& reading) {
  std::vector<std::string> files;
  for (const char* name : {"tony.application.hdfs-conf-path", "tony.application.yarn-conf-path"}) {
    std::string path = without_file_scheme(reading.text(name, ""));
    if (!path.empty()) {
      files.push_back(std::move(path));
    }
  }
  return files;
}

/// Returns the command line that TonY's client makes from its flags.
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

/// Of several files with the same name in a task's folder, the last counts, as in TonY.
///
/// TonY left `file:///a` to each host, which had to have it in the same place as the client.
void keep_last_of_a_name(Reading& reading, std::vector<spec::File>& files) {
  for (spec::File& file : files) {
    file.src = without_file_scheme(std::move(file.src));
  }
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
  for (spec::File& file : std::ranges::reverse_view(files)) {
    if (kept.insert(spec::place_of(file)).second) {
      left.push_back(std::move(file));
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

/// Returns whether every POSIX shell reads a command the same way as bash, which TonY starts.
bool is_plain(std::string_view command) {
  const std::string_view first = command.substr(0, command.find(' '));
  return first != "source" && first != "pushd" && std::ranges::all_of(command, [](char c) {
           constexpr std::string_view kPlain = " _./:=,@%+-\"'$~";
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  kPlain.find(c) != std::string_view::npos;
         });
}

/// Returns the program that a command begins with, if it is a file in the task's folder.
std::string_view own_program(std::string_view command) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./";
  const std::string_view word = command.substr(0, command.find(' '));
  const bool plain = word.find_first_not_of(kLetters) == std::string_view::npos;
  const bool file = word.find('/') != std::string_view::npos && !word.starts_with('/');
  return plain && file ? word : std::string_view();
}

/// Ray nodes that start on one host at the same time choose the same names for their sockets, in a
/// shared folder, and the second one dies of `bind: Address already in use`; `ray stop` ends those
/// of all tasks, and of other jobs. So each gets names of its own, in a folder that is closed to
/// others, because Ray opens that of the sockets to everybody, and stops only what it has started.
/// The nodes of a head that is gone end, and with them `ray start --block`, once they have tried to
/// reach it for long enough.
constexpr std::string_view kRay =
    R"(ray() { case $1 in )"
    R"(start) export MUSTER_RAY="/tmp/ray-$MUSTER_JOB_ID-$JOB_NAME-$TASK_INDEX"; )"
    R"(export RAY_gcs_rpc_server_reconnect_timeout_s=)"
    R"("${RAY_gcs_rpc_server_reconnect_timeout_s:-20}"; )"
    R"(rm -rf "$MUSTER_RAY"; mkdir -m 700 "$MUSTER_RAY" || )"
    R"(MUSTER_RAY=$(mktemp -d "$MUSTER_RAY.XXXXXX") || return; )"
    R"(trap 'rm -rf "$MUSTER_RAY"' EXIT; )"
    R"(command ray start --plasma-store-socket-name "$MUSTER_RAY/s/plasma" )"
    R"(--raylet-socket-name "$MUSTER_RAY/s/raylet" "${@:2}";; )"
    R"(stop) for of in $(grep -lsxzF "MUSTER_RAY=$MUSTER_RAY" /proc/[0-9]*/environ); do )"
    R"(of=${of%/environ}; kill "${of#/proc/}" 2>/dev/null; done; true;; )"
    R"(*) command ray "$@";; esac; }; export -f ray; )";

/// Runs a command as TonY's executor does: with bash, for a limited time, in the sources, and as a
/// program even if packing has lost its mode.
class Executor {
 public:
  /// `exports` precedes everything.
  Executor(Reading& reading, const Input& input, std::string exports)
      : exports_(std::move(exports)),
        limit_ms_(reading.number("tony.task.executor.execution-timeout-ms", 0)),
        begins_in_sources_(!input.flags.src_dir.empty() && input.source_entries.empty()),
        lacks_mode_(input.lacks_mode) {}

  void apply(spec::Spec& spec) const {
    apply(spec.command);
    for (spec::Role& role : spec.roles) {
      apply(role.command);
    }
  }

 private:
  void apply(std::optional<std::string>& command) const {
    if (!command) {
      return;
    }
    std::string program(own_program(*command));
    if (!lacks_mode_ || program.empty() || !lacks_mode_(program)) {
      program.clear();
    }
    if (command->find("ray start") != std::string::npos) {
      command->insert(0, kRay);
    }
    if (limit_ms_ > 0) {
      constexpr int64_t kSecond = 1000;
      command = fmt::format("exec timeout --kill-after=30 {}.{:03} bash -c {}", limit_ms_ / kSecond,
                            limit_ms_ % kSecond, shell_quote(*command));
    } else if (!is_plain(*command)) {
      command = "exec bash -c " + shell_quote(*command);
    } else if (!program.empty()) {
      command = "exec " + *command;
    }
    if (!program.empty()) {
      command = fmt::format("[ -x {0} ] || chmod u+x {0}; {1}", program, *command);
    }
    if (begins_in_sources_) {
      command = fmt::format("ln -sfn {}/* . && {}", kSources, *command);
    }
    command->insert(0, exports_);
  }

  std::string exports_;
  int64_t limit_ms_;
  bool begins_in_sources_;
  const std::function<bool(const std::string&)>& lacks_mode_;
};

/// Runs the user's driver under the program that tells the ranks their slots.
void wrap_own_driver(spec::Spec& spec) {
  const auto driver = std::ranges::find(spec.roles, kOwnDriver, &spec::Role::name);
  if (driver != spec.roles.end() && driver->command) {
    driver->command = "exec $HOROVOD_DRIVER /bin/sh -c " + shell_quote(*driver->command);
  }
}

/// Merges the layers of a job's settings. As in TonY, `-conf` appends to what the job says and
/// overrides what the site says.
Properties lay(const Input& input, std::vector<Note>& notes) {
  const std::set<std::string> appended = {"tony.containers.envs", "tony.execution.envs",
                                          "tony.containers.resources"};
  Properties properties;
  const auto parsed = [&](const std::string& entry, const char* origin) {
    const size_t equals = entry.find('=');
    if (equals == std::string::npos) {
      notes.push_back({.name = origin, .text = "\"" + printable(entry) + "\" is not KEY=VALUE"});
      return std::optional<Property>();
    }
    return std::optional(
        Property{.name = std::string(trim(std::string_view(entry).substr(0, equals))),
                 .value = entry.substr(equals + 1),
                 .origin = origin});
  };
  for (const std::string& entry : input.flags.default_setting) {
    if (auto property = parsed(entry, "--default-setting")) {
      properties.add(*std::move(property));
    }
  }
  for (const Property& property : input.properties) {
    properties.add(property);
  }
  const auto set = [&](const std::string& entry, const char* origin, bool may_append) {
    if (auto property = parsed(entry, origin)) {
      const bool appends = may_append && appended.contains(property->name);
      properties.set(*std::move(property), appends);
    }
  };
  for (const std::string& entry : input.flags.setting) {
    set(entry, "--setting", false);
  }
  for (const std::string& entry : input.flags.conf) {
    set(entry, "-conf", true);
  }
  for (const Property& property : input.site) {
    properties.add(property);
  }
  properties.expand(input.variables);
  return properties;
}

constexpr std::string_view kNotTonys =
    "not a setting of TonY; Hadoop's own settings are read from its configuration";

bool is_tonys(const Property& property) { return property.name.starts_with("tony."); }

/// Programs that write a whole Hadoop Configuration have hundreds: these become one note.
void note_others(Reading& reading, const std::vector<Property>& rest) {
  constexpr ptrdiff_t kNamedMax = 5;
  const ptrdiff_t others =
      std::ranges::count_if(rest, [](const Property& each) { return !is_tonys(each); });
  if (others > kNamedMax) {
    reading.note(fmt::format("{} properties without `tony.`", others), std::string(kNotTonys),
                 Note::Kind::NoObject);
    return;
  }
  for (const Property& property : rest) {
    if (!is_tonys(property)) {
      reading.note(property.name, std::string(kNotTonys), Note::Kind::NoObject);
    }
  }
}

/// Adds notes about settings that were not converted.
void note_rest(Reading& reading, Properties& properties) {
  const std::vector<Property> rest = properties.rest();
  note_others(reading, rest);
  for (const Property& property : rest | std::views::filter(is_tonys)) {
    const Setting* const row = find_setting(property.name);
    if (row == nullptr) {
      const auto near = nearest_setting(property.name);
      reading.note(property.name,
                   fmt::format("no version of TonY knows it ({}){}", property.origin,
                               near ? fmt::format("; did you mean {}?", *near) : ""),
                   Note::Kind::Unknown);
    } else if (row->fate == Fate::Becomes) {
      reading.note(property.name,
                   "has no effect in this job; where it has one, it becomes " +
                       text_for(*row, property.name),
                   Note::Kind::NoObject);
    } else {
      reading.note(property.name, text_for(*row, property.name),
                   row->fate == Fate::Differs ? Note::Kind::Differs : Note::Kind::NoObject);
    }
  }
}

std::vector<Property> all_settings(const Properties& properties, const Flags& flags) {
  std::vector<Property> all = properties.all();
  for (const auto& [name, value] : flags.given) {
    if (name != "-conf") {
      all.push_back({.name = name, .value = value, .origin = "command line"});
    }
  }
  std::ranges::sort(all, {}, [](const Property& property) {
    return std::pair(std::string_view(property.name), std::string_view(property.value));
  });
  return all;
}

}  // namespace

Result<Converted> convert(const Input& input) {
  Converted converted;
  Properties properties = lay(input, converted.notes);
  Reading reading(properties, converted.notes);
  spec::Spec& spec = converted.spec;
  const Dealer dealer = convert_framework(reading, converted);
  convert_application(reading, spec);
  convert_deadlines(reading, spec);
  converted.hadoop_files = hadoop_files(reading);
  std::string exports = convert_environment(reading, input.flags, spec);
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
  MUSTER_TRY_STATUS(convert_roles(reading, spec, dealer));
  converted.preprocessing = preprocessing_of(reading, spec);
  const Executor executor(reading, input, std::move(exports));
  MUSTER_TRY_STATUS(reading.error());
  for (spec::Spec* each : {&spec, converted.preprocessing ? &*converted.preprocessing : nullptr}) {
    if (each != nullptr) {
      keep_last_of_a_name(reading, *each);
      executor.apply(*each);
      if (dealer == Dealer::OwnDriver) {
        wrap_own_driver(*each);
      }
    }
  }
  for (const std::string& flag : input.flags.repeated) {
    reading.note(flag, "is given more than once: the first one counts, as in TonY",
                 Note::Kind::Doubtful);
  }
  note_rest(reading, properties);
  converted.settings = all_settings(properties, input.flags);
  std::ranges::sort(converted.notes, {}, [](const Note& note) {
    return std::pair(std::string_view(note.name), std::string_view(note.text));
  });
  // What holds for several roles is reported once.
  const auto repeated = std::ranges::unique(converted.notes);
  converted.notes.erase(repeated.begin(), repeated.end());
  return converted;
}

std::string render_head(const Converted& converted) {
  std::string text = "# Made from a TonY job by `muster tony`.\n";
  if (!converted.notes.empty()) {
    text += "#\n# What is not in it, and why:\n";
  }
  for (const Note& note : converted.notes) {
    text += fmt::format("#   {}: {}\n", printable(note.name), printable(note.text));
  }
  if (converted.preprocessing) {
    text +=
        "#\n# `muster tony` runs the preprocessing as a job of its own before this one, and gives "
        "it\n# MODEL_PARAMS; here that has to be done by hand.\n";
  }
  if (!converted.framework_file.empty()) {
    text += fmt::format("framework: {}\n", converted.framework_file);
  }
  return text;
}

std::string explain(const Converted& converted) {
  std::string text;
  for (const Property& property : converted.settings) {
    text +=
        fmt::format("{}{}{} ({})\n", printable(property.name), property.value.empty() ? "" : " = ",
                    printable(property.value), property.origin);
    bool said = false;
    for (const Note& note : converted.notes) {
      if (note.name == property.name) {
        text += fmt::format("  {}\n", note.text);
        said = true;
      }
    }
    const Setting* const row = find_setting(property.name);
    if (row != nullptr && !said) {
      text += fmt::format("  {}\n", text_for(*row, property.name));
    } else if (!said && !property.name.starts_with('-') && !is_tonys(property)) {
      text += fmt::format("  {}\n", kNotTonys);
    }
  }
  return text;
}

std::string render(const Converted& converted) {
  return render_head(converted) + spec::to_yaml(converted.spec);
}

}  // namespace muster::tony
