#include "tony/conversion.h"

#include "spec/read/layers.h"
#include "tony/model_parameters.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace muster::tony {
namespace {

using ::testing::HasSubstr;

struct Job {
  std::vector<std::string> conf;
  std::vector<std::string> flags = {"-executes", "train.py"};
};

Result<Converted> converted(const Job& job) {
  Input input;
  std::vector<std::string> arguments = job.flags;
  for (const std::string& one : job.conf) {
    arguments.insert(arguments.end(), {"--conf", one});
  }
  MUSTER_TRY(input.flags, parse_flags(arguments));
  return convert(input);
}

spec::Spec spec_of(const Job& job) {
  const Result<Converted> made = converted(job);
  EXPECT_TRUE(made.has_value()) << (made ? "" : made.error().message);
  return made ? made->spec : spec::Spec();
}

std::string note_of(const Job& job, std::string_view name) {
  const Result<Converted> made = converted(job);
  EXPECT_TRUE(made.has_value()) << (made ? "" : made.error().message);
  const auto found = std::ranges::find(made->notes, name, &Note::name);
  return found == made->notes.end() ? "" : found->text;
}

TEST(Conversion, KeepsShapesAndCommandOfEachType) {
  const spec::Spec spec = spec_of(
      {.conf = {"tony.worker.instances=4", "tony.worker.memory=4G", "tony.worker.gpus=2",
                "tony.worker.node-label=gpu", "tony.ps.instances=1", "tony.ps.vcores=3",
                "tony.ps.command=./ps.sh", "tony.yarn.queue=ml", "tony.application.name=My Job",
                "tony.application.tags=a, b", "tony.application.framework=PyTorch"},
       .flags = {"--executes=train.py", "-python_binary_path", "/usr/bin/python3", "-task_params",
                 "--epochs 5"}});
  EXPECT_EQ(spec.command, "/usr/bin/python3 train.py --epochs 5");
  EXPECT_EQ(spec.framework, spec::Framework::Pytorch);
  EXPECT_EQ(spec.yarn.queue, "ml");
  EXPECT_EQ(spec.yarn.tags, (std::vector<std::string>{"a", "b"}));
  const spec::Role* const worker = spec::find_role(spec, "worker");
  ASSERT_NE(worker, nullptr);
  EXPECT_EQ(worker->tasks, 4U);
  EXPECT_EQ(worker->memory, uint64_t{4} << 30);
  EXPECT_EQ(worker->gpus, 2U);
  EXPECT_EQ(worker->node_label, "gpu");
  const spec::Role* const ps = spec::find_role(spec, "ps");
  ASSERT_NE(ps, nullptr);
  EXPECT_EQ(ps->memory, uint64_t{2} << 30);
  EXPECT_EQ(ps->vcores, 3U);
  EXPECT_EQ(ps->command, "./ps.sh");
}

TEST(Conversion, GivesEndsTheMeaningThatTonyGaveThem) {
  const std::vector<std::string> conf = {"tony.worker.instances=2", "tony.chief.instances=1",
                                         "tony.ps.instances=1", "tony.tensorboard.instances=1"};
  const spec::Spec spec = spec_of({.conf = conf});
  const auto ends = [](const spec::Spec& from, std::string_view name) {
    const spec::Role* const role = spec::find_role(from, name);
    return std::pair(role->success, role->failure);
  };
  using spec::Failure;
  using spec::Success;
  EXPECT_EQ(ends(spec, "worker"),
            std::pair(std::optional(Success::Required), std::optional(Failure::Tolerated)));
  EXPECT_EQ(ends(spec, "chief"),
            std::pair(std::optional(Success::Required), std::optional(Failure::FailsJob)));
  EXPECT_EQ(ends(spec, "ps"),
            std::pair(std::optional(Success::Ignored), std::optional(Failure::FailsJob)));
  EXPECT_EQ(ends(spec, "tensorboard"),
            std::pair(std::optional(Success::Ignored), std::optional(Failure::Ignored)));
  EXPECT_FALSE(spec.chief_failure_fails_job);
  EXPECT_TRUE(spec_of({.conf = {"tony.worker.instances=2"}}).chief_failure_fails_job);
  std::vector<std::string> strict = conf;
  strict.emplace_back("tony.application.fail.on.worker.failure.enabled=true");
  EXPECT_EQ(spec::find_role(spec_of({.conf = strict}), "worker")->failure, Failure::FailsJob);
}

TEST(Conversion, MakesStagesAndDeadlinesAfterGroups) {
  const spec::Spec spec = spec_of(
      {.conf = {"tony.db.instances=1", "tony.worker.instances=2", "tony.evaluator.instances=1",
                "tony.application.prepare-stage= db ", "tony.application.group.A=worker",
                "tony.application.dependency.evaluator.timeout.after.A=3600",
                "tony.application.dependency.evaluator.timeout.after.A.ignored=true"}});
  const spec::Role* const evaluator = spec::find_role(spec, "evaluator");
  ASSERT_NE(evaluator, nullptr);
  ASSERT_TRUE(evaluator->deadline_after.has_value());
  EXPECT_EQ(evaluator->deadline_after->in, std::chrono::hours(1));
  EXPECT_EQ(evaluator->deadline_after->then, spec::DeadlineAction::Ignore);
  ASSERT_EQ(evaluator->after.size(), 1U);
  EXPECT_EQ(evaluator->after[0].role, "db");
  EXPECT_TRUE(spec::find_role(spec, "db")->after.empty());
  EXPECT_THAT(converted({.conf = {"tony.worker.instances=1", "tony.application.prepare-stage=db"}})
                  .error()
                  .message,
              HasSubstr("names db"));
}

TEST(Conversion, KeepsConstraintsAndTags) {
  const spec::Spec spec =
      spec_of({.conf = {"tony.ps.instances=1", "tony.ps.allocation-tags=params,big",
                        "tony.worker.instances=2", "tony.worker.placement-spec=notin,node,params",
                        "tony.containers.placement-spec=in,rack,params",
                        "tony.containers.allocation-tags=train"}});
  const spec::Role& ps = *spec::find_role(spec, "ps");
  const spec::Role& worker = *spec::find_role(spec, "worker");
  EXPECT_EQ(ps.constraint, "in,rack,params");
  EXPECT_EQ(ps.allocation_tags, (std::vector<std::string>{"params", "big"}));
  EXPECT_EQ(worker.constraint, "notin,node,params");
  EXPECT_EQ(worker.allocation_tags, std::vector<std::string>{"train"});
  EXPECT_THAT(note_of({.conf = {"tony.worker.instances=1",
                                "tony.application.placement-spec=worker=1,notin,node,worker"}},
                      "tony.application.placement-spec"),
              HasSubstr("write `constraint` in each role"));
}

TEST(Conversion, KeepsDockerImagesOfTypes) {
  const Job job{.conf = {"tony.worker.instances=1", "tony.ps.instances=1",
                         "tony.docker.enabled=true", "tony.docker.containers.image=tf:2",
                         "tony.docker.ps.image=ps:1", "tony.docker.am.image=am:1",
                         "tony.docker.containers.mount=/a:/b:ro,/c:/d,/e:/f:ro+shared"}};
  const spec::Spec spec = spec_of(job);
  const spec::Role& worker = *spec::find_role(spec, "worker");
  EXPECT_EQ(worker.docker->image, "tf:2");
  EXPECT_EQ(worker.docker->mounts,
            (std::vector<spec::Mount>{{.source = "/a", .target = "/b", .read_only = true},
                                      {.source = "/c", .target = "/d", .read_only = false},
                                      {.source = "/e", .target = "/f", .read_only = true}}));
  EXPECT_EQ(spec::find_role(spec, "ps")->docker->image, "ps:1");
  EXPECT_THAT(note_of(job, "tony.docker.am.image"), HasSubstr("runs without Docker"));
  EXPECT_THAT(note_of(job, "tony.docker.containers.mount"), HasSubstr("/e:/f"));
  EXPECT_FALSE(spec_of({.conf = {"tony.worker.instances=1", "tony.docker.containers.image=tf:2"}})
                   .roles[0]
                   .docker.has_value());
}

TEST(Conversion, GivesNodesOfRayNamesOfTheirOwn) {
  const spec::Spec spec = spec_of(
      {.conf = {"tony.worker.instances=1", "tony.head.instances=1",
                "tony.head.command=source venv/bin/activate; ray start --head; python a.py"}});
  EXPECT_THAT(*spec::find_role(spec, "head")->command,
              ::testing::AllOf(HasSubstr("exec bash -c "), HasSubstr("--raylet-socket-name"),
                               HasSubstr("MUSTER_RAY=$(mktemp -d \"$MUSTER_RAY.XXXXXX\")"),
                               HasSubstr("source venv/bin/activate; ray start --head")));
  EXPECT_EQ(spec.command, "train.py");
}

TEST(Conversion, RefusesDockerWithoutAnImage) {
  const auto wrong = [](std::vector<std::string> conf) {
    conf.emplace_back("tony.docker.enabled=true");
    const Result<Converted> made = converted({.conf = std::move(conf)});
    return made ? "" : made.error().message;
  };
  EXPECT_THAT(wrong({"tony.worker.instances=1"}),
              ::testing::AllOf(HasSubstr("tony.docker.enabled: no image is named"),
                               HasSubstr("tony.docker.containers.image"),
                               HasSubstr("tony.docker.worker.image")));
  EXPECT_THAT(wrong({"tony.docker.worker.image=tf:2"}), HasSubstr("tony.docker.am.image"))
      << "The only task is the master's";
  EXPECT_EQ(wrong({"tony.worker.instances=1", "tony.docker.worker.image=tf:2"}), "");
  EXPECT_EQ(wrong({"tony.worker.instances=0", "tony.docker.am.image=am:1"}), "");
}

TEST(Conversion, SaysWhichRolesRunWithoutDocker) {
  const Job job{.conf = {"tony.worker.instances=1", "tony.ps.instances=1",
                         "tony.docker.enabled=true", "tony.docker.worker.image=tf:2"}};
  EXPECT_THAT(note_of(job, "tony.docker.enabled"),
              HasSubstr("ps runs without Docker: neither tony.docker.ps.image nor"));
  EXPECT_FALSE(spec::find_role(spec_of(job), "ps")->docker.has_value());
}

TEST(Conversion, TakesFilesEnvironmentAndTimeouts) {
  const Job job{
      .conf = {"tony.worker.instances=1", "tony.containers.resources=hdfs:///a.zip",
               "tony.containers.resources=b::c#archive", "tony.containers.envs=A=1,B=2",
               "tony.execution.envs=B=3", "tony.application.timeout=60000", "tony.am.retry-count=2",
               "tony.docker.enabled=true", "tony.docker.containers.image=tf:2",
               "tony.docker.containers.mount=/a:/b:ro"},
      .flags = {"-executes", "t.py", "-python_venv", "v.zip", "-python_binary_path", "bin/python3",
                "-src_dir", "src.zip", "-shell_env", "C=4"}};
  const spec::Spec spec = spec_of(job);
  ASSERT_EQ(spec.files.size(), 4U);
  EXPECT_EQ(spec.files[0],
            (spec::File{.src = "src.zip", .as = "src", .unpack = spec::Unpack::Yes}));
  EXPECT_EQ(spec.files[1], (spec::File{.src = "hdfs:///a.zip", .unpack = spec::Unpack::No}));
  EXPECT_EQ(spec.files[2], (spec::File{.src = "b", .as = "c", .unpack = spec::Unpack::Yes}));
  EXPECT_EQ(spec.files[3], (spec::File{.src = "v.zip", .as = "venv", .unpack = spec::Unpack::Yes}));
  EXPECT_EQ(spec.command, "ln -sfn src/* . && venv/bin/python3 t.py");
  EXPECT_EQ(spec.env.at("A").text, "1");
  EXPECT_EQ(spec.env.at("B").text, "3");
  EXPECT_EQ(spec.env.at("C").text, "4");
  EXPECT_EQ(spec.deadlines.run, std::chrono::minutes(1));
  EXPECT_EQ(spec.restart.job, 2U);
  EXPECT_EQ(spec.roles[0].docker->image, "tf:2");
  EXPECT_TRUE(spec.roles[0].docker->mounts[0].read_only);
  EXPECT_THAT(note_of(job, "-src_dir"), HasSubstr("archive"));
}

TEST(Conversion, KeepsTheFramework) {
  const auto framework = [](const std::string& name) {
    return spec_of({.conf = {"tony.worker.instances=1", "tony.application.framework=" + name}})
        .framework;
  };
  EXPECT_EQ(framework("TensorFlow"), spec::Framework::Tensorflow);
  EXPECT_EQ(framework("PYTORCH"), spec::Framework::Pytorch);
  EXPECT_EQ(framework("mxnet"), spec::Framework::Mxnet);
  EXPECT_EQ(framework("standalone"), spec::Framework::Standalone);
  EXPECT_EQ(framework("JAX"), spec::Framework::Jax);
}

TEST(Conversion, KeepsTheLastFileOfAName) {
  const Job job{.conf = {"tony.worker.instances=1", "tony.containers.resources=a/x.py,b/y.py",
                         "tony.containers.resources=a/x.py,c/y.py"}};
  const spec::Spec spec = spec_of(job);
  ASSERT_EQ(spec.files.size(), 2U);
  EXPECT_EQ(spec.files[0].src, "a/x.py");
  EXPECT_EQ(spec.files[1].src, "c/y.py");
  EXPECT_THAT(note_of(job, "y.py"), HasSubstr("b/y.py and c/y.py"));
  EXPECT_EQ(note_of(job, "x.py"), "");
}

TEST(Conversion, StartsNoDriverOfHorovod) {
  const Job job{.conf = {"tony.worker.instances=2", "tony.application.framework=Horovod",
                         "tony.driver.instances=1", "tony.driver.command=python3 driver.py",
                         "tony.application.untracked.jobtypes=driver"}};
  const spec::Spec spec = spec_of(job);
  EXPECT_EQ(spec.framework, spec::Framework::Horovod);
  ASSERT_EQ(spec.roles.size(), 1U);
  EXPECT_EQ(spec.roles[0].name, "worker");
  EXPECT_EQ(spec.env.at("HOROVOD_GLOO_TIMEOUT_SECONDS").text, "2000");
  EXPECT_THAT(note_of(job, "tony.driver.instances"), HasSubstr("beside rank 0"));
}

TEST(Conversion, RunsADriverOfTheUsersInDebugMode) {
  Job job{.conf = {"tony.worker.instances=2", "tony.application.framework=horovod",
                   "tony.horovod.driver.mode.debug=true", "tony.driver.instances=1",
                   "tony.driver.command=python3 driver.py"}};
  const spec::Spec spec = spec_of(job);
  EXPECT_EQ(spec.framework, spec::Framework::Generic);
  const spec::Role* const driver = spec::find_role(spec, "driver");
  ASSERT_NE(driver, nullptr);
  EXPECT_EQ(driver->command, "exec $HOROVOD_DRIVER /bin/sh -c 'python3 driver.py'");
  EXPECT_EQ(driver->success, spec::Success::Ignored) << "it never ends";
  EXPECT_EQ(driver->failure, spec::Failure::FailsJob);
  EXPECT_EQ(spec.variables.at("HOROVOD_SLOT"), "{program} horovod-slot {driver.0.address}");
  EXPECT_THAT(spec.runtime.program, HasSubstr("HOROVOD_SLOT"));
  EXPECT_EQ(spec.env.at("HOROVOD_GLOO_TIMEOUT_SECONDS").text, "2000");
  EXPECT_EQ(spec::find_role(spec, "worker")->command, std::nullopt);
  job.conf.pop_back();
  EXPECT_THAT(converted(job).error().message, HasSubstr("tony.driver.command"));
  job.conf.insert(job.conf.end(),
                  {"tony.driver.command=d.sh", "tony.application.distributed-mode=FCFS"});
  EXPECT_THAT(converted(job).error().message, HasSubstr("must be GANG"));
}

TEST(Conversion, LeavesTensorflowWhereItKnowsFewerTasks) {
  const Job job{.conf = {"tony.chief.instances=2", "tony.worker.instances=1"}};
  EXPECT_EQ(spec_of(job).framework, spec::Framework::Generic);
  EXPECT_THAT(note_of(job, "tony.chief.instances"), HasSubstr("no TF_CONFIG"));
  EXPECT_EQ(spec_of({.conf = {"tony.chief.instances=1", "tony.worker.instances=1"}}).framework,
            spec::Framework::Tensorflow);
}

TEST(Conversion, HasTheShellFillInWhatContainersVariablesName) {
  const spec::Spec spec = spec_of(
      {.conf = {"tony.worker.instances=1", "tony.ps.instances=1", "tony.ps.command=ps.sh -x",
                "tony.containers.envs=LIBS=/cuda:$LIBS,HERE={{PWD}}/x<CPS>y,PLAIN=1,MINE=$A",
                "tony.execution.envs=MINE=own,KEPT=$A"},
       .flags = {"-executes", "train.sh", "-container_env", R"(SAID="$A")"}});
  EXPECT_EQ(
      spec.command,
      R"(export HERE="${PWD}/x:y"; export LIBS="/cuda:$LIBS"; export SAID="\"$A\""; train.sh)");
  EXPECT_THAT(*spec::find_role(spec, "ps")->command, HasSubstr("; ps.sh -x"));
  EXPECT_EQ(spec.env.at("PLAIN").text, "1");
  EXPECT_EQ(spec.env.at("MINE").text, "own") << "the task's own wins";
  EXPECT_EQ(spec.env.at("KEPT").text, "$A") << "which no shell has read in TonY either";
  EXPECT_FALSE(spec.env.contains("LIBS"));
}

TEST(Conversion, TakesSeveralVariablesOfOneEntry) {
  const spec::Spec spec = spec_of(
      {.conf = {"tony.worker.instances=1"},
       .flags = {"-executes", "a", "-shell_env", "A=1,2,B=3, C=x=y", "-container_env", "D=4,E=5"}});
  EXPECT_EQ(spec.env.at("A").text, "1,2");
  EXPECT_EQ(spec.env.at("B").text, "3");
  EXPECT_EQ(spec.env.at("C").text, "x=y");
  EXPECT_EQ(spec.env.at("E").text, "5");
}

TEST(Conversion, TakesTheFirstOfAFlagThatIsGivenTwice) {
  const Job job{.conf = {"tony.worker.instances=1"},
                .flags = {"-executes", "first", "--executes=second", "--on", "a", "--on", "b"}};
  EXPECT_EQ(spec_of(job).command, "first");
  EXPECT_THAT(note_of(job, "-executes"), HasSubstr("the first one counts"));
  const Result<Flags> flags = parse_flags(job.flags);
  ASSERT_TRUE(flags.has_value());
  EXPECT_EQ(flags->on, "b") << "Muster's own are as everywhere";
}

TEST(Conversion, NamesWhatHasNoPlace) {
  const Job job{.conf = {"tony.worker.instances=1", "tony.am.memory=3g", "tony.made.up=1",
                         "tony.task.executor.jvm.opts=-Xmx1g", "dfs.replication=2",
                         "tony.worker.depends-on=ps", "tony.https.port=1"}};
  EXPECT_THAT(note_of(job, "tony.am.memory"), HasSubstr("256m"));
  EXPECT_THAT(note_of(job, "tony.made.up"), HasSubstr("no version of TonY"));
  EXPECT_THAT(note_of(job, "tony.task.executor.jvm.opts"), HasSubstr("neither Java"));
  EXPECT_THAT(note_of(job, "dfs.replication"), HasSubstr("not a setting of TonY"));
  EXPECT_THAT(note_of(job, "tony.worker.depends-on"), HasSubstr("after"));
  EXPECT_THAT(note_of(job, "tony.https.port"), HasSubstr("history"));
}

TEST(Conversion, RunsAJobWithoutTasksAsOneRole) {
  const spec::Spec spec =
      spec_of({.conf = {"tony.am.memory=3g", "tony.am.gpus=1", "tony.am.vcores=4"}});
  ASSERT_EQ(spec.roles.size(), 1U);
  EXPECT_EQ(spec.framework, spec::Framework::Generic);
  EXPECT_EQ(spec.roles[0].memory, uint64_t{3} << 30);
  EXPECT_EQ(spec.roles[0].gpus, 1U);
  EXPECT_EQ(spec.roles[0].vcores, 4U);
}

TEST(Conversion, GivesASpecificationThatCanBeRead) {
  const Result<Converted> made = converted(
      {.conf = {"tony.worker.instances=2", "tony.ps.instances=1", "tony.chief.instances=1",
                "tony.am.memory=3g", "tony.task.heartbeat-interval-ms=2000"}});
  ASSERT_TRUE(made.has_value()) << made.error().message;
  const std::string text = render(*made);
  EXPECT_THAT(text, HasSubstr("#   tony.am.memory: "));
  spec::Layers layers;
  layers.spec = spec::TextInput{.name = "job.yaml", .text = text};
  const auto loaded = spec::load(layers);
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message << "\n" << text;
  EXPECT_EQ(loaded->spec, made->spec);
}

TEST(Conversion, SaysWhereAValueCannotBeRead) {
  EXPECT_THAT(converted({.conf = {"tony.worker.instances=many"}}).error().message,
              HasSubstr("-conf: error: tony.worker.instances: must be a whole number"));
  EXPECT_THAT(
      converted({.conf = {"tony.worker.instances=1", "tony.worker.memory=2x"}}).error().message,
      HasSubstr("2x"));
  EXPECT_THAT(converted({.conf = {"tony.worker.instances=1"}, .flags = {}}).error().message,
              HasSubstr("worker has no command"));
  EXPECT_THAT(parse_flags({"-executs", "a"}).error().message, HasSubstr("-executes"));
  EXPECT_THAT(parse_flags({"-executes"}).error().message, HasSubstr("value"));
}

TEST(Conversion, RunsTheMastersCommandFirst) {
  const Job job{.conf = {"tony.worker.instances=2", "tony.application.enable-preprocess=true",
                         "tony.am.command=python prepare.py", "tony.am.gpus=1",
                         "tony.docker.enabled=true", "tony.docker.am.image=am:1",
                         "tony.docker.containers.image=tf:2"}};
  const Result<Converted> made = converted(job);
  ASSERT_TRUE(made.has_value()) << made.error().message;
  ASSERT_TRUE(made->preprocessing.has_value());
  const spec::Role& first = made->preprocessing->roles.at(0);
  EXPECT_EQ(first.tasks, 1U);
  EXPECT_EQ(first.gpus, 1U);
  EXPECT_EQ(first.docker->image, "am:1");
  EXPECT_THAT(*first.command, HasSubstr("python prepare.py"));
  EXPECT_EQ(first.env.at("PREPROCESSING_JOB").text, "true");
  EXPECT_FALSE(made->spec.env.contains("PREPROCESSING_JOB"));
  EXPECT_EQ(made->spec.roles.at(0).tasks, 2U);
  EXPECT_FALSE(converted({.conf = {"tony.worker.instances=2"}})->preprocessing.has_value());
}

TEST(ModelParameters, AreInTheFirstLineThatHasThem) {
  const auto found = [](const std::vector<std::string>& parts) {
    ModelParameters parameters;
    for (const std::string& part : parts) {
      parameters.feed(part);
    }
    return parameters.found();
  };
  EXPECT_EQ(found({"a\nINFO Model parameters: --a 1 --b \nend\n"}), "--a 1 --b");
  EXPECT_EQ(found({"Model parameters: 1\nModel parameters: 2"}), "1");
  EXPECT_EQ(found({"a\nModel para", "meters: 1", "2"}), "12") << "Output comes in parts";
  EXPECT_EQ(found({"nothing\n", "of it"}), std::nullopt);
  EXPECT_EQ(found({std::string(1 << 20, 'x'), "Model parameters: 1\nModel parameters: 2\n"}), "2")
      << "A line without end is not kept";
}

TEST(Conversion, LimitsTheTimeOfEveryCommand) {
  const spec::Spec spec = spec_of({.conf = {"tony.worker.instances=1", "tony.ps.instances=1",
                                            "tony.ps.command=ps.sh", "tony.worker.timeout=1500"}});
  EXPECT_EQ(spec.command, "exec timeout --kill-after=30 1.500 bash -c train.py");
  EXPECT_EQ(spec::find_role(spec, "ps")->command,
            "exec timeout --kill-after=30 1.500 bash -c ps.sh");
}

TEST(Conversion, LeavesWhatOnlyBashReadsToBash) {
  const auto command = [](const char* text) {
    return *spec_of({.conf = {"tony.worker.instances=1"}, .flags = {"-executes", text}}).command;
  };
  EXPECT_EQ(command("venv/bin/python train.py --steps=5 $A"),
            "venv/bin/python train.py --steps=5 $A");
  EXPECT_EQ(command("source venv/bin/activate"), "exec bash -c 'source venv/bin/activate'");
  EXPECT_EQ(command("[[ a = a ]] && echo b"), "exec bash -c '[[ a = a ]] && echo b'");
}

TEST(Conversion, MakesAProgramOfTheSourcesExecutable) {
  Input input;
  const Result<Flags> flags =
      parse_flags({"-src_dir", "src", "-executes", "bin/a.sh x", "-conf", "tony.worker.instances=1",
                   "-conf", "tony.ps.instances=1", "-conf", "tony.ps.command=bin/b.sh && true"});
  ASSERT_TRUE(flags.has_value());
  input.flags = *flags;
  input.source_entries = {"bin/"};
  input.lacks_mode = [](const std::string& program) { return program.ends_with(".sh"); };
  const Result<Converted> made = convert(input);
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->spec.command, "[ -x bin/a.sh ] || chmod u+x bin/a.sh; exec bin/a.sh x");
  EXPECT_EQ(spec::find_role(made->spec, "ps")->command,
            "[ -x bin/b.sh ] || chmod u+x bin/b.sh; exec bash -c 'bin/b.sh && true'");
}

