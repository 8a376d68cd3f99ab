// The text of every error about a specification is frozen here: a change of a message is a change
// of this table. bad_input_test.cc has what is wrong with a single value.

#include "spec/read/layers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

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

TEST(BadJob, NamesRolesWrongly) {
  expect_all({
      {"command: a\n",
       "j.yaml:1:1: error: neither roles nor tasks is given; the shortest job is `tasks: 1`"},
      {"command: a\nroles: {}\n",
       "j.yaml:1:1: error: neither roles nor tasks is given; the shortest job is `tasks: 1`"},
      {"command: a\ntasks: 1\nroles: {ps: {}}\n",
       "j.yaml:2:8: error: give either tasks or roles; tasks alone means one role, worker, with "
       "that many tasks"},
      {"command: a\nroles: {Worker: {}}\n",
       "j.yaml:2:9: error: roles: `Worker` is not a role name; use 1 to 32 lower-case letters, "
       "digits, `_` and `-`, and begin with a letter"},
      {"command: a\nroles: {'*': {}}\n",
       "j.yaml:2:9: error: roles: `*` is not a role name; use 1 to 32 lower-case letters, digits, "
       "`_` and `-`, and begin with a letter"},
      {"command: a\nroles: {a23456789012345678901234567890123: {}}\n",
       "j.yaml:2:9: error: roles: `a23456789012345678901234567890123` is not a role name; use 1 to "
       "32 lower-case letters, digits, `_` and `-`, and begin with a letter"},
      {"command: a\nroles:\n  worker: {}\n  worker: {}\n",
       "j.yaml:4:3: error: duplicate key `worker`; the first one is on line 3"},
      {"command: a\ncommand: b\ntasks: 1\n",
       "j.yaml:2:1: error: duplicate key `command`; the first one is on line 1"},
      {"roles: {worker: {}}\n",
       "j.yaml:1:9: error: role worker: has no command; give it one, or one at the top for all "
       "roles"},
      {"command: a\nroles: {a: {chief: true}, b: {chief: true}}\n",
       "j.yaml:2:38: error: role b: role a is already the chief; there can be only one"},
  });
}

TEST(BadJob, NamesEndpointsWrongly) {
  expect_all({
      {"command: a\ntasks: 1\nendpoints: {ui: {role: worker}}\n",
       "j.yaml:3:17: error: endpoint ui: the key `port` is missing"},
      {"command: a\ntasks: 1\nendpoints: {ui: {role: wroker, port: 80}}\n",
       "j.yaml:3:24: error: endpoints.ui: the job has no role wroker; did you mean `worker`?"},
      {"command: a\ntasks: 1\nendpoints: {ui: {role: worker, port: http}}\n",
       "j.yaml:3:38: error: endpoints.ui: the role worker has no port http; name it under `ports`"},
      {"command: a\ntasks: 1\nendpoints: {ui: {role: worker, port: 65536}}\n",
       "j.yaml:3:38: error: port: `65536` is not a port; give a number from 1 to 65535, or the "
       "name "
       "of one of the role's ports"},
      {"command: a\ntasks: 1\nendpoints: {UI: {role: worker, port: 80}}\n",
       "j.yaml:3:13: error: endpoints: `UI` is not a name of an endpoint; use 1 to 32 lower-case "
       "letters, digits, `_` and `-`, and begin with a letter"},
      {"command: a\ntasks: 1\nendpoints: {tensorboard: {role: worker, port: 80}}\n",
       "j.yaml:3:13: error: endpoints: `tensorboard` is reserved for Muster's own endpoint; use "
       "another name"},
      {"command: a\ntasks: 1\nendpoints: {ui: {role: worker, port: 80, path: lab}}\n",
       "j.yaml:3:48: error: path: `lab` is not a path; begin with `/`, without blanks"},
      {"command: a\ntasks: 1\nendpoints: [8080]\n",
       "j.yaml:3:12: error: endpoints: must be a map, as in {dashboard: {role: chief, port: "
       "8265}}, not a list"},
  });
}

