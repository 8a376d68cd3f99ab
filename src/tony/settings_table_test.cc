#include "tony/settings_table.h"

#include "base/text.h"
#include "tony/conversion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <map>
#include <sstream>

namespace muster::tony {
namespace {

using ::testing::HasSubstr;

/// Every name that a version of TonY reads, ships in its defaults, or now calls differently.
constexpr std::array kNamesOfTony = {
    "tony.yarn.queue",
    "tony.application.name",
    "tony.application.type",
    "tony.application.tags",
    "tony.application.node-label",
    "tony.application.placement-spec",
    "tony.application.framework",
    "tony.application.distributed-mode",
    "tony.application.enable-preprocess",
    "tony.application.timeout",
    "tony.application.num-client-rm-connect-retries",
    "tony.application.prepare-stage",
    "tony.application.training-stage",
    "tony.application.hadoop.location",
    "tony.application.hadoop.classpath",
    "tony.application.untracked.jobtypes",
    "tony.application.sidecar.jobtypes",
    "tony.application.stop-on-failure-jobtypes",
    "tony.application.fail-on-worker-failure-enabled",
    "tony.application.security.enabled",
    "tony.application.insecure-mode",
    "tony.application.num-rm-connect-retries",
    "tony.application.docker.enabled",
    "tony.application.docker.image",
    "tony.application.test.horovod-test-mode-enable",
    "tony.application.test.horovod-driver-fail-enable",
    "tony.chief.name",
    "tony.chief.index",
    "tony.history.cache.max-entries",
    "tony.history.maxAppends",
    "tony.init.module",
    "tony.task.heartbeat-interval",
    "tony.task.registration-timeout-sec",
    "tony.task.registration-retry-count",
    "tony.application.hdfs-conf-path",
    "tony.application.yarn-conf-path",
    "tony.application.mapred-conf-path",
    "tony.application.tensorboard-log-dir",
    "tony.application.group.A",
    "tony.application.dependency.evaluator.timeout.after.A",
    "tony.application.dependency.evaluator.timeout.after.A.ignored",
    "tony.other.namenodes",
    "tony.portal.url",
    "tony.am.retry-count",
    "tony.am.memory",
    "tony.am.vcores",
    "tony.am.gpus",
    "tony.am.node-label",
    "tony.am.resources",
    "tony.am.command",
    "tony.am.startup-timeout",
    "tony.am.wait-client-signal-stop-timeout-sec",
    "tony.task.max-total-instances",
    "tony.task.max-total-gpus",
    "tony.task.max-total-memory",
    "tony.task.max-total-vcores",
    "tony.task.am.jvm.opts",
    "tony.task.executor.jvm.opts",
    "tony.task.default.jvm.opts",
    "tony.task.heartbeat-interval-ms",
    "tony.task.max-missed-heartbeats",
    "tony.task.metrics-interval-ms",
    "tony.task.gpu-metrics.enabled",
    "tony.task.executor.execution-timeout-ms",
    "tony.task.executor.registry-timeout-sec",
    "tony.task.executor.execution.error-message-max-depth",
    "tony.container.allocation.timeout",
    "tony.container.registration.timeout",
    "tony.execution.envs",
    "tony.gpu-exec-path",
    "tony.python-exec-path",
    "tony.worker.instances",
    "tony.worker.max-instances",
    "tony.worker.memory",
    "tony.worker.vcores",
    "tony.worker.gpus",
    "tony.worker.node-label",
    "tony.worker.resources",
    "tony.worker.command",
    "tony.worker.placement-spec",
    "tony.worker.allocation-tags",
    "tony.worker.depends-on",
    "tony.containers.resources",
    "tony.containers.command",
    "tony.containers.envs",
    "tony.containers.placement-spec",
    "tony.containers.allocation-tags",
    "tony.docker.enabled",
    "tony.docker.containers.image",
    "tony.docker.worker.image",
    "tony.docker.am.image",
    "tony.docker.containers.mount",
    "tony.tensorboard.vcores",
    "tony.tensorboard.memory",
    "tony.tensorboard.gpus",
    "tony.tensorboard.command",
    "tony.tensorboard.instances",
    "tony.ps.memory",
    "tony.ps.vcores",
    "tony.horovod.mode.test",
    "tony.horovod.mode.test.fast.fail",
    "tony.horovod.driver.mode.debug",
    "tony.driver.command",
    "tony.history.location",
    "tony.history.intermediate",
    "tony.history.finished",
    "tony.history.mover-interval-ms",
    "tony.history.finished-dir-timezone",
    "tony.history.retention-sec",
    "tony.history.purger-interval-ms",
    "tony.portal.cache.max-entries",
    "tony.keytab.user",
    "tony.keytab.location",
    "tony.https.port",
    "tony.https.keystore.path",
    "tony.https.keystore.type",
    "tony.https.keystore.password",
    "tony.https.keystore.algorithm",
    "tony.http.port",
    "tony.secret.key",
    "tony.history.host",
    "tony.version-info.version",
    "tony.version-info.revision",
    "tony.version-info.branch",
    "tony.version-info.user",
    "tony.version-info.date",
    "tony.version-info.url",
    "tony.version-info.checksum",
    "tony.default.jvm.opts",
    "tony.application.worker.command",
    "tony.application.containers.command",
    "tony.worker.timeout",
    "tony.docker.image",
    "tony.application.stop.on.failure.jobtypes",
    "tony.application.fail.on.worker.failure.enabled",
    "tony.application.single-node",
    "-executes",
    "-task_params",
    "-src_dir",
    "-python_venv",
    "-python_binary_path",
    "-hdfs_classpath",
    "-shell_env",
    "-container_env",
    "-conf",
    "-conf_file",
    "-sidecar_tensorboard_log_dir",
    "-debug",
    "-help",
};

TEST(SettingsTable, HasARowForEveryNameOfTony) {
  for (const std::string_view name : kNamesOfTony) {
    EXPECT_NE(find_setting(name.starts_with('-') ? std::string(name) : present_name(name)), nullptr)
        << name;
  }
}

TEST(SettingsTable, SaysSomethingOfEverySettingAndKnowsNoOthers) {
  for (const Setting& row : kAllSettings) {
    EXPECT_FALSE(row.text.empty()) << row.name;
  }
  for (const char* name : {"tony.made.up", "tony.worker", "tony.application.command",
                           "tony.task.memory", "tony.worker.memory.max", "dfs.replication"}) {
    EXPECT_EQ(find_setting(name), nullptr) << name;
  }
}

TEST(SettingsTable, FillsInWhatANameSays) {
  EXPECT_EQ(text_for(*find_setting("tony.db.memory"), "tony.db.memory"), "`roles.db.memory`");
  EXPECT_EQ(nearest_setting("tony.db.memroy"), "tony.db.memory");
  EXPECT_EQ(nearest_setting("tony.aplication.name"), "tony.application.name");
  EXPECT_EQ(nearest_setting("tony.something.else.altogether"), std::nullopt);
  EXPECT_NE(nearest_setting("tony.application.disk.enabled"), "tony.application.group.enabled");
  EXPECT_EQ(nearest_setting("tony.task.heartbeats"), std::nullopt) << "not itself";
}

/// A job in which a setting has an effect: what else has to be set for that, and its value.
struct Sample {
  std::vector<std::string> with;
  std::string value;
};

const std::map<std::string_view, Sample> kSamples = {
    {"tony.yarn.queue", {{}, "ml"}},
    {"tony.application.name", {{}, "mine"}},
    {"tony.application.type", {{}, "SPECIAL"}},
    {"tony.application.tags", {{}, "a"}},
    {"tony.application.node-label", {{}, "gpu"}},
    {"tony.application.placement-spec", {{"tony.worker.allocation-tags=t"}, "t=1,notin,node,t"}},
    {"tony.application.framework", {{}, "pytorch"}},
    {"tony.application.distributed-mode", {{}, "FCFS"}},
    {"tony.application.enable-preprocess", {{}, "true"}},
    {"tony.application.timeout", {{}, "5"}},
    {"tony.application.prepare-stage", {{"tony.db.instances=1"}, "db"}},
    {"tony.application.training-stage", {{"tony.db.instances=1"}, "worker"}},
    {"tony.application.untracked.jobtypes", {{}, "worker"}},
    {"tony.application.sidecar.jobtypes", {{}, "worker"}},
    {"tony.application.stop-on-failure-jobtypes", {{}, "worker"}},
    {"tony.application.fail-on-worker-failure-enabled", {{}, "true"}},
    {"tony.application.tensorboard-log-dir", {{}, "/logs"}},
    {"tony.application.group.<G>",
     {{"tony.db.instances=1", "tony.application.dependency.worker.timeout.after.G=5"}, "db"}},
    {"tony.application.dependency.<T>.timeout.after.<G>",
     {{"tony.db.instances=1", "tony.application.group.G=db"}, "5"}},
    {"tony.application.dependency.<T>.timeout.after.<G>.ignored",
     {{"tony.db.instances=1", "tony.application.group.G=db",
       "tony.application.dependency.worker.timeout.after.G=5"},
      "true"}},
    {"tony.application.hdfs-conf-path", {{}, "/c/hdfs-site.xml"}},
    {"tony.application.yarn-conf-path", {{}, "/c/yarn-site.xml"}},
    {"tony.am.retry-count", {{}, "2"}},
    {"tony.am.memory", {{"tony.worker.instances=0"}, "3g"}},
    {"tony.am.vcores", {{"tony.worker.instances=0"}, "3"}},
    {"tony.am.gpus", {{"tony.worker.instances=0"}, "3"}},
    {"tony.am.node-label", {{"tony.worker.instances=0"}, "gpu"}},
    {"tony.am.resources", {{"tony.worker.instances=0"}, "a.txt"}},
    {"tony.am.command", {{"tony.application.enable-preprocess=true"}, "first.sh"}},
    {"tony.am.startup-timeout", {{}, "5"}},
    {"tony.task.max-total-instances", {{}, "1"}},
    {"tony.task.max-total-gpus", {{"tony.worker.gpus=1"}, "1"}},
    {"tony.task.max-total-<R>", {{}, "1"}},
    {"tony.task.heartbeat-interval-ms", {{}, "2000"}},
    {"tony.task.max-missed-heartbeats", {{}, "50"}},
    {"tony.task.executor.execution-timeout-ms", {{}, "5"}},
    {"tony.task.executor.registry-timeout-sec", {{}, "5"}},
    {"tony.container.allocation.timeout", {{}, "5"}},
    {"tony.container.registration.timeout", {{}, "5"}},
    {"tony.execution.envs", {{}, "A=1"}},
    {"tony.containers.envs", {{}, "A=1"}},
    {"tony.containers.resources", {{}, "a.txt"}},
    {"tony.containers.command", {{}, "other.sh"}},
    {"tony.containers.placement-spec", {{}, "notin,node,t"}},
    {"tony.containers.allocation-tags", {{}, "t"}},
    {"tony.docker.enabled", {{"tony.docker.containers.image=tf:2"}, "true"}},
    {"tony.horovod.driver.mode.debug",
     {{"tony.application.framework=horovod", "tony.driver.instances=1", "tony.driver.command=d.py"},
      "true"}},
    {"tony.docker.containers.image", {{"tony.docker.enabled=true"}, "tf:2"}},
    {"tony.docker.containers.mount",
     {{"tony.docker.enabled=true", "tony.docker.containers.image=tf:2"}, "/a:/b"}},
    {"tony.docker.am.image", {{"tony.docker.enabled=true", "tony.worker.instances=0"}, "am:1"}},
    {"tony.docker.<T>.image", {{"tony.docker.enabled=true"}, "tf:2"}},
    {"tony.<T>.instances", {{}, "3"}},
    {"tony.<T>.max-instances", {{}, "1"}},
    {"tony.<T>.memory", {{}, "3g"}},
    {"tony.<T>.vcores", {{}, "3"}},
    {"tony.<T>.gpus", {{}, "3"}},
    {"tony.<T>.node-label", {{}, "gpu"}},
    {"tony.<T>.resources", {{}, "a.txt"}},
    {"tony.<T>.command", {{}, "other.sh"}},
    {"tony.<T>.placement-spec", {{}, "notin,node,t"}},
    {"tony.<T>.allocation-tags", {{}, "t"}},
    {"-executes", {{}, "other.sh"}},
    {"-task_params", {{"-executes=a.sh"}, "--a"}},
    {"-src_dir", {{}, "src"}},
    {"-python_venv", {{}, "venv.zip"}},
    {"-python_binary_path", {{"-executes=a.sh"}, "bin/python"}},
    {"-hdfs_classpath", {{}, "/libs"}},
    {"-shell_env", {{}, "A=1"}},
    {"-container_env", {{}, "A=1"}},
    {"-conf", {{}, "tony.worker.memory=5g"}},
    {"-sidecar_tensorboard_log_dir", {{}, "/logs"}},
};

/// Returns what a user gets: the specifications, or the error.
std::string outcome_of(const std::vector<std::string>& words) {
  Input input;
  std::vector<std::string> arguments = {"-conf", "tony.worker.instances=2", "-conf",
                                        "tony.containers.command=run.sh"};
  for (const std::string& word : words) {
    if (!word.starts_with('-')) {
      arguments.emplace_back("-conf");
    }
    arguments.push_back(word);
  }
  Result<Flags> flags = parse_flags(arguments);
  EXPECT_TRUE(flags.has_value()) << flags.error().message;
  input.flags = std::move(*flags);
  Result<Converted> converted = convert(input);
  if (!converted) {
    return converted.error().message;
  }
  converted->notes.clear();
  std::string text = render(*converted);
  for (const std::string& file : converted->hadoop_files) {
    text += file;
  }
  if (converted->preprocessing) {
    converted->spec = *converted->preprocessing;
    text += render(*converted);
  }
  return text;
}

TEST(SettingsTable, WhatItSaysIsDoneIsDone) {
  for (const Setting& row : kAllSettings) {
    if (row.fate != Fate::Becomes || row.name == "-help" || row.name == "-conf_file") {
      continue;  // These two belong to the client.
    }
    const auto sample = kSamples.find(row.name);
    ASSERT_NE(sample, kSamples.end()) << "no sample for " << row.name;
    std::string name(row.name);
    for (const auto& [placeholder, value] :
         {std::pair("<T>", "worker"), {"<G>", "G"}, {"<R>", "memory"}}) {
      if (const size_t at = name.find(placeholder); at != std::string::npos) {
        name.replace(at, 3, value);
      }
    }
    std::vector<std::string> with = sample->second.with;
    const std::string before = outcome_of(with);
    with.push_back(name + "=" + sample->second.value);
    EXPECT_NE(outcome_of(with), before) << row.name << " is lost";
  }
}

TEST(SettingsTable, IsTheTableOfThePageForUsersOfTony) {
  std::ifstream file(MUSTER_SOURCE_DIR "/docs/from-tony.md");
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_THAT(page.str(), HasSubstr(settings_markdown()));
}

}  // namespace
}  // namespace muster::tony