TEST(Conversion, NamesTheFileOfAFrameworkThatIsNotBuiltIn) {
  const Result<Converted> made =
      converted({.conf = {"tony.worker.instances=1", "tony.application.framework=Fabric"}});
  ASSERT_TRUE(made.has_value());
  EXPECT_THAT(render(*made), HasSubstr("\nframework: fabric\n"));
}

TEST(Conversion, RefusesStagesThatDoNotAddUp) {
  const auto wrong = [](const std::string& prepare, const std::string& training) {
    const Result<Converted> made =
        converted({.conf = {"tony.worker.instances=1", "tony.chief.instances=1",
                            "tony.ps.instances=1", "tony.application.prepare-stage=" + prepare,
                            "tony.application.training-stage=" + training}});
    return made ? "" : made.error().message;
  };
  EXPECT_THAT(wrong("chief", "ps"), HasSubstr("worker is in neither of"));
  EXPECT_THAT(wrong("chief,worker", "ps,worker"), HasSubstr("worker is in both of"));
  EXPECT_EQ(wrong("chief", "worker"), "") << "ps is untracked";
}

TEST(Conversion, WaitsInAStageForWhatIsTrackedAlone) {
  const spec::Spec spec =
      spec_of({.conf = {"tony.worker.instances=1", "tony.chief.instances=1", "tony.ps.instances=1",
                        "tony.application.training-stage=worker"}});
  const spec::Role* const worker = spec::find_role(spec, "worker");
  ASSERT_EQ(worker->after.size(), 1U);
  EXPECT_EQ(worker->after[0].role, "chief");
}