TEST(BadJob, Contradicts) {
  expect_all({
      {"command: a\nroles: {db: {}, w: {after: [bd]}}\n",
       "j.yaml:2:29: error: role w: after names `bd`, which is not a role; did you mean `db`?"},
      {"command: a\nroles: {w: {after: [w]}}\n",
       "j.yaml:2:21: error: role w: after names the role itself"},
      {"command: a\nroles: {db: {}, w: {after: [db, db]}}\n",
       "j.yaml:2:33: error: role w: after names db twice"},
      {"command: a\nroles:\n  a: {after: [b]}\n  b: {after: [c]}\n  c: {after: [a]}\n  d: {after: "
       "[a]}\n",
       "j.yaml:3:14: error: the roles wait for each other in a cycle: a after b after c after a"},
      {"command: a\nroles: {w: {deadline_after: {roles: [x], in: 1m}}}\n",
       "j.yaml:2:37: error: role w: deadline_after names `x`, which is not a role; did you mean "
       "`w`?"},
      {"command: a\nroles: {w: {deadline_after: {roles: [], in: 1m}}}\n",
       "j.yaml:2:37: error: role w: deadline_after names no role"},
      {"command: a\nroles: {w: {deadline_after: {roles: [w]}}}\n",
       "j.yaml:2:29: error: deadline_after: the key `in` is missing"},
      {"command: a\nroles: {w: {}, e: {success: ignored, failure: tolerated}}\n",
       "j.yaml:2:47: error: role e: a failure cannot be tolerated in a role whose success is "
       "ignored; use failure: ignored"},
      {"command: a\nroles: {w: {membership: elastic}}\n",
       "j.yaml:2:25: error: role w: elastic needs min and max instead of tasks"},
      {"command: a\nroles: {w: {membership: rejoin, min: 1, max: 2}}\n",
       "j.yaml:2:25: error: role w: min and max need membership elastic or static; it says rejoin"},
      {"command: a\nroles: {w: {success: ignored}}\n",
       "j.yaml:2:8: error: the success of every role is ignored, so the job could never succeed; "
       "one must be required or ends_job"},
      {"command: a\nroles: {w: {ports: [http, http]}}\n",
       "j.yaml:2:20: error: role w: the port http is named twice"},
      {"command: a\nroles: {w: {ports: [HTTP]}}\n",
       "j.yaml:2:21: error: ports: `HTTP` is not a port name; use 1 to 32 lower-case "
       "letters, digits and `_`, and begin with a letter"},
      {"command: a\ntasks: 1\nfiles: [a/x.py, b/x.py]\n",
       "j.yaml:3:17: error: files: `a/x.py` and `b/x.py` would both be x.py in the task's folder; "
       "rename one with `as`"},
      {"command: a\ntasks: 1\nfiles: [..]\n",
       "j.yaml:3:9: error: files: `..` has no name of its own; give it one with `as`"},
      {"command: a\ntasks: 1\nfiles: ['']\n", "j.yaml:3:9: error: files: must not be empty"},
      {"command: a\ntasks: 1\nfiles: [\"a\\nb\"]\n",
       "j.yaml:3:9: error: files: `a\\nb` contains a line break"},
      {"command: a\ntasks: 1\nfiles: [{src: a, as: ../b}]\n",
       "j.yaml:3:22: error: as: `../b` leads out of the task's folder"},
      {"command: a\ntasks: 1\nfiles: [{src: a, as: /b}]\n",
       "j.yaml:3:22: error: as: `/b` must be relative to the task's folder"},
      {"command: a\ntasks: 1\ncheckpoint: {dir: ../ckpt}\n",
       "j.yaml:3:19: error: dir: `../ckpt` leads out of the task's folder"},
      {"command: a\ntasks: 1\npython: {}\n", "j.yaml:3:1: error: python: needs env or interpreter"},
      {"command: a\ntasks: 1\npython: {interpreter: bin/py}\n",
       "j.yaml:3:23: error: python.interpreter: `bin/py` is relative to python.env, and no env is "
       "given; give an absolute path"},
      {"command: a\ntasks: 1\ntensorboard: {}\n",
       "j.yaml:3:14: error: tensorboard: the key `logdir` is missing"},
      {"command: a\ntasks: 1\nenv: {A: \"a\\0b\"}\n",
       "j.yaml:3:10: error: text contains a NUL byte"},
  });
}

