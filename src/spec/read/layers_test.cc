#include "spec/read/layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::spec {
namespace {

Loaded loaded(const Layers& layers) {
  Result<Loaded> result = load(layers);
  EXPECT_TRUE(result.has_value()) << (result.has_value() ? "" : result.error().message);
  return result.has_value() ? *result : Loaded{};
}

Layers job(std::string text) { return {.spec = TextInput{"job.yaml", std::move(text)}}; }

std::string error_of(const Layers& layers) {
  const Result<Loaded> result = load(layers);
  return result.has_value() ? "no error" : result.error().message;
}

constexpr const char* kDigits = R"(name: digits
framework: tensorflow
command: python3 train.py --epochs 5
files: [train.py, data/, {src: hdfs:///x.tgz, as: data2, unpack: yes}]
python: {env: venv.tar.gz, interpreter: bin/python3}
env: {OMP_NUM_THREADS: "1", TOKEN: {from_env: TOKEN}, KEY: {from_file: key.txt}}
roles:
  chief:  {tasks: 1, memory: 2g}
  worker: {tasks: 2, memory: 2g, vcores: 1, gpus: 0}
  ps:     {tasks: 1, memory: 2g}
barrier: gang
restart: {process: 3, container: 3, host: 3, job: 0, infrastructure: 20, window: 1h,
          backoff: 1s..1m}
rules: [{match: {exit_code: 42}, class: user.data, retry: no}]
deadlines: {queue: none, gather: none, join: 5m, run: none, stop: 30s}
liveness: {beat: 1s, suspect: 3s, lost: 10s, orphan: 15m}
checkpoint: {dir: ckpt, to: "hdfs:///user/me/digits", by: chief, keep: 3, resume: restarts}
tensorboard: {logdir: hdfs:///user/me/digits/logs}
endpoints: {dashboard: {role: chief, port: 8265}, lab: {role: ps, port: "80", path: /lab}}
master: {memory: 256m, vcores: 1, attempts: 2}
logs: {max: 1g, keep: 5}
network: {interface: "", port_range: ""}
yarn: {queue: default, tags: [], type: MUSTER, node_label: "", priority: 0, staging: "",
       attempt_window: 10m, acl_view: [], acl_modify: []}
local: {hosts: 1, strict_vcores: false}
)";

TEST(Load, ReadsEveryKeyAtTheTop) {
  const Spec spec = loaded(job(kDigits)).spec;
  EXPECT_EQ(spec.name, "digits");
  EXPECT_EQ(spec.framework, Framework::Tensorflow);
  EXPECT_EQ(spec.command, "python3 train.py --epochs 5");
  ASSERT_EQ(spec.files.size(), 3U);
  EXPECT_EQ(spec.files[1].src, "data/");
  EXPECT_EQ(spec.files[2], (File{.src = "hdfs:///x.tgz", .as = "data2", .unpack = Unpack::Yes}));
  EXPECT_EQ(spec.python, (Python{.env = "venv.tar.gz", .interpreter = "bin/python3"}));
  EXPECT_EQ(spec.env.at("OMP_NUM_THREADS").text, "1");
  EXPECT_EQ(spec.env.at("TOKEN"), (EnvValue{.source = EnvValue::Source::FromEnv, .text = "TOKEN"}));
  EXPECT_EQ(spec.env.at("KEY"),
            (EnvValue{.source = EnvValue::Source::FromFile, .text = "key.txt"}));
  ASSERT_EQ(spec.roles.size(), 3U);
  EXPECT_EQ(spec.roles[0].name, "chief");
  EXPECT_EQ(spec.roles[1].tasks, 2U);
  EXPECT_EQ(spec.roles[1].memory, 2ULL << 30);
  EXPECT_EQ(spec.barrier, Barrier::Gang);
  EXPECT_EQ(spec.restart, (Restart{.container = 3, .host = 3}));
  ASSERT_EQ(spec.rules.size(), 1U);
  EXPECT_EQ(spec.rules[0].match.exit_code, 42);
  EXPECT_EQ(spec.rules[0].failure_class, "user.data");
  EXPECT_EQ(spec.rules[0].retry, Retry::No);
  EXPECT_EQ(spec.deadlines, Deadlines{});
  EXPECT_EQ(spec.liveness.orphan, std::chrono::minutes(15));
  EXPECT_EQ(spec.checkpoint.to, "hdfs:///user/me/digits");
  EXPECT_EQ(spec.tensorboard->logdir, "hdfs:///user/me/digits/logs");
  EXPECT_EQ(spec.endpoints.at("dashboard"), (EndpointPage{.role = "chief", .port = "8265"}));
  EXPECT_EQ(spec.endpoints.at("lab"), (EndpointPage{.role = "ps", .port = "80", .path = "/lab"}));
  EXPECT_EQ(spec.master, MasterSettings{});
  EXPECT_EQ(spec.logs, Logs{});
  EXPECT_EQ(spec.network, Network{});
  EXPECT_EQ(spec.yarn, Yarn{});
  EXPECT_EQ(spec.local, Local{});
}

TEST(Load, ReadsEveryKeyOfARole) {
  const Spec spec = loaded(job(R"(
command: a
restart: {host: 9}
roles:
  db: {}
  worker:
    min: 2
    max: 8
    tasks_per_container: 4
    memory: 512m
    vcores: 3
    gpus: 2
    resources: {yarn.io/fpga: 1}
    node_label: fast
    constraint: notin,node,ps
    allocation_tags: [train]
    docker: {image: "tf:2", mounts: [/data:/data, /etc/x:/x:ro]}
    success: ends_job
    failure: fails_job
    membership: elastic
    after: {db: running}
    deadline_after: {roles: [db], in: 10m, then: ignore}
    ports: [http]
    chief: true
    command: b
    env: {A: 1}
    files: [b.py]
    python: {interpreter: /usr/bin/python3}
    restart: {process: 1}
  eval: {after: [db, worker]}
)"))
                        .spec;
  const Role& role = spec.roles.at(1);
  EXPECT_EQ(role.tasks, 8U);
  EXPECT_EQ(role.min, 2U);
  EXPECT_EQ(role.tasks_per_container, 4U);
  EXPECT_EQ(role.memory, 512ULL << 20);
  EXPECT_EQ(role.vcores, 3U);
  EXPECT_EQ(role.gpus, 2U);
  EXPECT_EQ(role.resources.at("yarn.io/fpga"), 1U);
  EXPECT_EQ(role.node_label, "fast");
  EXPECT_EQ(role.constraint, "notin,node,ps");
  EXPECT_EQ(role.allocation_tags.at(0), "train");
  EXPECT_EQ(role.docker->mounts.at(1),
            (Mount{.source = "/etc/x", .target = "/x", .read_only = true}));
  EXPECT_EQ(role.success, Success::EndsJob);
  EXPECT_EQ(role.failure, Failure::FailsJob);
  EXPECT_EQ(role.membership, Membership::Elastic);
  EXPECT_EQ(role.after.at(0), (After{.role = "db", .condition = Condition::Running}));
  EXPECT_EQ(role.deadline_after->then, DeadlineAction::Ignore);
  EXPECT_EQ(role.ports.at(0), "http");
  EXPECT_TRUE(role.chief);
  EXPECT_EQ(role.command, "b");
  EXPECT_EQ(role.env.at("A").text, "1");
  EXPECT_EQ(role.files->at(0).src, "b.py");
  EXPECT_EQ(role.python->interpreter, "/usr/bin/python3");
  EXPECT_EQ(role.restart->process, 1U);
  EXPECT_EQ(role.restart->host, 9U);
  EXPECT_EQ(spec.roles.at(2).after.size(), 2U);
  EXPECT_EQ(spec.roles.at(2).after[1].condition, Condition::Ended);
}

TEST(Load, TasksAloneMeansOneRole) {
  const Spec spec = loaded(job("command: 'true'\ntasks: 4\n")).spec;
  ASSERT_EQ(spec.roles.size(), 1U);
  EXPECT_EQ(spec.roles[0].name, "worker");
  EXPECT_EQ(spec.roles[0].tasks, 4U);
  EXPECT_EQ(spec.name, "job");
  EXPECT_EQ(spec.barrier, std::nullopt);
  EXPECT_EQ(spec.roles[0].membership, std::nullopt);
}

TEST(Load, AppendsWordsQuoted) {
  Layers layers = job("command: python3 a.py\ntasks: 1\n");
  layers.args = {"--x", "two words"};
  EXPECT_EQ(loaded(layers).spec.command, "python3 a.py --x 'two words'");
}

TEST(Load, LaterLayersWin) {
  Layers layers = job("command: a\nroles: {worker: {tasks: 5}, data-prep: {}}\nlogs: {keep: 7}\n");
  layers.site = TextInput{"/etc/muster/site.yaml", R"(
defaults:
  logs: {max: 2g, keep: 2}
  roles: {"*": {memory: 3g, vcores: 2}, ghost: {memory: 1t}}
)"};
  layers.config = TextInput{"config.yaml", "defaults: {roles: {worker: {vcores: 4}}}"};
  layers.environment = {{"MUSTER_SET_ROLES__WORKER__GPUS", "1"},
                        {"MUSTER_SET_ROLES__DATA_PREP__GPUS", "2"},
                        {"MUSTER_SET_ENV__Mixed_Case", "x"},
                        {"HOME", "/root"}};
  layers.sets = {"roles.worker.tasks=8", "restart.window=none", "files=a.py, b.py"};
  const Spec spec = loaded(layers).spec;
  ASSERT_EQ(spec.roles.size(), 2U);
  EXPECT_EQ(spec.roles[0].memory, 3ULL << 30);
  EXPECT_EQ(spec.roles[0].vcores, 4U);
  EXPECT_EQ(spec.roles[0].gpus, 1U);
  EXPECT_EQ(spec.roles[0].tasks, 8U);
  EXPECT_EQ(spec.roles[1].vcores, 2U);
  EXPECT_EQ(spec.roles[1].gpus, 2U);
  EXPECT_EQ(spec.logs.max, 2ULL << 30);
  EXPECT_EQ(spec.logs.keep, 7U);
  EXPECT_EQ(spec.restart.window, std::nullopt);
  EXPECT_EQ(spec.files.size(), 2U);
  EXPECT_EQ(spec.env.at("Mixed_Case").text, "x");
}

TEST(Load, EnforcedValuesWinWithAMessage) {
  Layers layers = job("command: a\ntasks: 1\nlogs: {keep: 7}\n");
  layers.site = TextInput{"site.yaml", "enforced: {logs: {keep: 3}, yarn: {queue: ml}}\n"};
  const Loaded result = loaded(layers);
  EXPECT_EQ(result.spec.logs.keep, 3U);
  EXPECT_EQ(result.spec.yarn.queue, "ml");
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_EQ(result.warnings[0],
            "job.yaml:3:14: warning: logs.keep is 3 on this site (site.yaml:1:25); 7 is not used");
}

TEST(Load, LimitsRefuseWithTheNumbers) {
  Layers layers = job("command: a\nroles:\n  worker: {tasks: 4, memory: 128g, gpus: 9}\n");
  layers.site = TextInput{
      "site.yaml", "limits: {tasks: 3, memory: 64g, gpus: 8, total_memory: 256g, run: 1d}\n"};
  EXPECT_EQ(error_of(layers),
            "job.yaml:1:1: error: deadlines.run is none; this site requires one of at most 1d\n"
            "job.yaml:3:3: error: the number of tasks is 4; this site allows at most 3\n"
            "job.yaml:3:3: error: the memory of all tasks together is 512g; this site allows at "
            "most 256g\n"
            "job.yaml:3:30: error: role worker: the memory of a task is 128g; this site allows at "
            "most 64g\n"
            "job.yaml:3:42: error: role worker: the number of GPUs of a task is 9; this site "
            "allows at most 8");
}

TEST(Load, ReadsTheSitesClusters) {
  Layers layers = job("command: a\ntasks: 1\n");
  layers.site = TextInput{"site.yaml", "clusters: {prod: {type: yarn, conf: /etc/hadoop/prod}}"};
  const auto clusters = load_clusters(layers);
  ASSERT_TRUE(clusters.has_value());
  EXPECT_EQ(clusters->at("prod"),
            (ClusterEntry{.type = ClusterType::Yarn, .conf = "/etc/hadoop/prod"}));
  EXPECT_EQ(loaded(layers).clusters, *clusters);
}

TEST(Load, ReadsHowLongEndedJobsAreKept) {
  Layers layers = job("command: a\ntasks: 1\n");
  EXPECT_EQ(load_cleaning(layers).value(), Cleaning());
  layers.site = TextInput{"site.yaml", "cleaning: {older: 90d, over: 1g}"};
  layers.config = TextInput{"config.yaml", "cleaning: {older: none}"};
  EXPECT_EQ(load_cleaning(layers).value(), (Cleaning{.older = {}, .over = 1ULL << 30}));
  EXPECT_EQ(loaded(layers).cleaning, (Cleaning{.older = {}, .over = 1ULL << 30}));
}

TEST(FromQuick, NeedsNoFile) {
  const auto spec = from_quick({.tasks = "4",
                                .framework = "pytorch",
                                .roles = {"ps=1,memory=2g", "eval=2..3"},
                                .command = {"python", "src/train.py", "--lr", "a b"}});
  ASSERT_TRUE(spec.has_value()) << spec.error().message;
  EXPECT_EQ(spec->name, "train");
  EXPECT_EQ(spec->framework, Framework::Pytorch);
  EXPECT_EQ(spec->command, "python src/train.py --lr 'a b'");
  ASSERT_EQ(spec->roles.size(), 3U);
  EXPECT_EQ(spec->roles[0].tasks, 4U);
  EXPECT_EQ(spec->roles[1].memory, 2ULL << 30);
  EXPECT_EQ(spec->roles[2].min, 2U);
}

TEST(FromQuick, GivesResourcesToTheRolesThatNameNone) {
  const auto spec = from_quick({.tasks = "2",
                                .roles = {"ps=1,memory=2g"},
                                .memory = "8g",
                                .vcores = "4",
                                .gpus = "1",
                                .command = {"train"}});
  ASSERT_TRUE(spec.has_value()) << spec.error().message;
  EXPECT_EQ(spec->roles[0].memory, 8ULL << 30);
  EXPECT_EQ(spec->roles[1].memory, 2ULL << 30);
  EXPECT_EQ(spec->roles[1].vcores, 4U);
  EXPECT_EQ(spec->roles[0].gpus, 1U);
  const auto wrong = from_quick({.memory = "8 apples", .command = {"train"}});
  EXPECT_THAT(wrong.error().message, ::testing::HasSubstr("--memory 8 apples: error: memory:"));
}

TEST(FromQuick, RunsAProgramOnceUnlessALayerSaysOtherwise) {
  const auto restart_of = [](QuickOptions quick, std::vector<std::string> sets) {
    Layers layers;
    layers.quick = std::move(quick);
    layers.quick->command = {"train"};
    layers.sets = std::move(sets);
    return load(layers).value().spec.restart;
  };
  const Restart once{.process = 0, .container = 0, .host = 0};
  EXPECT_EQ(restart_of({}, {}), once);
  EXPECT_EQ(once.infrastructure, 20U);
  EXPECT_EQ(restart_of({.max_restarts = "3"}, {}),
            (Restart{.process = 3, .container = 0, .host = 0}));
  EXPECT_EQ(restart_of({}, {"restart.host=2"}), (Restart{.process = 0, .container = 0, .host = 2}));
}

TEST(FromQuick, SharesTheGpusUnlessALayerSaysOtherwise) {
  const auto shares = [](const std::string& config) {
    Layers layers;
    layers.quick = QuickOptions{.command = {"train"}};
    layers.config = TextInput{"config.yaml", config};
    return load(layers).value().spec.local.share_gpus;
  };
  EXPECT_TRUE(shares(""));
  EXPECT_FALSE(shares("defaults: {local: {share_gpus: false}}"));
  // A cluster that grants GPUs would warn about something that nobody has set.
  EXPECT_FALSE(from_quick({.command = {"train"}, .shares_gpus = false}).value().local.share_gpus);
  EXPECT_FALSE(loaded(job("command: a\ntasks: 1\n")).spec.local.share_gpus);
}

TEST(Load, MergesTheStreamsOfACommandThatIsReadInOnePlace) {
  const auto merges = [](bool one_place, std::vector<std::string> sets) {
    Layers layers;
    layers.quick = QuickOptions{.command = {"train"}, .merges_streams = one_place};
    layers.sets = std::move(sets);
    return load(layers).value().spec.logs.merged;
  };
  EXPECT_TRUE(merges(true, {}));
  EXPECT_FALSE(merges(true, {"logs.merged=false"}));
  EXPECT_FALSE(merges(false, {}));
  EXPECT_TRUE(merges(false, {"logs.merged=true"}));
  EXPECT_FALSE(loaded(job("command: a\ntasks: 1\n")).spec.logs.merged);
}

TEST(Load, GivesTasksASizeWhereTheSiteLimitsThem) {
  Layers layers = job("command: a\ntasks: 2\n");
  EXPECT_EQ(loaded(layers).spec.roles[0].memory, std::nullopt);
  EXPECT_EQ(loaded(layers).spec.roles[0].vcores, std::nullopt);
  layers.site = TextInput{"site.yaml", "limits: {total_memory: 1g}"};
  EXPECT_THAT(load(layers).error().message,
              ::testing::HasSubstr("the memory of all tasks together is 2g"));
  layers.site = TextInput{"site.yaml", "limits: {memory: 4g}"};
  EXPECT_EQ(loaded(layers).spec.roles[0].memory, kContainerMemory);
  EXPECT_EQ(loaded(layers).spec.roles[0].vcores, kContainerVcores);
}

}  // namespace
}  // namespace muster::spec