TEST(Conversion, LetsStagesAndGroupsNameTypesWithoutTasks) {
  const spec::Spec spec = spec_of(
      {.conf = {"tony.worker.instances=1", "tony.db.instances=1", "tony.evaluator.instances=0",
                "tony.application.prepare-stage=db", "tony.application.group.A=worker,chief",
                "tony.application.training-stage=worker,evaluator",
                "tony.application.dependency.db.timeout.after.A=60"}});
  EXPECT_EQ(spec::find_role(spec, "worker")->after.at(0).role, "db");
  EXPECT_EQ(spec::find_role(spec, "db")->deadline_after->roles, std::vector<std::string>{"worker"})
      << "There is no chief";
  const Job at_once{.conf = {"tony.worker.instances=1", "tony.db.instances=1",
                             "tony.application.group.A=worker",
                             "tony.application.dependency.db.timeout.after.A=0"}};
  EXPECT_EQ(spec::find_role(spec_of(at_once), "db")->deadline_after->in, std::chrono::seconds(5));
  const Job gone{.conf = {"tony.worker.instances=1", "tony.application.group.A=chief",
                          "tony.application.dependency.worker.timeout.after.A=60"}};
  EXPECT_FALSE(spec_of(gone).roles.at(0).deadline_after.has_value());
  EXPECT_THAT(note_of(gone, "tony.application.dependency.worker.timeout.after.A"),
              HasSubstr("no effect"));
}

