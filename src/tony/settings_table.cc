#include "tony/settings_table.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

namespace muster::tony {
namespace {

constexpr std::string_view kConfPath = "the client reads it on top of the files in HADOOP_CONF_DIR";
constexpr std::string_view kNotRead = "TonY itself has not read it since its first versions";
constexpr std::string_view kChief =
    "not read since TonY 0.3: the chief is chief:0, or worker:0 where there is no type chief; "
    "write `chief: true` in another role";

// Rows without placeholders come before others that would match as well.
constexpr std::array kSettings = {
    Setting{"tony.yarn.queue", Fate::Becomes, "`yarn.queue`"},
    Setting{"tony.application.name", Fate::Becomes,
            "`name`; characters that a name cannot have become dashes"},
    Setting{"tony.application.type", Fate::Becomes,
            "`yarn.type`; TonY's own, TONY, becomes MUSTER"},
    Setting{"tony.application.tags", Fate::Becomes, "`yarn.tags`"},
    Setting{"tony.application.node-label", Fate::Becomes, "`yarn.node_label`"},
    Setting{"tony.application.placement-spec", Fate::Becomes,
            "`constraint` of the roles that have the tag it begins with, and none of their own"},
    Setting{"tony.application.framework", Fate::Becomes,
            "`framework`: a built-in one, or a framework file in the place of TonY's plug-ins"},
    Setting{"tony.application.distributed-mode", Fate::Becomes, "`barrier: gang` or `as_granted`"},
    Setting{"tony.application.enable-preprocess", Fate::Becomes,
            "`muster tony` runs the command first, as a job of its own, and gives MODEL_PARAMS to "
            "the tasks of the second"},
    Setting{"tony.application.timeout", Fate::Becomes, "`deadlines.run`"},
    Setting{"tony.application.num-client-rm-connect-retries", Fate::Differs,
            "Hadoop's own yarn.resourcemanager.connect.max-wait.ms says how long the client tries"},
    Setting{"tony.application.prepare-stage", Fate::Becomes,
            "`after: {ROLE: ended}` in the roles of the later stage"},
    Setting{"tony.application.training-stage", Fate::Becomes,
            "`after: {ROLE: ended}` in these roles"},
    Setting{"tony.application.hadoop.location", Fate::NoObject,
            "containers need neither Java nor Hadoop's tarball"},
    Setting{"tony.application.hadoop.classpath", Fate::NoObject,
            "containers need neither Java nor Hadoop's tarball"},
    Setting{"tony.application.untracked.jobtypes", Fate::Becomes,
            "`success: ignored`, `failure: fails_job` of these roles"},
    Setting{"tony.application.sidecar.jobtypes", Fate::Becomes,
            "`success: ignored`, `failure: ignored` of these roles"},
    Setting{"tony.application.stop-on-failure-jobtypes", Fate::Becomes,
            "`failure: fails_job` of these roles, where others have `tolerated`"},
    Setting{"tony.application.fail-on-worker-failure-enabled", Fate::Becomes,
            "`stop_on_first_failure`"},
    Setting{"tony.application.security.enabled", Fate::NoObject,
            "the cluster's hadoop.security.authentication decides"},
    Setting{"tony.application.insecure-mode", Fate::NoObject,
            "the cluster's hadoop.security.authentication decides"},
    Setting{"tony.application.hdfs-conf-path", Fate::Becomes, kConfPath},
    Setting{"tony.application.yarn-conf-path", Fate::Becomes, kConfPath},
    Setting{"tony.application.mapred-conf-path", Fate::NoObject,
            "TonY took only the location of Hadoop's tarball from it"},
    Setting{"tony.application.tensorboard-log-dir", Fate::Becomes, "`tensorboard.logdir`"},
    Setting{"tony.application.group.<G>", Fate::Becomes,
            "`deadline_after.roles` of the roles that depend on it"},
    Setting{"tony.application.dependency.<T>.timeout.after.<G>", Fate::Becomes,
            "`roles.<T>.deadline_after.in`"},
    Setting{"tony.application.dependency.<T>.timeout.after.<G>.ignored", Fate::Becomes,
            "`roles.<T>.deadline_after.then: ignore`; as in TonY, a task of that role that fails "
            "later still fails the job"},
    Setting{"tony.application.single-node", Fate::NoObject,
            "a job without tasks is a single-node job"},
    Setting{"tony.other.namenodes", Fate::Differs,
            "tokens are taken for the file systems that `files` and `checkpoint.to` name; those of "
            "others must be in HADOOP_TOKEN_FILE_LOCATION"},
    Setting{"tony.am.retry-count", Fate::Becomes,
            "`restart.job`; as in TonY, it does not apply to a job without tasks"},
    Setting{"tony.am.memory", Fate::Becomes,
            "`memory` of the role of a job without tasks, or of the preprocessing; the master "
            "itself needs 256m (`master.memory`)"},
    Setting{"tony.am.vcores", Fate::Becomes,
            "`vcores` of the role of a job without tasks, or of the preprocessing; the master "
            "itself gets `master.vcores`"},
    Setting{"tony.am.gpus", Fate::Becomes,
            "`gpus` of the role of a job without tasks, or of the preprocessing; the master itself "
            "uses none"},
    Setting{"tony.am.node-label", Fate::Becomes,
            "`node_label` of the role of a job without tasks, or of the preprocessing; the master "
            "itself goes where `yarn.node_label` says"},
    Setting{"tony.am.resources", Fate::Becomes,
            "`files` of the role of a job without tasks, or of the preprocessing; the master "
            "itself needs none"},
    Setting{"tony.am.command", Fate::Becomes,
            "`command` of the role of a job without tasks, or of the preprocessing; the master "
            "itself runs no program of the user"},
    Setting{"tony.am.startup-timeout", Fate::Becomes, "`deadlines.queue`"},
    Setting{"tony.am.wait-client-signal-stop-timeout-sec", Fate::NoObject,
            "the master exits once it has reported to the cluster"},
    Setting{"tony.task.max-total-instances", Fate::Becomes, "checked before anything is submitted"},
    Setting{"tony.task.max-total-gpus", Fate::Becomes, "checked before anything is submitted"},
    Setting{"tony.task.max-total-<R>", Fate::Becomes,
            "checked before anything is submitted; memory counts in MB"},
    Setting{"tony.task.am.jvm.opts", Fate::NoObject,
            "containers need neither Java nor Hadoop's tarball"},
    Setting{"tony.task.executor.jvm.opts", Fate::NoObject,
            "containers need neither Java nor Hadoop's tarball"},
    Setting{"tony.task.default.jvm.opts", Fate::NoObject,
            "containers need neither Java nor Hadoop's tarball"},
    Setting{"tony.default.jvm.opts", Fate::NoObject,
            "containers need neither Java nor Hadoop's tarball"},
    Setting{"tony.task.heartbeat-interval-ms", Fate::Becomes, "`liveness.beat`"},
    Setting{"tony.task.max-missed-heartbeats", Fate::Becomes,
            "`liveness.lost`, times the interval"},
    Setting{"tony.task.metrics-interval-ms", Fate::NoObject,
            "use is measured all the time, and its peaks are kept"},
    Setting{"tony.task.gpu-metrics.enabled", Fate::NoObject,
            "the use of GPUs is measured where there are any"},
    Setting{"tony.task.executor.execution-timeout-ms", Fate::Becomes,
            "`timeout` in front of every command"},
    Setting{"tony.task.executor.registry-timeout-sec", Fate::Becomes, "`deadlines.join`"},
    Setting{"tony.task.executor.execution.error-message-max-depth", Fate::Differs,
            "the summary shows the first cause and the program's last output"},
    Setting{"tony.task.registration-timeout-sec", Fate::NoObject, kNotRead},
    Setting{"tony.task.registration-retry-count", Fate::NoObject, kNotRead},
    Setting{"tony.init.module", Fate::NoObject, kNotRead},
    Setting{"tony.chief.name", Fate::Differs, kChief},
    Setting{"tony.chief.index", Fate::Differs, kChief},
    Setting{"tony.container.allocation.timeout", Fate::Becomes, "`deadlines.gather`"},
    Setting{"tony.container.registration.timeout", Fate::Becomes, "`deadlines.join`"},
    Setting{"tony.execution.envs", Fate::Becomes, "`env`"},
    Setting{
        "tony.containers.envs", Fate::Becomes,
        "`env`, below tony.execution.envs; an `export` before the command where a value names a "
        "variable, as in PATH=/opt/bin:$PATH"},
    Setting{"tony.gpu-exec-path", Fate::NoObject,
            "TonY read it from YARN's configuration only; nvidia-smi is found by PATH"},
    Setting{"tony.python-exec-path", Fate::NoObject,
            "only TonY's Horovod driver read it; -python_binary_path names the interpreter"},
    Setting{"tony.containers.resources", Fate::Becomes, "`files`"},
    Setting{"tony.containers.command", Fate::Becomes, "`command`"},
    Setting{"tony.containers.placement-spec", Fate::Becomes,
            "`constraint` of roles without their own"},
    Setting{"tony.containers.allocation-tags", Fate::Becomes,
            "`allocation_tags` of roles without their own"},
    Setting{"tony.docker.enabled", Fate::Becomes,
            "whether roles have `docker`; refused where no type has an image"},
    Setting{"tony.docker.containers.image", Fate::Becomes,
            "`docker.image` of roles without their own"},
    Setting{"tony.docker.containers.mount", Fate::Becomes, "`docker.mounts`"},
    Setting{"tony.docker.am.image", Fate::Becomes,
            "`docker.image` of the role of a job without tasks, or of the preprocessing; the "
            "master itself runs without Docker"},
    Setting{"tony.docker.<T>.image", Fate::Becomes, "`roles.<T>.docker.image`"},
    Setting{"tony.<T>.instances", Fate::Becomes, "`roles.<T>.tasks`"},
    Setting{"tony.<T>.max-instances", Fate::Becomes, "checked before anything is submitted"},
    Setting{"tony.<T>.memory", Fate::Becomes, "`roles.<T>.memory`"},
    Setting{"tony.<T>.vcores", Fate::Becomes, "`roles.<T>.vcores`"},
    Setting{"tony.<T>.gpus", Fate::Becomes, "`roles.<T>.gpus`"},
    Setting{"tony.<T>.node-label", Fate::Becomes, "`roles.<T>.node_label`"},
    Setting{"tony.<T>.resources", Fate::Becomes, "`roles.<T>.files`"},
    Setting{"tony.<T>.command", Fate::Becomes, "`roles.<T>.command`"},
    Setting{"tony.<T>.placement-spec", Fate::Becomes, "`roles.<T>.constraint`"},
    Setting{"tony.<T>.allocation-tags", Fate::Becomes, "`roles.<T>.allocation_tags`"},
    Setting{"tony.<T>.depends-on", Fate::Differs, "TonY never read it; write `after` in the role"},
    Setting{"tony.horovod.mode.test", Fate::NoObject, "it is for TonY's own tests"},
    Setting{"tony.horovod.mode.test.fast.fail", Fate::NoObject, "it is for TonY's own tests"},
    Setting{"tony.horovod.driver.mode.debug", Fate::Becomes,
            "the role `driver`, which runs tony.driver.command and tells each rank its slot; "
            "otherwise Muster serves the rendezvous itself, and there is no driver"},
    Setting{"tony.portal.url", Fate::NoObject,
            "`muster history`, `show` and `portal` read what each job leaves; there is no portal "
            "to set up"},
    Setting{"tony.portal.cache.max-entries", Fate::NoObject,
            "`muster history`, `show` and `portal` read what each job leaves; there is no portal "
            "to set up"},
    Setting{"tony.history.location", Fate::NoObject,
            "`muster history`, `show` and `portal` read what each job leaves; there is no portal "
            "to set up"},
    Setting{"tony.history.intermediate", Fate::NoObject,
            "`muster history`, `show` and `portal` read what each job leaves; there is no portal "
            "to set up"},
    Setting{"tony.history.finished", Fate::NoObject,
            "`muster history`, `show` and `portal` read what each job leaves; there is no portal "
            "to set up"},
    Setting{"tony.history.mover-interval-ms", Fate::NoObject,
            "`muster history`, `show` and `portal` read what each job leaves; there is no portal "
            "to set up"},
    Setting{"tony.history.finished-dir-timezone", Fate::NoObject,
            "`muster history`, `show` and `portal` read what each job leaves; there is no portal "
            "to set up"},
    Setting{"tony.history.retention-sec", Fate::NoObject,
            "`muster history`, `show` and `portal` read what each job leaves; there is no portal "
            "to set up"},
    Setting{"tony.history.purger-interval-ms", Fate::NoObject,
            "`muster history`, `show` and `portal` read what each job leaves; there is no portal "
            "to set up"},
    Setting{"tony.history.maxAppends", Fate::NoObject,
            "`muster history`, `show` and `portal` read what each job leaves; there is no portal "
            "to set up"},
    Setting{"tony.history.host", Fate::NoObject,
            "`muster history`, `show` and `portal` read what each job leaves; there is no portal "
            "to set up"},
    Setting{"tony.keytab.user", Fate::NoObject,
            "`muster history`, `show` and `portal` read what each job leaves; there is no portal "
            "to set up"},
    Setting{"tony.keytab.location", Fate::NoObject,
            "`muster history`, `show` and `portal` read what each job leaves; there is no portal "
            "to set up"},
    Setting{"tony.https.port", Fate::NoObject,
            "`muster history`, `show` and `portal` read what each job leaves; there is no portal "
            "to set up"},
    Setting{"tony.https.keystore.path", Fate::NoObject,
            "`muster history`, `show` and `portal` read what each job leaves; there is no portal "
            "to set up"},
    Setting{"tony.https.keystore.type", Fate::NoObject,
            "`muster history`, `show` and `portal` read what each job leaves; there is no portal "
            "to set up"},
    Setting{"tony.https.keystore.password", Fate::NoObject,
            "`muster history`, `show` and `portal` read what each job leaves; there is no portal "
            "to set up"},
    Setting{"tony.https.keystore.algorithm", Fate::NoObject,
            "`muster history`, `show` and `portal` read what each job leaves; there is no portal "
            "to set up"},
    Setting{"tony.http.port", Fate::NoObject,
            "`muster history`, `show` and `portal` read what each job leaves; there is no portal "
            "to set up"},
    Setting{"tony.secret.key", Fate::NoObject,
            "`muster history`, `show` and `portal` read what each job leaves; there is no portal "
            "to set up"},
    Setting{"tony.version-info.version", Fate::NoObject, "see `muster version`"},
    Setting{"tony.version-info.revision", Fate::NoObject, "see `muster version`"},
    Setting{"tony.version-info.branch", Fate::NoObject, "see `muster version`"},
    Setting{"tony.version-info.user", Fate::NoObject, "see `muster version`"},
    Setting{"tony.version-info.date", Fate::NoObject, "see `muster version`"},
    Setting{"tony.version-info.url", Fate::NoObject, "see `muster version`"},
    Setting{"tony.version-info.checksum", Fate::NoObject, "see `muster version`"},
    Setting{"-executes", Fate::Becomes, "`command`, run by -python_binary_path"},
    Setting{"-task_params", Fate::Becomes, "appended to `command`"},
    Setting{"-src_dir", Fate::Becomes,
            "`files`: each entry of the folder but .git; an archive is unpacked as src/, and links "
            "lead to its files"},
    Setting{"-python_venv", Fate::Becomes, "`files`: the archive, unpacked as venv/"},
    Setting{"-python_binary_path", Fate::Becomes,
            "the beginning of `command`; in venv/ unless it is absolute"},
    Setting{"-hdfs_classpath", Fate::Becomes,
            "`files`; paths without a scheme are in HDFS, and of a folder only the files directly "
            "in it are taken"},
    Setting{"-shell_env", Fate::Becomes, "`env`"},
    Setting{"-container_env", Fate::Becomes, "as tony.containers.envs, below -shell_env"},
    Setting{
        "-conf", Fate::Becomes,
        "the setting, which overrides every file; tony.containers.envs, tony.execution.envs and "
        "tony.containers.resources are appended to what tony.xml says, and hide tony-site.xml's"},
    Setting{"-conf_file", Fate::Becomes, "read instead of tony.xml; may be in HDFS"},
    Setting{"-sidecar_tensorboard_log_dir", Fate::Becomes, "`tensorboard.logdir`"},
    Setting{"-debug", Fate::NoObject, "the client leaves no files to keep"},
    Setting{"-help", Fate::Becomes, "lists all flags"},
};

/// Parts of TonY's names that are not job types.
constexpr std::array<std::string_view, 13> kReserved = {
    "application", "container",    "containers", "default", "docker", "execution", "history",
    "horovod",     "version-info", "other",      "portal",  "task",   "yarn"};

/// Returns what the placeholders of `pattern` stand for in `name`; nullopt if it does not match.
std::optional<std::map<std::string, std::string>> match(std::string_view pattern,
                                                        std::string_view name) {
  const std::vector<std::string_view> wanted = split(pattern, '.');
  const std::vector<std::string_view> given = split(name, '.');
  if (wanted.size() != given.size()) {
    return std::nullopt;
  }
  std::map<std::string, std::string> filled;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const size_t at = wanted[i].find('<');
    const std::string_view head = wanted[i].substr(0, at);
    if (at == std::string_view::npos ? wanted[i] != given[i]
                                     : !given[i].starts_with(head) || given[i].size() <= at) {
      return std::nullopt;
    }
    if (wanted[i] == "<T>" && std::ranges::find(kReserved, given[i]) != kReserved.end()) {
      return std::nullopt;
    }
    if (at != std::string_view::npos) {
      filled[std::string(wanted[i].substr(at))] = given[i].substr(at);
    }
  }
  return filled;
}

std::string_view heading(Fate fate) {
  switch (fate) {
    case Fate::Becomes:
      return "";
    case Fate::Differs:
      return "differs: ";
    case Fate::NoObject:
      return "not needed: ";
  }
  return "";
}

}  // namespace

