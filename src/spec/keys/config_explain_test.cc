#include "spec/read/layers.h"

#include <gtest/gtest.h>

namespace muster::spec {
namespace {

Layers layered() {
  return {.site = TextInput{"site.yaml",
                            "defaults: {roles: {\"*\": {memory: 3g}}}\n"
                            "enforced: {logs: {keep: 2}}\n"
                            "clusters: {prod: {type: yarn, conf: /etc/hadoop/prod}}\n"},
          .environment = {{"MUSTER_SET_ROLES__WORKER__TASKS", "4"}},
          .spec = TextInput{"job.yaml", "command: a\ntasks: 2\nlogs: {keep: 7}\nenv: {A: 1}\n"},
          .sets = {"tasks=8"}};
}

std::string explained(const Layers& layers, std::string_view key) {
  const auto text = config_explain(layers, key);
  return text.has_value() ? *text : "error: " + text.error().message;
}

TEST(ConfigExplain, ShowsEveryLayerAndTheWinner) {
  EXPECT_EQ(explained(layered(), "roles.worker.tasks"),
            "roles.worker.tasks is 8\n"
            "  built-in                         1\n"
            "  MUSTER_SET_ROLES__WORKER__TASKS  4\n"
            "  job.yaml:2:8                     2\n"
            "* --set tasks=8                    8\n");
  EXPECT_EQ(explained(layered(), "logs.keep"),
            "logs.keep is 2\n"
            "  built-in                   5\n"
            "  job.yaml:3:14              7\n"
            "* site.yaml:2:25 (enforced)  2\n");
  EXPECT_EQ(explained(layered(), "roles.worker.success"),
            "roles.worker.success is not set: proposed by the framework\n"
            "* built-in  not set: proposed by the framework\n");
}

TEST(ConfigExplain, WorksWithoutAJob) {
  Layers layers = layered();
  layers.spec.reset();
  layers.sets.clear();
  EXPECT_EQ(explained(layers, "roles.ps.memory"),
            "roles.ps.memory is 3g\n"
            "  built-in        not set: 1g on YARN, the executor's own on Spark; on the local "
            "cluster no limit but the "
            "machine's memory, and none is reserved\n"
            "* site.yaml:1:34  3g\n");
}

TEST(ConfigExplain, AnswersForGroupsAndMaps) {
  EXPECT_EQ(explained(layered(), "local"),
            "local.hosts is 1\n* built-in  1\n"
            "local.strict_vcores is false\n* built-in  false\n"
            "local.share_gpus is false\n* built-in  false\n");
  EXPECT_EQ(explained(layered(), "env"),
            "env: combined from all layers\n"
            "  built-in      {}\n"
            "  job.yaml:4:6  {\"A\":1}\n");
  EXPECT_EQ(explained(layered(), "env.A"),
            "env.A is 1\n  built-in       not set\n* job.yaml:4:10  1\n");
}

TEST(ConfigExplain, RefusesWhatIsNoKey) {
  EXPECT_EQ(explained(layered(), "lgos.keep"),
            "error: `lgos.keep` is not a key: there is no `lgos`; did you mean `logs`?");
  EXPECT_EQ(explained(layered(), "roles.ps.memory"),
            "error: the job has no role ps; it has worker");
  EXPECT_EQ(explained(layered(), "roles"),
            "error: `roles` holds whole roles; name one key of a role, as in roles.worker.memory");
  EXPECT_EQ(
      explained(layered(), "roles.worker"),
      "error: `roles.worker` is a whole role; name one of its keys, as in roles.worker.memory");
}

TEST(ConfigOverview, ListsWhatLayersSet) {
  EXPECT_EQ(*config_overview(layered()),
            "command = a  (job.yaml:1:10)\n"
            "env = {\"A\":1}  (job.yaml:4:6)\n"
            "roles.worker.tasks = 8  (--set tasks=8)\n"
            "roles.worker.memory = 3g  (site.yaml:1:34)\n"
            "logs.keep = 2  (site.yaml:2:25 (enforced))\n"
            "cluster prod: yarn, /etc/hadoop/prod\n");
  EXPECT_EQ(*config_overview({.site = TextInput{"site.yaml", "cleaning: {older: none}"}}),
            "nothing is set; all keys have their built-in values\n"
            "cleaning: older none, over 5g\n");
  EXPECT_EQ(*config_overview({}), "nothing is set; all keys have their built-in values\n");
}

}  // namespace
}  // namespace muster::spec