TEST(Conversion, EndsTheJobWithASidecarThatStopsIt) {
  const auto failure = [](const std::string& setting) {
    const spec::Spec spec =
        spec_of({.conf = {"tony.worker.instances=1", "tony.watcher.instances=1",
                          "tony.application.sidecar.jobtypes=watcher", setting}});
    const spec::Role* const role = spec::find_role(spec, "watcher");
    EXPECT_EQ(role->success, spec::Success::Ignored);
    return role->failure;
  };
  EXPECT_EQ(failure("tony.application.stop-on-failure-jobtypes=ps"), spec::Failure::Ignored);
  EXPECT_EQ(failure("tony.application.stop-on-failure-jobtypes=watcher"), spec::Failure::FailsJob);
  EXPECT_EQ(failure("tony.application.fail-on-worker-failure-enabled=true"),
            spec::Failure::FailsJob);
}

TEST(Conversion, RunsOnlyWhatTonyTakesForAType) {
  const Job job{
      .conf = {"tony.worker.instances=1", "tony.worker2.instances=1", "tony.my-role.instances=1"}};
  EXPECT_EQ(spec_of(job).roles.size(), 1U);
  EXPECT_THAT(note_of(job, "tony.worker2.instances"), HasSubstr("not run, as in TonY"));
  EXPECT_THAT(note_of(job, "tony.my-role.instances"), HasSubstr("not run, as in TonY"));
}