TEST(BadJob, OnTheCommandLine) {
  const std::vector<Case> cases = {
      {"tasks", "--set tasks: error: must be KEY=VALUE, as in roles.worker.tasks=8"},
      {"=3", "--set =3: error: must be KEY=VALUE, as in roles.worker.tasks=8"},
      {"memory=2g",
       "--set memory=2g: error: `memory` is not a key; it belongs in a role, as in "
       "roles.worker.memory"},
      {"roles.worker.task=3",
       "--set roles.worker.task=3: error: `roles.worker.task` is not a key: there is no `task`; "
       "did "
       "you mean `tasks`?"},
      {"roles.ps.memory=3g",
       "--set roles.ps.memory=3g: error: the job has no role ps; it has worker"},
      {"roles.worker.memory=3gb",
       "--set roles.worker.memory=3gb: error: memory: `3gb` is not a size; did you mean `3g`?"},
      {"roles.worker.memory.x=3gb",
       "--set roles.worker.memory.x=3gb: error: `roles.worker.memory.x` is not a key: `memory` has "
       "no keys below it"},
      {"name.x=3", "--set name.x=3: error: `name.x` is not a key: `name` has no keys below it"},
      {"files.0=a",
       "--set files.0=a: error: `files.0` cannot be set alone: `files` is a list; set the whole "
       "list, as in files=[a, b]"},
      {"files=[a", "--set files=[a: error: not valid YAML: unclosed `[`, or a missing comma"},
      {"restart=3",
       "--set restart=3: error: restart: must be a map with some of the keys process, container, "
       "host, job, infrastructure, window, backoff, not `3`"},
      {"barrier=gnag",
       "--set barrier=gnag: error: barrier: must be one of gang, as_granted, not `gnag`; "
       "did you mean `gang`?"},
      {"tasks=0", "--set tasks=0: error: tasks: must be at least 1, not 0"},
      {"roles.W.tasks=1",
       "--set roles.W.tasks=1: error: `W` is not a role name; use 1 to 32 lower-case letters, "
       "digits, `_` and `-`, and begin with a letter"},
  };
  for (const Case& row : cases) {
    EXPECT_EQ(
        error_of(Layers{.spec = TextInput{"j.yaml", "command: a\ntasks: 1\n"}, .sets = {row.text}}),
        row.message)
        << row.text;
  }
}

TEST(BadJob, InTheQuickForm) {
  const auto message = [](const QuickOptions& options) {
    const auto spec = from_quick(options);
    return spec.has_value() ? "no error" : spec.error().message;
  };
  EXPECT_EQ(message({}),
            "the command line: error: no command is given; put it at the end, after `--`");
  EXPECT_EQ(message({.tasks = "0", .command = {"a"}}),
            "-n 0: error: tasks: must be at least 1, not 0");
  EXPECT_EQ(message({.framework = "pytroch", .command = {"a"}}),
            "--framework pytroch: error: framework: must be one of generic, tensorflow, pytorch, "
            "jax, mxnet, horovod, standalone, dask, horovod-elastic, mpi, ray, xgboost, not "
            "`pytroch`; did you mean `pytorch`?");
  EXPECT_EQ(message({.roles = {"ps=1,memory"}, .command = {"a"}}),
            "--role ps=1,memory: error: `memory` is not KEY=VALUE; write it as in ps=1,memory=2g");
  EXPECT_EQ(
      message({.roles = {"ps=1,mem=2g"}, .command = {"a"}}),
      "--role ps=1,mem=2g: error: `roles.ps.mem` is not a key: there is no `mem`; did you mean "
      "`memory`?");
  EXPECT_EQ(message({.roles = {"ps=1,memory=2gb"}, .command = {"a"}}),
            "--role ps=1,memory=2gb: error: memory: `2gb` is not a size; did you mean `2g`?");
  EXPECT_EQ(message({.roles = {"PS=1"}, .command = {"a"}}),
            "--role PS=1: error: `PS` is not a role name; use 1 to 32 lower-case letters, digits, "
            "`_` and `-`, and begin with a letter");
  EXPECT_EQ(message({.roles = {"ps=1", "ps=2"}, .command = {"a"}}),
            "--role ps=2: error: role ps is given twice");
  EXPECT_EQ(message({.roles = {"ps=5..2"}, .command = {"a"}}),
            "--role ps=5..2: error: role ps: min is 5, but max is only 2");
}

