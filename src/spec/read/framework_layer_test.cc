// A framework that is data: a file below all layers, found by its name.

#include "spec/read/layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace muster::spec {
namespace {

using ::testing::HasSubstr;

constexpr const char* kFile = R"(framework: pytorch
runtime: {module: fabric}
variables: {COORDINATOR: "tcp://{hub.0.address}", PLACE: "{rank}/{world_size}"}
barrier: gang
roles:
  worker: {restart: {process: 7}}
  hub: {tasks: 1, success: ignored, command: run-hub, variables: {HUB: "yes"}}
)";

Layers layers_of(std::string job, std::string file = kFile) {
  Layers layers;
  layers.frameworks = {{.name = "fabric", .file = {"fabric.yaml", std::move(file)}}};
  layers.spec = TextInput{"j.yaml", std::move(job)};
  return layers;
}

std::string error_of(const Layers& layers) {
  const Result<Loaded> loaded = load(layers);
  return loaded.has_value() ? "" : loaded.error().message;
}

TEST(FrameworkFile, LiesBelowTheJobThatNamesIt) {
  Layers layers = layers_of("framework: fabric\ncommand: train\ntasks: 3\n");
  layers.sets = {"roles.hub.tasks=2"};
  const Result<Loaded> loaded = load(layers);
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  const Spec& spec = loaded->spec;
  EXPECT_EQ(spec.framework, Framework::Pytorch);
  EXPECT_EQ(spec.runtime,
            (Runtime{.name = "fabric", .module = "fabric", .program = "", .key = false}));
  ASSERT_EQ(spec.roles.size(), 2U);
  EXPECT_EQ(spec.roles[0].name, "worker");
  EXPECT_EQ(spec.roles[0].tasks, 3U);
  EXPECT_EQ(spec.roles[0].restart->process, 7U);
  EXPECT_EQ(spec.roles[1].name, "hub");
  EXPECT_EQ(spec.roles[1].tasks, 2U);
  EXPECT_EQ(spec.roles[1].command, "run-hub");
  EXPECT_EQ(spec.roles[1].variables.at("HUB"), "yes");
  EXPECT_EQ(spec.variables.at("PLACE"), "{rank}/{world_size}");
}

TEST(FrameworkFile, MayBeNamedByAnyLayer) {
  Layers layers = layers_of("command: train\ntasks: 1\n");
  layers.sets = {"framework=fabric"};
  EXPECT_EQ(load(layers)->spec.runtime.name, "fabric");
  layers.spec.reset();
  layers.quick = QuickOptions{};
  layers.quick->framework = "fabric";
  layers.quick->command = {"train"};
  layers.sets.clear();
  EXPECT_EQ(load(layers)->spec.runtime.name, "fabric");
}

TEST(FrameworkFile, ReplacesOneOfMustersOwn) {
  Layers layers = layers_of("framework: ray\ncommand: train\nroles: {driver: {tasks: 1}}\n");
  layers.frameworks = {{.name = "ray", .file = {"ray.yaml", "variables: {RAY: mine}\n"}}};
  const Result<Loaded> loaded = load(layers);
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  EXPECT_EQ(loaded->spec.roles.size(), 1U);
  EXPECT_EQ(loaded->spec.variables.at("RAY"), "mine");
}

TEST(FrameworkFile, OfEachOneOfMustersOwnIsSound) {
  for (const std::string name : {"dask", "horovod-elastic", "mpi", "ray", "xgboost"}) {
    Layers layers;
    layers.quick = QuickOptions{};
    layers.quick->framework = name;
    layers.quick->tasks = "3";
    layers.quick->command = {"python3", "train.py"};
    const Result<Loaded> loaded = load(layers);
    ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
    EXPECT_EQ(find_role(loaded->spec, "worker")->tasks, 3U);
    EXPECT_EQ(loaded->spec.runtime.name, name);
  }
}

TEST(FrameworkFile, IsWrongInOnePlaceWithLineAndColumn) {
  const std::string job = "framework: fabric\ncommand: train\ntasks: 1\n";
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"variables: {A: '{hub.0.addres}'}\n",
       "fabric.yaml:1:16: error: variables.A: `{hub.0.addres}`: what follows a task must be one of "
       "host, port, address, not `addres`; did you mean `address`?"},
      {"variables: {A: '{hub.0.address}'}\n",
       "fabric.yaml:1:16: error: variables.A: the job has no role hub"},
      {"variables: {A: '{worker.4.host}'}\n",
       "fabric.yaml:1:16: error: variables.A: there is no worker:4; the role has 1 task"},
      {"variables: {A: '{worker.0.ports.http}'}\n",
       "fabric.yaml:1:16: error: variables.A: the role worker has no port http; name it under "
       "`ports`"},
      {"variables: {A: '{rank'}\n",
       "fabric.yaml:1:16: error: variables.A: `{rank`: the `{` is not closed; write `{{` for a "
       "literal `{`"},
      {"variables: {A: '}'}\n",
       "fabric.yaml:1:16: error: variables.A: a `}` without a `{`; write `}}` for a literal `}`"},
      {"variables: {A B: x}\n",
       "fabric.yaml:1:13: error: variables: `A B` is not a valid name of an environment variable"},
      {"name: x\n",
       "fabric.yaml:1:1: error: `name` has no place in the file of a framework; its keys are "
       "framework, runtime, variables, roles, env, barrier, restart, rules, deadlines, checkpoint, "
       "liveness"},
      {"framework: fabric\n",
       "fabric.yaml:1:12: error: framework: the file of a framework can be based on one of "
       "generic, "
       "tensorflow, pytorch, jax, mxnet, horovod, standalone, not `fabric`"},
      {"runtime: {modul: x}\n",
       "fabric.yaml:1:11: error: runtime: unknown key `modul`; did you mean `module`?"},
      {"[a]\n",
       "fabric.yaml:1:1: error: the file of a framework must be a map of keys, as in "
       "{variables: {NAME: '{rank}'}}, not a list"},
      {"",
       "fabric.yaml:1:1: error: the file of a framework must be a map of keys, as in "
       "{variables: {NAME: '{rank}'}}, not nothing"},
  };
  for (const auto& [file, message] : rows) {
    EXPECT_EQ(error_of(layers_of(job, file)), message);
  }
  EXPECT_THAT(error_of(layers_of(job, "variables: {\n")), HasSubstr("fabric.yaml:"));
}

}  // namespace
}  // namespace muster::spec