TEST(Conversion, LaysSettingsAsTonyDoes) {
  Input input;
  const auto variable = [&](const char* name) {
    const Result<Converted> made = convert(input);
    EXPECT_TRUE(made.has_value()) << (made ? "" : made.error().message);
    const auto found = made->spec.env.find(name);
    return found == made->spec.env.end() ? "" : found->second.text;
  };
  input.properties = {{.name = "tony.worker.instances", .value = "1", .origin = "tony.xml:1"},
                      {.name = "tony.execution.envs", .value = "A=job", .origin = "tony.xml:2"}};
  input.site = {{.name = "tony.execution.envs", .value = "S=site", .origin = "tony-site.xml:1"}};
  input.flags.executes = "true";
  EXPECT_EQ(variable("S"), "site");
  EXPECT_EQ(variable("A"), "") << "A file replaces";
  input.flags.conf = {"tony.execution.envs=C=conf", "tony.execution.envs=D=more"};
  EXPECT_EQ(variable("A") + variable("C") + variable("D"), "jobconfmore") << "-conf appends";
  EXPECT_EQ(variable("S"), "") << "to what the job says";
  input.flags.setting = {"tony.execution.envs=P=program"};
  EXPECT_EQ(variable("P") + variable("C"), "programconf");
  EXPECT_EQ(variable("A"), "") << "What a program sets replaces";
  input.flags.conf.clear();
  EXPECT_EQ(variable("P"), "program");
  EXPECT_EQ(variable("S"), "") << "and is above the site";
  input.flags.setting.clear();
  input.site.clear();
  input.flags.default_setting = {"tony.execution.envs=F=file", "tony.containers.envs=G=file"};
  EXPECT_EQ(variable("A") + variable("G"), "jobfile") << "its own files are below the job's";
  EXPECT_EQ(variable("F"), "");
}

TEST(Conversion, RefusesAJobThatWouldNeverEnd) {
  const Result<Converted> made = converted({.conf = {"tony.ps.instances=2"}});
  ASSERT_FALSE(made.has_value());
  EXPECT_THAT(made.error().message, HasSubstr("ps is untracked"));
}