TEST(BadJob, IsNoTextOnTheCommandLine) {
  const TextInput job{"j.yaml", "command: a\ntasks: 1\n"};
  EXPECT_EQ(error_of(Layers{.spec = job, .args = {"\xff"}}),
            "the command line: error: not UTF-8 text");
  EXPECT_EQ(error_of(Layers{.spec = job, .sets = {std::string("env.A=\0", 7)}}),
            "the command line: error: contains a NUL byte");
  EXPECT_EQ(error_of(Layers{.environment = {{"MUSTER_SET_ENV__A", "\xff"}}, .spec = job}),
            "MUSTER_SET_ENV__A: error: not UTF-8 text");
}

TEST(BadJob, InTheOtherLayers) {
  const auto message = [](Layers layers) {
    layers.spec = TextInput{"j.yaml", "command: a\ntasks: 1\n"};
    return error_of(layers);
  };
  EXPECT_EQ(message({.site = TextInput{"site.yaml", "logs: {keep: 3}"}}),
            "site.yaml:1:1: error: `logs` must be below `defaults:`");
  EXPECT_EQ(
      message({.site = TextInput{"site.yaml", "wrong: 1"}}),
      "site.yaml:1:1: error: unknown key `wrong`; the keys of this file are defaults, limits, "
      "enforced, clusters, cleaning, forbidden and portal");
  EXPECT_EQ(message({.site = TextInput{"site.yaml", "forbidden: [{verbs: [ssh]}]"}}),
            "site.yaml:1:22: error: verbs: must be one of exec, shell, cp, forward, debug, "
            "notebook, not `ssh`");
  EXPECT_EQ(message({.site = TextInput{"site.yaml", "forbidden: {verbs: [exec]}"}}),
            "site.yaml:1:12: error: forbidden: must be a list of rules, as in [{verbs: [shell], "
            "roles: [ps]}], not a map");
  EXPECT_EQ(message({.site = TextInput{"site.yaml", "defaults: 3"}}),
            "site.yaml:1:11: error: must be a map of keys, not `3`");
  EXPECT_EQ(message({.site = TextInput{"site.yaml", "limits: {memroy: 3g}"}}),
            "site.yaml:1:10: error: limits: unknown key `memroy`; did you mean `memory`?");
  EXPECT_EQ(message({.site = TextInput{"site.yaml", "clusters: {prod: {conf: /x}}"}}),
            "site.yaml:1:18: error: cluster prod: the key `type` is missing");
  EXPECT_EQ(message({.site = TextInput{"site.yaml", "clusters: {local: {type: local}}"}}),
            "site.yaml:1:12: error: clusters: `local` cannot be the name of a cluster");
  EXPECT_EQ(message({.config = TextInput{"config.yaml", "limits: {tasks: 3}"}}),
            "config.yaml:1:1: error: unknown key `limits`; the keys of this file are defaults, "
            "clusters and cleaning");
  EXPECT_EQ(message({.environment = {{"MUSTER_SET_ROLES__WORKER__TASK", "3"}}}),
            "MUSTER_SET_ROLES__WORKER__TASK: error: `roles.worker.task` is not a key: there is no "
            "`task`; did you mean `tasks`?");
  EXPECT_EQ(message({.environment = {{"MUSTER_SET_LOGS__KEEP", "many"}}}),
            "MUSTER_SET_LOGS__KEEP: error: keep: must be a whole number, not `many`");
  EXPECT_EQ(message({.args = {"w"}}), "no error");
  EXPECT_EQ(
      error_of(Layers{.spec = TextInput{"j.yaml", "roles: {w: {command: a}}"}, .args = {"w"}}),
      "j.yaml:1:1: error: arguments after `--` are appended to the top-level command, and this job "
      "has none");
}

}  // namespace
}  // namespace muster::spec
