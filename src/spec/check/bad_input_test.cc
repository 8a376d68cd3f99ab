// The text of every error about a specification is frozen here: a change of a message is a change
// of this table.

#include "spec/read/layers.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::spec {
namespace {

std::string error_of(const Layers& layers) {
  const Result<Loaded> result = load(layers);
  return result.has_value() ? "no error" : result.error().message;
}

std::string error_of(const std::string& text) {
  return error_of(Layers{.spec = TextInput{"j.yaml", text}});
}

struct Case {
  std::string text;
  std::string message;
};

void expect_all(const std::vector<Case>& cases) {
  for (const Case& row : cases) {
    EXPECT_EQ(error_of(row.text), row.message) << row.text;
  }
}

TEST(BadInput, IsNoDocument) {
  expect_all({
      {"", "j.yaml:1:1: error: the specification is empty"},
      {"# only a comment\n", "j.yaml:1:1: error: the specification is empty"},
      {"tasks: [1\n", "j.yaml:2:1: error: not valid YAML: unclosed `[`, or a missing comma"},
      {"a: b: c\n",
       "j.yaml:1:5: error: not valid YAML: unexpected `:`; put quotes around text that contains `: "
       "`"},
      {"command: 'open\n", "j.yaml:1:10: error: unclosed quote"},
      {"- tasks\n", "j.yaml:1:1: error: must be a map of keys, as in `name: digits`, not a list"},
      {"just text",
       "j.yaml:1:1: error: must be a map of keys, as in `name: digits`, not `just text`"},
      {"tasks:\n\t- 1\n", "j.yaml:2:1: error: tab in the indentation; YAML requires spaces"},
      {"roles:\n  worker:\n\ttasks: 1\n",
       "j.yaml:3:1: error: tab in the indentation; YAML requires spaces"},
      {"tasks: 1\n---\ntasks: 2\n",
       "j.yaml:1:1: error: contains more than one document; only one is allowed"},
      {std::string("tasks: 1\0", 9), "j.yaml:1:9: error: not text: it contains a NUL byte"},
      {"name: \xff\xfe\n", "j.yaml:1:7: error: not UTF-8 text"},
      {"name: \"\\ud800\"\n", "j.yaml:1:14: error: not valid YAML: invalid unicode: 55296"},
      {"name: !!python/object:os.system x\n",
       "j.yaml:1:7: error: the tag `tag:yaml.org,2002:python/object:os.system` has no meaning "
       "here; leave it out"},
      {"command: *nowhere\n",
       "j.yaml:1:10: error: not valid YAML: an alias refers to an anchor that does not exist"},
      {"command: &a [*a]\n", "j.yaml:1:14: error: an alias refers to a value that contains it"},
      {"{\"tasks\": 1, \"command\": \"a\"]\n",
       "j.yaml:1:28: error: not valid YAML: illegal flow end"},
      {std::string(2 << 20, '#'), "j.yaml:1:1: error: 2 MiB is too long; the limit is 1 MiB"},
      {"command: a\ntasks: 1\nfiles: [[[[[[[[[[[[[[[[[[[[a]]]]]]]]]]]]]]]]]]]]\n",
       "j.yaml:3:9: error: files: must be a path or a map with the key src, not a list"},
      {std::string(100, '['), "j.yaml:1:17: error: nested deeper than 32 levels"},
      {std::string(100000, '['), "j.yaml:1:17: error: nested deeper than 32 levels"},
      {"a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
       "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
       "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n",
       "j.yaml:5:29: error: more than 100000 values"},
      {"{? [a]: 1}", "j.yaml:1:4: error: a key must be text, not a list"},
      {"tasks: 1\n<<: {command: a}\n", "j.yaml:2:1: error: unknown key `<<`"},
  });
}

TEST(BadInput, HasUnknownKeys) {
  expect_all({
      {"command: a\ntasks: 1\nbarier: gang\n",
       "j.yaml:3:1: error: unknown key `barier`; did you mean `barrier`?"},
      {"command: a\ntasks: 1\nfrobnicate: 1\n", "j.yaml:3:1: error: unknown key `frobnicate`"},
      {"command: a\ntasks: 1\nmemory: 2g\n",
       "j.yaml:3:1: error: unknown key `memory`; it belongs in a role, as in roles.worker.memory"},
      {"command: a\nroles: {worker: {task: 2}}\n",
       "j.yaml:2:18: error: role worker: unknown key `task`; did you mean `tasks`?"},
      {"command: a\nroles: {worker: {instances: 2}}\n",
       "j.yaml:2:18: error: role worker: unknown key `instances`; did you mean `tasks`?"},
      {"command: a\nroles: {worker: {barrier: gang}}\n",
       "j.yaml:2:18: error: role worker: unknown key `barrier`; it belongs at the top of the "
       "specification"},
      {"command: a\ntasks: 1\nrestart: {proces: 3}\n",
       "j.yaml:3:11: error: restart: unknown key `proces`; did you mean `process`?"},
      {"command: a\ntasks: 1\nenv: {A: {from_evn: B}}\n",
       "j.yaml:3:11: error: env: unknown key `from_evn`; did you mean `from_env`?"},
      {"command: a\ntasks: 1\nfiles: [{source: a}]\n",
       "j.yaml:3:10: error: files: unknown key `source`; did you mean `src`?"},
      {"command: a\ntasks: 1\nrules: [{match: {exitcode: 1}, class: a}]\n",
       "j.yaml:3:18: error: match: unknown key `exitcode`; did you mean `exit_code`?"},
  });
}

TEST(BadInput, HasKeysThatAreCalledOtherwiseElsewhere) {
  struct Word {
    std::string word;
    std::string meant;
  };
  const std::vector<Word> in_role = {
      {"gpu", "gpus"},           {"num_gpus", "gpus"},        {"cpus", "vcores"},
      {"cpu", "vcores"},         {"cores", "vcores"},         {"mem", "memory"},
      {"replicas", "tasks"},     {"count", "tasks"},          {"num", "tasks"},
      {"workers", "tasks"},      {"num_workers", "tasks"},    {"nproc", "tasks"},
      {"processes", "tasks"},    {"args", "command"},         {"script", "command"},
      {"image", "docker.image"}, {"volumes", "docker.mounts"}};
  for (const Word& row : in_role) {
    EXPECT_EQ(error_of("command: a\nroles: {worker: {" + row.word + ": 2}}\n"),
              "j.yaml:2:18: error: role worker: unknown key `" + row.word + "`; did you mean `" +
                  row.meant + "`?");
  }
  const std::vector<Word> at_top = {{"gpu", "roles.worker.gpus"},
                                    {"cpus", "roles.worker.vcores"},
                                    {"mem", "roles.worker.memory"},
                                    {"replicas", "tasks"},
                                    {"workers", "tasks"},
                                    {"num", "tasks"},
                                    {"queue", "deadlines.queue` or `yarn.queue"},
                                    {"max_restarts", "restart.process"},
                                    {"port_range", "network.port_range"},
                                    {"image", "roles.worker.docker.image"}};
  for (const Word& row : at_top) {
    EXPECT_EQ(
        error_of("command: a\ntasks: 1\n" + row.word + ": 2\n"),
        "j.yaml:3:1: error: unknown key `" + row.word + "`; did you mean `" + row.meant + "`?");
  }
}

TEST(BadInput, NamesFrameworksAsTheirUsersDo) {
  const std::string known =
      "framework: must be one of generic, tensorflow, pytorch, jax, mxnet, horovod, standalone, "
      "dask, horovod-elastic, mpi, ray, xgboost, not ";
  const std::vector<std::pair<std::string, std::string>> words = {
      {"torch", "pytorch"}, {"PyTorch", "pytorch"},  {"lightning", "pytorch"},
      {"tf", "tensorflow"}, {"keras", "tensorflow"}, {"TensorFlow", "tensorflow"},
      {"flax", "jax"},      {"none", "generic"}};
  for (const auto& [word, meant] : words) {
    EXPECT_EQ(error_of("command: a\ntasks: 1\nframework: " + word + "\n"),
              "j.yaml:3:12: error: " + known + "`" + word + "`; did you mean `" + meant + "`?");
  }
  for (const std::string word : {"spark", "kubeflow"}) {
    EXPECT_EQ(error_of("command: a\ntasks: 1\nframework: " + word + "\n"),
              "j.yaml:3:12: error: " + known + "`" + word +
                  "`; for any other, use generic: programs find their peers' addresses in "
                  "MUSTER_VIEW");
  }
}

TEST(BadInput, HasWrongTypes) {
  expect_all({
      {"command: [a]\ntasks: 1\n", "j.yaml:1:10: error: command: must be text, not a list"},
      {"command:\ntasks: 1\n", "j.yaml:1:1: error: command: has no value"},
      {"command: ' '\ntasks: 1\n", "j.yaml:1:10: error: command: must not be empty"},
      {"command: a\ntasks: many\n", "j.yaml:2:8: error: tasks: must be a whole number, not `many`"},
      {"command: a\ntasks: '4'\n",
       "j.yaml:2:8: error: tasks: must be a whole number; remove the quotes around `4`"},
      {"command: a\ntasks: 4.0\n", "j.yaml:2:8: error: tasks: must be a whole number, not `4.0`"},
      {"command: a\ntasks: 1e3\n", "j.yaml:2:8: error: tasks: must be a whole number, not `1e3`"},
      {"command: a\ntasks: 0x10\n", "j.yaml:2:8: error: tasks: must be a whole number, not `0x10`"},
      {"command: a\ntasks: 010\n", "j.yaml:2:8: error: tasks: write `010` without leading zeros"},
      {"command: a\ntasks: {}\n", "j.yaml:2:8: error: tasks: must be a whole number, not a map"},
      {"command: a\ntasks: 1\nfiles: train.py\n",
       "j.yaml:3:8: error: files: must be a list, as in [train.py], not `train.py`"},
      {"command: a\ntasks: 1\nfiles: [[a]]\n",
       "j.yaml:3:9: error: files: must be a path or a map with the key src, not a list"},
      {"command: a\ntasks: 1\nenv: [A]\n",
       "j.yaml:3:6: error: env: must be a map, as in {NAME: value}, not a list"},
      {"command: a\ntasks: 1\nenv: {A: }\n",
       "j.yaml:3:7: error: env: a variable has no value; write \"\" for an empty one"},
      {"command: a\ntasks: 1\nenv: {A: [1]}\n",
       "j.yaml:3:10: error: env: a variable must be text or a map with from_env or from_file"},
      {"command: a\ntasks: 1\nenv: {A: {from_env: B, from_file: c}}\n",
       "j.yaml:3:10: error: env: give either from_env or from_file"},
      {"command: a\ntasks: 1\nenv: {A=B: c}\n",
       "j.yaml:3:7: error: env: `A=B` is not a valid name of an environment variable"},
      {"command: a\ntasks: 1\nenv: {MUSTER_RANK: 1}\n",
       "j.yaml:3:7: error: env: `MUSTER_RANK` cannot be set; names that start with MUSTER_ are "
       "reserved for Muster"},
      {"command: a\nroles: [worker]\n",
       "j.yaml:2:8: error: roles: must be a map, as in {worker: {tasks: 2}}, not a list"},
      {"command: a\nroles: {worker: 4}\n",
       "j.yaml:2:17: error: role worker: must be a map of keys, not `4`"},
      {"command: a\nroles: {worker: {chief: maybe}}\n",
       "j.yaml:2:25: error: chief: must be true or false, not `maybe`"},
      {"command: a\nroles: {worker: {chief: 'true'}}\n",
       "j.yaml:2:25: error: chief: must be true or false; remove the quotes around `true`"},
  });
}

TEST(BadInput, HasValuesThatAreNone) {
  expect_all({
      {"command: a\ntasks: 1\nframework: pytroch\n",
       "j.yaml:3:12: error: framework: must be one of generic, tensorflow, pytorch, jax, "
       "mxnet, horovod, standalone, dask, horovod-elastic, mpi, ray, xgboost, not `pytroch`; did "
       "you mean `pytorch`?"},
      {"command: a\ntasks: 1\nbarrier: none\n",
       "j.yaml:3:10: error: barrier: must be one of gang, as_granted, not `none`"},
      {"command: a\ntasks: 1\nrestart: 3\n",
       "j.yaml:3:10: error: restart: must be a map with some of the keys process, container, host, "
       "job, infrastructure, window, backoff, not `3`"},
      {"command: a\ntasks: 1\nrules: [{match: {}, class: a.b}]\n",
       "j.yaml:3:9: error: rules: match needs at least one of exit_code, signal, cluster_code, "
       "pattern"},
      {"command: a\ntasks: 1\nrules: [{class: a.b}]\n",
       "j.yaml:3:9: error: rules: the key `match` is missing"},
      {"command: a\ntasks: 1\nrules: [{match: {signal: KIL}, class: a.b}]\n",
       "j.yaml:3:26: error: signal: `KIL` is not a signal; write a number or a name like KILL"},
      {"command: a\ntasks: 1\nrules: [{match: {signal: 99}, class: a.b}]\n",
       "j.yaml:3:26: error: signal: must be at most 64, not 99"},
      {"command: a\ntasks: 1\nrules: [{match: {exit_code: 300}, class: 'A B'}]\n",
       "j.yaml:3:29: error: exit_code: must be at most 255, not 300\nj.yaml:3:42: error: class: `A "
       "B` is not a failure class like user.data"},
      {"command: a\ntasks: 1\nname: '../etc'\n",
       "j.yaml:3:7: error: name: `../etc` is not a job name; use 1 to 64 letters, digits, `.`, `_` "
       "and `-`, and begin with a letter or a digit"},
      {"command: a\ntasks: 1\nnetwork: {port_range: 9-1}\n",
       "j.yaml:3:23: error: port_range: `9-1` starts above its end"},
      {"command: a\ntasks: 1\nnetwork: {port_range: 1-99999}\n",
       "j.yaml:3:23: error: port_range: `1-99999` is not a range of ports like 20000-20999"},
      {"command: a\nroles: {w: {docker: {mounts: [data]}}}\n",
       "j.yaml:2:21: error: docker: the key `image` is missing\nj.yaml:2:31: error: mounts: `data` "
       "is not a mount like /data:/data or /data:/data:ro"},
      {"command: a\nroles: {w: {docker: {image: a, mounts: ['/a,b:/c']}}}\n",
       "j.yaml:2:41: error: mounts: `/a,b:/c` is not a mount like /data:/data or /data:/data:ro"},
      {"command: a\nroles: {w: {docker: {image: 'ML/TF'}}}\n",
       "j.yaml:2:29: error: image: `ML/TF` is not an image name like "
       "hub.example:5000/ml/tensorflow:2.15; its name has lower-case letters, digits, `.`, `_`, "
       "`-` and "
       "`/`"},
      {"command: a\nroles: {w: {docker: {image: 'tf@sha256:12'}}}\n",
       "j.yaml:2:29: error: image: `tf@sha256:12` is not an image name like "
       "hub.example:5000/ml/tensorflow:2.15; its name has lower-case letters, digits, `.`, `_`, "
       "`-` and "
       "`/`"},
      {"command: a\nroles: {w: {after: db}, db: {}}\n",
       "j.yaml:2:20: error: after: must be a list or a map of roles, as in [db]"},
      {"command: a\nroles: {w: {resources: {fpga: two}}}\n",
       "j.yaml:2:31: error: fpga: must be a whole number, not `two`"},
  });
}

TEST(BadInput, HasImpossibleNumbers) {
  expect_all({
      {"command: a\ntasks: 0\n", "j.yaml:2:8: error: tasks: must be at least 1, not 0"},
      {"command: a\ntasks: -3\n", "j.yaml:2:8: error: tasks: must be at least 1, not -3"},
      {"command: a\ntasks: 1000000\n",
       "j.yaml:2:8: error: tasks: must be at most 100000, not 1000000"},
      {"command: a\ntasks: 99999999999999999999999\n",
       "j.yaml:2:8: error: tasks: must be at most 100000, not 99999999999999999999999"},
      {"command: a\ntasks: -99999999999999999999999\n",
       "j.yaml:2:8: error: tasks: must be at least 1, not -99999999999999999999999"},
      {"command: a\nroles: {a: {tasks: 60000}, b: {tasks: 60000}}\n",
       "j.yaml:2:8: error: the roles have 120000 tasks in total; at most 100000 are possible"},
      {"command: a\nroles: {w: {memory: 2gb}}\n",
       "j.yaml:2:21: error: memory: `2gb` is not a size; did you mean `2g`?"},
      {"command: a\nroles: {w: {memory: 2 GiB}}\n",
       "j.yaml:2:21: error: memory: `2 GiB` is not a size; did you mean `2g`?"},
      {"command: a\nroles: {w: {memory: 1.5g}}\n",
       "j.yaml:2:21: error: memory: `1.5g` is not a size; did you mean `1536m`?"},
      {"command: a\nroles: {w: {memory: 512}}\n",
       "j.yaml:2:21: error: memory: `512` has no unit; did you mean `512m` or `512g`?"},
      {"command: a\nroles: {w: {memory: -1}}\n",
       "j.yaml:2:21: error: memory: `-1` is negative; a size is a whole number and a unit, like "
       "512m or 2g"},
      {"command: a\nroles: {w: {memory: 1e9g}}\n",
       "j.yaml:2:21: error: memory: `1e9g` is not a size; write a whole number and a unit, like "
       "512m or 2g"},
      {"command: a\nroles: {w: {memory: 99999999999g}}\n",
       "j.yaml:2:21: error: memory: `99999999999g` is too large"},
      {"command: a\nroles: {w: {memory: 99999999999999999999g}}\n",
       "j.yaml:2:21: error: memory: `99999999999999999999g` is too large"},
      {"command: a\nroles: {w: {memory: 0m}}\n",
       "j.yaml:2:21: error: memory: must be at least 1m, not 0m"},
      {"command: a\nroles: {w: {memory: lots}}\n",
       "j.yaml:2:21: error: memory: `lots` is not a size; write a whole number and a unit, like "
       "512m or 2g"},
      {"command: a\nroles: {w: {vcores: 0}}\n",
       "j.yaml:2:21: error: vcores: must be at least 1, not 0"},
      {"command: a\nroles: {w: {gpus: -1}}\n",
       "j.yaml:2:19: error: gpus: must be at least 0, not -1"},
      {"command: a\nroles: {w: {min: 4, max: 2}}\n",
       "j.yaml:2:18: error: role w: min is 4, but max is only 2"},
      {"command: a\nroles: {w: {min: 4}}\n",
       "j.yaml:2:9: error: role w: min and max belong together; max is missing"},
      {"command: a\nroles: {w: {tasks: 3, min: 1, max: 4}}\n",
       "j.yaml:2:20: error: role w: give either tasks or min and max"},
      {"command: a\ntasks: 1\ndeadlines: {run: 5min}\n",
       "j.yaml:3:18: error: run: `5min` is not a duration; did you mean `5m`?"},
      {"command: a\ntasks: 1\ndeadlines: {run: 90}\n",
       "j.yaml:3:18: error: run: `90` has no unit; did you mean `90s`?"},
      {"command: a\ntasks: 1\ndeadlines: {run: 0s}\n",
       "j.yaml:3:18: error: run: must be at least 1s, not 0s; write none for no limit"},
      {"command: a\ntasks: 1\ndeadlines: {stop: none}\n",
       "j.yaml:3:19: error: stop: cannot be none; write a duration like 15s or 10m"},
      {"command: a\ntasks: 1\ndeadlines: {run: -5s}\n",
       "j.yaml:3:18: error: run: `-5s` is negative; a duration is a whole number and a unit, like "
       "250ms, 15s or 10m"},
      {"command: a\ntasks: 1\ndeadlines: {run: 99999999999999d}\n",
       "j.yaml:3:18: error: run: `99999999999999d` is too long"},
      {"command: a\ntasks: 1\nrestart: {backoff: 1s}\n",
       "j.yaml:3:20: error: backoff: `1s` is not a range of durations like 1s..1m"},
      {"command: a\ntasks: 1\nrestart: {backoff: 1m..1s}\n",
       "j.yaml:3:20: error: backoff: `1m..1s` starts above its end"},
      {"command: a\ntasks: 1\nliveness: {beat: 5s}\n",
       "j.yaml:3:1: error: liveness: beat must be below suspect, and suspect below lost; they are "
       "5s, 3s and 10s"},
      {"command: a\ntasks: 1\nlocal: {hosts: 0}\n",
       "j.yaml:3:16: error: hosts: must be at least 1, not 0"},
  });
}

/// Each took up to a minute when keys and errors were compared with all those before them.
TEST(BadInput, HasManyKeysOrErrors) {
  std::string keys = "tasks: 1\ncommand: c\n";
  std::string files = keys + "files:\n";
  for (int i = 0; i < 60'000; ++i) {
    keys += "k" + std::to_string(i) + ": 1\n";
    files += "- [" + std::to_string(i) + "]\n";
  }
  const auto begun = std::chrono::steady_clock::now();  // lint: allow(clock) a bound, far above
  EXPECT_EQ(error_of(keys), "j.yaml:4097:1: error: more than 4096 keys in one map");
  EXPECT_TRUE(
      error_of(files.substr(0, files.find("[30000]") - 2)).ends_with("\nand 29991 more errors"));
  EXPECT_LT(std::chrono::steady_clock::now() - begun,
            std::chrono::seconds(20));  // lint: allow(clock)
}

TEST(BadInput, ShowsAtMostTenLines) {
  std::string text = "command: a\ntasks: 1\n";
  for (int i = 0; i < 25; ++i) {
    text += "wrong" + std::to_string(i) + ": 1\n";
  }
  const std::string message = error_of(text);
  EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 9);
  EXPECT_TRUE(message.ends_with("\nand 16 more errors")) << message;
}

}  // namespace
}  // namespace muster::spec