TEST(Conversion, HoldsTheLimits) {
  const auto wrong = [](const std::string& limit) {
    const Result<Converted> made =
        converted({.conf = {"tony.worker.instances=4", "tony.worker.gpus=2",
                            "tony.worker.memory=1g", limit}});
    return made ? "" : made.error().message;
  };
  EXPECT_THAT(wrong("tony.worker.max-instances=3"),
              HasSubstr("worker may have at most 3 instances, but 4 are requested"));
  EXPECT_THAT(wrong("tony.task.max-total-gpus=7"), HasSubstr("at most 7 gpus, but request 8"));
  EXPECT_THAT(wrong("tony.task.max-total-memory=4095"), HasSubstr("but request 4096"));
  for (const char* fits : {"tony.worker.max-instances=4", "tony.worker.max-instances=-1",
                           "tony.task.max-total-instances=10", "tony.task.max-total-gpus=8",
                           "tony.task.max-total-memory=4096", "tony.task.max-total-vcores=-1"}) {
    EXPECT_EQ(wrong(fits), "") << fits;
  }
}

TEST(Conversion, CountsTowardsALimitWhatIsSetForAType) {
  const auto fits = [](const std::string& limit, const std::string& more) {
    return converted({.conf = {"tony.worker.instances=1", "tony.chief.instances=1", limit, more}})
        .has_value();
  };
  EXPECT_TRUE(fits("tony.task.max-total-memory=2048", "tony.chief.gpus=0"));
  EXPECT_FALSE(fits("tony.task.max-total-memory=2047", "tony.chief.gpus=0"));
  EXPECT_FALSE(fits("tony.task.max-total-memory=2048", "tony.chief.memory=1m"));
  EXPECT_TRUE(fits("tony.task.max-total-vcores=1", "tony.chief.gpus=0"));
  EXPECT_FALSE(fits("tony.task.max-total-vcores=1", "tony.chief.vcores=1"));
}

TEST(Conversion, LaysAnApplicationsConstraintsByTheirTags) {
  const spec::Spec spec = spec_of(
      {.conf = {"tony.ps.instances=1", "tony.ps.allocation-tags=params", "tony.worker.instances=2",
                "tony.worker.allocation-tags=train", "tony.chief.instances=1",
                "tony.application.placement-spec="
                "params=1,notin,node,params:train(2),and(in,node,params:notin,node,train)"}});
  EXPECT_EQ(spec::find_role(spec, "ps")->constraint, "notin,node,params");
  EXPECT_EQ(spec::find_role(spec, "worker")->constraint, "and(in,node,params:notin,node,train)");
  EXPECT_EQ(spec::find_role(spec, "chief")->constraint, "");
}

TEST(Conversion, StartsTensorBoardAsTonyDoes) {
  const std::vector<std::string> conf = {"tony.worker.instances=1",
                                         "tony.application.tensorboard-log-dir=/logs"};
  EXPECT_EQ(spec_of({.conf = conf}).tensorboard->logdir, "/logs");
  EXPECT_EQ(spec_of({.conf = conf}).roles.size(), 1U);
  std::vector<std::string> own = conf;
  own.insert(own.end(), {"tony.tensorboard.command=tb.sh", "tony.tensorboard.memory=3g"});
  const spec::Spec spec = spec_of({.conf = own});
  const spec::Role* const board = spec::find_role(spec, "tensorboard");
  ASSERT_NE(board, nullptr);
  EXPECT_EQ(board->command, "tb.sh");
  EXPECT_EQ(board->vcores, 2U);
  EXPECT_EQ(board->memory, uint64_t{3} << 30);
  EXPECT_EQ(board->failure, spec::Failure::Ignored);
  EXPECT_FALSE(spec.tensorboard.has_value());
  EXPECT_EQ(spec.env.at("TB_LOG_DIR").text, "/logs");
}

TEST(Conversion, NamesValuesOutOfRange) {
  const auto wrong = [](const std::string& setting) {
    const Result<Converted> made = converted({.conf = {"tony.worker.instances=2", setting}});
    return made ? "" : made.error().message;
  };
  EXPECT_THAT(wrong("tony.worker.instances=-1"), HasSubstr("0 to 2147483647, not `-1`"));
  EXPECT_THAT(wrong("tony.worker.vcores=-1"), HasSubstr("0 to 2147483647, not `-1`"));
  EXPECT_THAT(wrong("tony.worker.memory=0"), HasSubstr("must be more than 0"));
  EXPECT_THAT(wrong("tony.application.timeout=2147483648"), HasSubstr("at most 2147483647"));
  EXPECT_THAT(wrong("tony.application.distributed-mode=BSP"), HasSubstr("GANG or FCFS"));
  EXPECT_THAT(wrong("tony.application.framework=standalone"),
              HasSubstr("standalone jobs have one task, and this one has 2"));
  EXPECT_THAT(wrong("tony.application.placement-spec=node"), HasSubstr("TAG=NUMBER,CONSTRAINT"));
}

TEST(Conversion, TakesWhatIsNeitherTrueNorFalseForTheDefaultAsHadoopDoes) {
  const Result<Converted> made =
      converted({.conf = {"tony.worker.instances=1", "tony.docker.enabled=yes",
                          "tony.application.fail-on-worker-failure-enabled=TRUE"}});
  ASSERT_TRUE(made.has_value()) << made.error().message;
  EXPECT_FALSE(made->spec.roles[0].docker.has_value());
  EXPECT_TRUE(made->spec.stop_on_first_failure);
  EXPECT_THAT(made->notes, ::testing::Contains(Note{
                               .name = "tony.docker.enabled",
                               .text = "`yes` is neither true nor false, and counts as false, as "
                                       "in TonY",
                               .kind = Note::Kind::Doubtful}));
}

TEST(Conversion, TakesNoCoresForOne) {
  const Result<Converted> made =
      converted({.conf = {"tony.worker.instances=1", "tony.worker.vcores=0"}});
  ASSERT_TRUE(made.has_value()) << made.error().message;
  EXPECT_EQ(made->spec.roles[0].vcores, 1U);
  EXPECT_THAT(made->notes,
              ::testing::Contains(::testing::Field(&Note::name, "tony.worker.vcores")));
}

TEST(Conversion, TakesNumbersAsTonyDoes) {
  const spec::Spec spec = spec_of({.conf = {"tony.worker.instances=0x2", "tony.worker.memory=3GiB",
                                            "tony.ps.instances=1", "tony.ps.memory=512MB"}});
  EXPECT_EQ(spec::find_role(spec, "worker")->tasks, 2U);
  EXPECT_EQ(spec::find_role(spec, "worker")->memory, uint64_t{3} << 30);
  EXPECT_EQ(spec::find_role(spec, "ps")->memory, uint64_t{512} << 20);
}