constinit const std::span<const Setting> kAllSettings(kSettings);

const Setting* find_setting(std::string_view name) {
  const auto* const found = std::ranges::find_if(
      kSettings, [&](const Setting& row) { return match(row.name, name).has_value(); });
  return found == kSettings.end() ? nullptr : &*found;
}

std::string text_for(const Setting& setting, std::string_view name) {
  std::string text = std::string(heading(setting.fate)) + std::string(setting.text);
  for (const auto& [placeholder, value] :
       match(setting.name, name).value_or(std::map<std::string, std::string>())) {
    for (size_t at = text.find(placeholder); at != std::string::npos; at = text.find(placeholder)) {
      text.replace(at, placeholder.size(), value);
    }
  }
  return text;
}

std::optional<std::string> nearest_setting(std::string_view name) {
  // A slip is in one part of the name; the other parts fill the row's placeholders.
  std::vector<std::string> filled;
  const std::vector<std::string_view> given = split(name, '.');
  for (const Setting& row : kSettings) {
    const std::vector<std::string_view> wanted = split(row.name, '.');
    if (wanted.size() != given.size()) {
      filled.emplace_back(row.name);
      continue;
    }
    std::string candidate;
    bool alike = true;
    for (size_t i = 0; i < wanted.size(); ++i) {
      const size_t at = wanted[i].find('<');
      const bool open =
          at != std::string_view::npos && given[i].starts_with(wanted[i].substr(0, at));
      alike = alike && (open || nearest(given[i], std::array{wanted[i]}).has_value());
      candidate += (i == 0 ? "" : ".") + std::string(open ? given[i] : wanted[i]);
    }
    if (alike) {
      filled.push_back(std::move(candidate));
    }
  }
  const std::vector<std::string_view> names(filled.begin(), filled.end());
  const auto near = nearest(name, names);
  return near ? std::optional(std::string(*near)) : std::nullopt;
}

std::string settings_markdown() {
  std::string text = "| TonY | Muster |\n|---|---|\n";
  // Neighbours that share a text share a row.
  for (size_t i = 0; i < kSettings.size();) {
    std::string names;
    size_t next = i;
    for (; next < kSettings.size() && kSettings[next].text == kSettings[i].text; ++next) {
      names += fmt::format("{}`{}`", next == i ? "" : ", ", kSettings[next].name);
    }
    text += fmt::format("| {} | {}{} |\n", names, heading(kSettings[i].fate), kSettings[i].text);
    i = next;
  }
  return text;
}

}  // namespace muster::tony