TEST(Conversion, SaysWhatWasMeant) {
  const Job job{.conf = {"tony.worker.instances=1", "tony.ps.instances=1",
                         "tony.application.untracked.jobtypes=ps, worke", "tony.worker.memmory=1g",
                         "tony.application.tags=a, b"}};
  EXPECT_THAT(note_of(job, "tony.application.untracked.jobtypes"),
              HasSubstr("\" worke\" is read as worke"));
  EXPECT_THAT(note_of(job, "tony.worker.memmory"), HasSubstr("did you mean tony.worker.memory?"));
  EXPECT_EQ(note_of(job, "tony.application.tags"), "") << "TonY removed these blanks, too";
}

TEST(Conversion, CountsHadoopsOwnSettingsInAFileOfAll) {
  Job job{.conf = {"tony.worker.instances=1"}};
  for (int i = 0; i < 400; ++i) {
    job.conf.push_back(fmt::format("hadoop.key{}=1", i));
  }
  const Result<Converted> made = converted(job);
  ASSERT_TRUE(made.has_value()) << made.error().message;
  EXPECT_THAT(note_of(job, "400 properties without `tony.`"), HasSubstr("not a setting of TonY"));
  EXPECT_EQ(made->notes.size(), 1U);
  EXPECT_THAT(explain(*made), HasSubstr("hadoop.key399 = 1 (-conf)\n  not a setting of TonY"));
}

TEST(Conversion, ExplainsEverySetting) {
  const Result<Converted> made =
      converted({.conf = {"tony.worker.instances=2", "tony.https.port=1", "tony.am.memory=3g"}});
  ASSERT_TRUE(made.has_value()) << made.error().message;
  const std::string text = explain(*made);
  EXPECT_THAT(text, HasSubstr("-executes = train.py (command line)\n  `command`"));
  EXPECT_THAT(text, HasSubstr("tony.worker.instances = 2 (-conf)\n  `roles.worker.tasks`\n"));
  EXPECT_THAT(text, HasSubstr("tony.https.port = 1 (-conf)\n  not needed: "));
  EXPECT_THAT(text, HasSubstr("tony.am.memory = 3g (-conf)\n  has no effect in this job"));
}

TEST(Flags, TakeEverySpellingOfTony) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"-executes", "a b"},
                                                {"--executes", "a b"},
                                                {"--executes=a b"},
                                                {"-executes=a b"},
                                                {"-executes", "\"a b\""}}) {
    const Result<Flags> flags = parse_flags(words);
    ASSERT_TRUE(flags.has_value()) << flags.error().message;
    EXPECT_EQ(flags->executes, "a b");
  }
  const Result<Flags> flags = parse_flags({"-task_params", "--steps=5 --name \"x\"", "job.xml",
                                           "--json", "--on=local", "--set", "a=1", "--set=b=2"});
  ASSERT_TRUE(flags.has_value()) << flags.error().message;
  EXPECT_EQ(flags->task_params, "--steps=5 --name \"x\"");
  EXPECT_EQ(flags->conf_file, "job.xml");
  EXPECT_TRUE(flags->json);
  EXPECT_EQ(flags->on, "local");
  EXPECT_EQ(flags->set, (std::vector<std::string>{"a=1", "b=2"}));
}

TEST(Flags, LeaveTheProgramItsOwn) {
  for (const char* value : {"--quiet", "--set=x", "--on=5"}) {
    const Result<Flags> flags = parse_flags({"-executes", "t.py", "-task_params", value});
    ASSERT_TRUE(flags.has_value()) << flags.error().message;
    EXPECT_EQ(flags->task_params, value);
  }
  EXPECT_THAT(parse_flags({"-task_params", "-executes", "t.py"}).error().message,
              HasSubstr("-task_params needs a value"));
}

TEST(Flags, NameWhatIsWrong) {
  const auto wrong = [](const std::vector<std::string>& words) {
    return parse_flags(words).error().message;
  };
  EXPECT_THAT(wrong({"-src_dri", "a"}), HasSubstr("a flag -src_dri; did you mean -src_dir?"));
  EXPECT_THAT(wrong({"-json"}), HasSubstr("did you mean --json?"));
  EXPECT_THAT(wrong({"-executes", "--json"}), HasSubstr("-executes needs a value"));
  EXPECT_THAT(wrong({"--json=yes"}), HasSubstr("--json takes no value"));
  EXPECT_THAT(wrong({"a.xml", "b.xml"}), HasSubstr("only one file"));
  EXPECT_THAT(wrong({"-executes", "python", "t.py"}),
              HasSubstr("`t.py` does not belong to a flag"));
}

TEST(Properties, ReadsHadoopsXml) {
  const auto read = parse_properties(
      "<?xml version=\"1.0\"?>\n<configuration>\n<property><name> tony.a </name>\n"
      "<value>1 &amp; 2</value></property>\n</configuration>",
      "tony.xml");
  ASSERT_TRUE(read.has_value()) << read.error().message;
  ASSERT_EQ(read->size(), 1U);
  EXPECT_EQ(read->front().name, "tony.a");
  EXPECT_EQ(read->front().value, "1 & 2");
  EXPECT_EQ(read->front().origin, "tony.xml:3");
  EXPECT_THAT(parse_properties("<configuration>\n<property>", "t").error().message,
              HasSubstr("t:2:10: error:"));
  EXPECT_THAT(parse_properties("<x/>", "t").error().message, HasSubstr("<configuration>"));
}

TEST(Properties, AreTextWithCommentsAndFilesInOneAnother) {
  const auto read = parse_properties(
      "<configuration><configuration><property><name>tony.a</name><value>A=1,<!-- B=2, -->"
      "<![CDATA[C=<3>]]></value></property></configuration></configuration>",
      "t");
  ASSERT_TRUE(read.has_value()) << read.error().message;
  ASSERT_EQ(read->size(), 1U);
  EXPECT_EQ(read->front().value, "A=1,C=<3>");
}

TEST(Properties, RefuseWhatCannotBeRead) {
  const auto wrong = [](std::string_view text) {
    return parse_properties(text, "t").error().message;
  };
  EXPECT_THAT(wrong("<!DOCTYPE c [<!ENTITY a SYSTEM \"/etc/passwd\">]>\n<configuration/>"),
              HasSubstr("the entity a is not defined as text in this file"));
  EXPECT_THAT(wrong("<!DOCTYPE c [<!ENTITY % a \"x\">]>\n<configuration/>"),
              HasSubstr("the entity % is not defined as text in this file"));
  EXPECT_THAT(wrong("<!DOCTYPE c [<!ENTITY a \"x\"><!ENTITY b \"&a;&a;\">]>\n<configuration/>"),
              HasSubstr("error: the entity b names another one"));
  std::string many = "<!DOCTYPE c [<!ENTITY a \"" + std::string(10'000, 'a') +
                     "\">]>\n<configuration><property><name>a</name><value>";
  for (int i = 0; i < 200; ++i) {
    many += "&a;";
  }
  EXPECT_THAT(wrong(many + "</value></property></configuration>"), HasSubstr("1 MiB"));
  EXPECT_THAT(wrong("<configuration>\n  <proprety/></configuration>"),
              HasSubstr("t:2:3: error: <proprety> is not <property>"));
  EXPECT_THAT(wrong("<configuration>\n<property><value>1</value></property></configuration>"),
              HasSubstr("t:2:1: error: a <property> without a <name>"));
}

TEST(Properties, MayHaveEntitiesThatTheFileDeclares) {
  const auto read = parse_properties(
      "<!DOCTYPE configuration [\n<!-- where -->\n<!ENTITY base 'hdfs://nn/me'>\n"
      "<!ENTITY pair \"<name>tony.b</name><value>2 &lt; 3</value>\">\n"
      "<!ENTITY base \"the second one counts not\">]>\n"
      "<configuration><property><name>tony.a</name>"
      "<value>&base;/x,&amp;base;,<![CDATA[&base;]]><!-- &base; -->&lt;&other;</value></property>"
      "<property>&pair;</property></configuration>",
      "t");
  ASSERT_TRUE(read.has_value()) << read.error().message;
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ(read->at(0).value, "hdfs://nn/me/x,&base;,&base;<&other;");
  EXPECT_EQ(read->at(1).name + read->at(1).value, "tony.b2 < 3");
}

TEST(Properties, AreReadFromAttributesAndNeedAValue) {
  const auto read = parse_properties(
      "<configuration><property name=\"tony.a\" value=\"1\" final=\"true\"/>"
      "<property><name>tony.b</name></property>"
      "<property><name>tony.c</name><value/></property></configuration>",
      "t");
  ASSERT_TRUE(read.has_value()) << read.error().message;
  ASSERT_EQ(read->size(), 2U) << "Hadoop takes nothing from a property without a value";
  EXPECT_EQ(read->at(0).name + read->at(0).value, "tony.a1");
  EXPECT_TRUE(read->at(0).is_final);
  EXPECT_EQ(read->at(1).name + read->at(1).value, "tony.c");
}

TEST(Properties, AreReadFromIncludedFilesWhereTheseStand) {
  std::map<std::string, std::string> files = {
      {"conf/base.xml", R"(<configuration><include href="deep/more.xml"/>
<property name="tony.a" value="base"/></configuration>)"},
      {"conf/deep/more.xml", R"(<configuration><property name="tony.b" value="more"/>
<xi:include href="/abs.xml"><xi:fallback><property name="tony.c" value="fallback"/></xi:fallback>
</xi:include></configuration>)"}};
  int reads = 0;
  const auto read = [&](const std::string& text) {
    return parse_properties(
        text, "conf/tony.xml", [&](const std::string& path) -> Result<std::string> {
          ++reads;
          const auto found = files.find(path);
          return found == files.end() ? Result<std::string>(user_error("there is no " + path))
                                      : found->second;
        });
  };
  const auto properties =
      read(R"(<configuration><xi:include href="base.xml"/><property name="tony.a" value="own"/>)"
           "</configuration>");
  ASSERT_TRUE(properties.has_value()) << properties.error().message;
  std::vector<std::string> found;
  for (const Property& property : *properties) {
    found.push_back(property.origin + " " + property.name + "=" + property.value);
  }
  EXPECT_EQ(found, (std::vector<std::string>{
                       "conf/deep/more.xml:1 tony.b=more", "conf/deep/more.xml:2 tony.c=fallback",
                       "conf/base.xml:2 tony.a=base", "conf/tony.xml:1 tony.a=own"}));
  EXPECT_THAT(read("<configuration>\n<include href=\"no.xml\"/></configuration>").error().message,
              HasSubstr("conf/tony.xml:2:1: error: <include>: there is no conf/no.xml"));
  EXPECT_THAT(read("<configuration><include/></configuration>").error().message,
              HasSubstr("without an href"));
  // base.xml includes itself twice: without a limit this would never end.
  files["conf/base.xml"] =
      R"(<configuration><include href="base.xml"/><include href="base.xml"/></configuration>)";
  reads = 0;
  EXPECT_THAT(read(R"(<configuration><include href="base.xml"/></configuration>)").error().message,
              HasSubstr("include each other"));
  EXPECT_LE(reads, 64);
}

TEST(Properties, AreLaidByHadoopsRules) {
  Properties properties;
  properties.add({.name = "tony.a", .value = "1", .origin = "tony.xml:1", .is_final = true});
  properties.add({.name = "tony.a", .value = "2", .origin = "tony-site.xml:1"});
  properties.add({.name = "tony.b", .value = "${user.name}-${tony.a}-${no}", .origin = "x"});
  properties.expand({{"user.name", "alice"}});
  EXPECT_EQ(properties.take("tony.a")->value, "1");
  EXPECT_EQ(properties.take("tony.b")->value, "alice-1-${no}");
  properties.set({.name = "tony.a", .value = "3", .origin = "-conf"}, false);
  properties.add({.name = "tony.a", .value = "4", .origin = "tony-site.xml:2"});
  EXPECT_EQ(properties.take("tony.a")->value, "3");
}

TEST(Properties, NameVariablesAsHadoopsDo) {
  const auto expanded = [](std::string text) {
    Properties properties;
    properties.add({.name = "tony.a", .value = "1", .origin = "x"});
    properties.add({.name = "tony.b", .value = std::move(text), .origin = "x"});
    properties.expand({{"env.SET", "s"}, {"env.EMPTY", ""}});
    return properties.take("tony.b")->value;
  };
  EXPECT_EQ(expanded("${env.SET:-o}${env.EMPTY:-o}${env.NO:-o-p}"), "soo-p");
  EXPECT_EQ(expanded("${env.SET-o}${env.EMPTY-p}${env.NO-q}"), "sq");
  EXPECT_EQ(expanded("${A:-${tony.a}}"), "${A:-1}") << "the outer one is the shell's";
  EXPECT_EQ(expanded("${no-one}${tony.a}"), "${no-one}1");
}

TEST(Properties, KnowOldNames) {
  EXPECT_EQ(present_name("tony.application.worker.command"), "tony.worker.command");
  EXPECT_EQ(present_name("tony.docker.image"), "tony.docker.containers.image");
  EXPECT_EQ(present_name("tony.application.name"), "tony.application.name");
}

}  // namespace
}  // namespace muster::tony
