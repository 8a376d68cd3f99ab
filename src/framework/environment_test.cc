#include "framework/environment.h"

#include "framework/address_book.h"
#include "framework/framework.h"
#include "framework/plan.h"
#include "framework/rendezvous.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::framework {
namespace {

using ::testing::HasSubstr;
using Variables = std::map<std::string, std::string>;

spec::Role role(std::string name, uint32_t tasks = 1) {
  spec::Role made;
  made.name = std::move(name);
  made.tasks = tasks;
  made.command = "true";
  return made;
}

job::Plan plan_of(spec::Framework framework, std::vector<spec::Role> roles) {
  spec::Spec spec;
  spec.name = "digits";
  spec.framework = framework;
  spec.roles = std::move(roles);
  return plan(spec, {.job = job::JobId("digits-1")}).value();
}

/// Returns a view in which every task has joined, on 10.0.0.<role>, ports 4000 + index; each
/// container carries what the role asks for.
job::View view_of(const job::Plan& plan) {
  job::View view{.generation = job::Generation(1), .members = {}};
  for (size_t r = 0; r < plan.roles.size(); ++r) {
    const job::RolePlan& one = plan.roles[r];
    for (uint32_t i = 0; i < one.tasks; ++i) {
      job::Member member{.task = {job::RoleIndex(static_cast<uint16_t>(r)), i}, .attempt = 1};
      member.address.host = "10.0.0." + std::to_string(r + 1);
      member.address.port = static_cast<uint16_t>(4000 + i);
      for (const std::string& name : one.ports) {
        member.address.named_ports[name] = static_cast<uint16_t>(5000 + i);
      }
      member.container = job::ContainerId("c" + std::to_string(r) + "." +
                                          std::to_string(i / one.tasks_per_container));
      member.slot = i % one.tasks_per_container;
      view.members.push_back(std::move(member));
    }
  }
  return view;
}

TaskContext context_of(const job::Plan& plan, std::string_view task) {
  return {.task = job::parse_task(plan, task).value(),
          .checkpoint_dir = "/job/ckpt",
          .view_file = "/job/view.json"};
}

Variables set_for(const job::Plan& plan, const job::View& view, std::string_view task) {
  const Result<EnvironmentMap> made = environment(plan, view, context_of(plan, task));
  EXPECT_TRUE(made.has_value()) << (made ? "" : made.error().message);
  return made.value_or(EnvironmentMap{}).set;
}

/// Returns the variables of a task whose names begin with `prefix`.
Variables named(const Variables& all, std::string_view prefix) {
  Variables found;
  for (const auto& [name, value] : all) {
    if (name.starts_with(prefix)) {
      found.emplace(name, value);
    }
  }
  return found;
}

TEST(Environment, OfAGenericTaskIsExactlyThis) {
  spec::Role worker = role("worker", 2);
  worker.ports = {"http", "x-ray"};
  worker.vcores = 3;
  const job::Plan plan = plan_of(spec::Framework::Generic, {worker, role("db")});
  job::View view = view_of(plan);
  view.generation = job::Generation(3);
  view.members[1].attempt = 2;
  const Result<EnvironmentMap> made = environment(plan, view, context_of(plan, "worker:1"));
  ASSERT_TRUE(made.has_value());
  const Variables expected = {
      {"MUSTER_JOB_ID", "digits-1"},
      {"MUSTER_ROLE", "worker"},
      {"MUSTER_INDEX", "1"},
      {"MUSTER_ATTEMPT", "2"},
      {"MUSTER_RESTARTS", "1"},
      {"MUSTER_GENERATION", "3"},
      {"MUSTER_CHECKPOINT_DIR", "/job/ckpt"},
      {"MUSTER_PORT", "4001"},
      {"MUSTER_PORT_HTTP", "5001"},
      {"MUSTER_PORT_X_RAY", "5001"},
      {"MUSTER_PORT_TENSORBOARD", "5001"},
      {"MUSTER_VIEW_FILE", "/job/view.json"},
      {"MUSTER_VIEW", R"({"worker":["10.0.0.1:4000","10.0.0.1:4001"],"db":["10.0.0.2:4000"]})"},
      {"JOB_NAME", "worker"},
      {"TASK_INDEX", "1"},
      {"TASK_NUM", "3"},
      {"JOB_ID", "digits-1"},
      {"appid", "digits-1"},
      {"SESSION_ID", "0"},
      {"ATTEMPT_NUMBER", "0"},
      {"DISTRIBUTED_MODE", "GANG"},
      {"NUM_AM_RETRIES", "2"},
      {"CLUSTER_SPEC", R"({"worker":["10.0.0.1:4000","10.0.0.1:4001"],"db":["10.0.0.2:4000"]})"},
      {"CUDA_VISIBLE_DEVICES", "-1"},
      {"HIP_VISIBLE_DEVICES", "-1"},
  };
  EXPECT_EQ(made->set, expected);
  EXPECT_EQ(made->defaults, (Variables{{"OMP_NUM_THREADS", "3"}}));
}

TEST(Environment, MarksTheChiefAlone) {
  const job::Plan plan = plan_of(spec::Framework::Generic, {role("worker", 2)});
  const job::View view = view_of(plan);
  EXPECT_EQ(set_for(plan, view, "worker:0").at("IS_CHIEF"), "true");
  EXPECT_EQ(set_for(plan, view, "worker:0").at("TB_PORT"), "5000");
  EXPECT_FALSE(set_for(plan, view, "worker:1").contains("IS_CHIEF"));
  EXPECT_FALSE(set_for(plan, view, "worker:1").contains("TB_PORT"));
}

TEST(Environment, NamesTheApplicationOfTheCluster) {
  const job::Plan plan = plan_of(spec::Framework::Generic, {role("worker")});
  TaskContext context = context_of(plan, "worker:0");
  context.application_id = "application_1_0001";
  const EnvironmentMap made = environment(plan, view_of(plan), context).value();
  EXPECT_EQ(made.defaults.at("JOB_ID"), "application_1_0001") << "alone, the user's own win";
  EXPECT_EQ(made.defaults.at("appid"), "application_1_0001");
  EXPECT_EQ(made.set.at("MUSTER_JOB_ID"), "digits-1");
}

TEST(Environment, KnowsTheNamesOfTonY) {
  const job::Plan plan = plan_of(spec::Framework::Generic, {role("worker")});
  job::View view = view_of(plan);
  view.generation = job::Generation(2);
  for (const auto& [name, value] :
       environment(plan, view, context_of(plan, "worker:0")).value().defaults) {
    EXPECT_EQ(is_tony_variable(name), name != "OMP_NUM_THREADS") << name;
  }
}

TEST(Environment, ShowsTheGpusThatWereGiven) {
  spec::Role worker = role("worker", 2);
  worker.gpus = 1;
  const auto devices = [&](spec::Framework framework) {
    const job::Plan plan = plan_of(framework, {worker});
    TaskContext context = context_of(plan, "worker:1");
    context.gpus = {3};
    context.container_gpus = {2, 3};
    return environment(plan, view_of(plan), context).value().set.at("CUDA_VISIBLE_DEVICES");
  };
  EXPECT_EQ(devices(spec::Framework::Tensorflow), "3");
  EXPECT_EQ(devices(spec::Framework::Pytorch), "2,3");
}

TEST(Environment, SharesTheMachinesCoresWhereNobodySaidHowMany) {
  spec::Role eval = role("eval", 2);
  eval.after = {{"worker", spec::Condition::Ended}};
  const job::Plan plan = plan_of(spec::Framework::Generic, {role("worker", 3), role("ps"), eval});
  const auto threads = [&](std::string_view task, uint32_t cores) {
    TaskContext context = context_of(plan, task);
    context.cores = cores;
    return environment(plan, view_of(plan), context).value().defaults.at("OMP_NUM_THREADS");
  };
  EXPECT_EQ(threads("worker:0", 64), "16");
  EXPECT_EQ(threads("ps:0", 64), "16");
  EXPECT_EQ(threads("eval:0", 64), "32");
  EXPECT_EQ(threads("worker:2", 2), "1");
}

TEST(Environment, LeavesSharedGpusAsTheyAre) {
  const auto hides = [](const std::vector<spec::Role>& roles, std::string_view task) {
    spec::Spec spec;
    spec.name = "digits";
    spec.command = "true";
    spec.roles = roles;
    spec.local.share_gpus = true;
    const job::Plan plan =
        framework::plan(spec, {.job = job::JobId{"digits-1"}, .seed = 7}).value();
    return set_for(plan, view_of(plan), task).contains("CUDA_VISIBLE_DEVICES");
  };
  spec::Role refuses = role("worker");
  refuses.gpus = 0;
  EXPECT_FALSE(hides({role("worker", 2)}, "worker:1"));
  EXPECT_TRUE(hides({refuses}, "worker:0"));
  spec::Role asks = role("train");
  asks.gpus = 1;
  EXPECT_TRUE(hides({asks, role("ps")}, "ps:0")) << "what one role claims, another does not see";
}

TEST(Environment, CountsLocalRanksOverAMachineWhoseGpusAreShared) {
  spec::Spec spec;
  spec.name = "digits";
  spec.command = "true";
  spec.framework = spec::Framework::Pytorch;
  spec.roles = {role("worker", 4)};
  spec.local.share_gpus = true;
  const job::Plan plan = framework::plan(spec, {.job = job::JobId{"digits-1"}, .seed = 7}).value();
  const Variables set = set_for(plan, view_of(plan), "worker:2");
  EXPECT_EQ(set.at("LOCAL_RANK"), "2");
  EXPECT_EQ(set.at("LOCAL_WORLD_SIZE"), "4");
  EXPECT_EQ(set.at("GROUP_RANK"), "0");
  EXPECT_EQ(set.at("GROUP_WORLD_SIZE"), "1");
}

TEST(Environment, LeavesALongViewToItsFile) {
  const job::Plan plan = plan_of(spec::Framework::Generic, {role("worker", 7000)});
  const job::View view = view_of(plan);
  const Variables set = set_for(plan, view, "worker:6999");
  EXPECT_GT(view_json(plan, view).size(), kInlineBytesMax);
  EXPECT_FALSE(set.contains("MUSTER_VIEW"));
  EXPECT_FALSE(set.contains("CLUSTER_SPEC"));
  EXPECT_EQ(set.at("MUSTER_VIEW_FILE"), "/job/view.json");
}

TEST(Environment, SaysSoWhenAVariableGrowsTooLong) {
  const job::Plan plan = plan_of(spec::Framework::Tensorflow, {role("worker", 4000)});
  job::View view = view_of(plan);
  for (job::Member& member : view.members) {
    member.address.host = "a-rather-long-name-of-a-host.in.a.long.domain.example.org";
  }
  const Result<EnvironmentMap> made = environment(plan, view, context_of(plan, "worker:0"));
  ASSERT_FALSE(made.has_value());
  EXPECT_THAT(made.error().message, HasSubstr("TF_CONFIG would be 260070 bytes long"));
}

TEST(Environment, ReportsATaskThatTheViewDoesNotList) {
  const job::Plan plan = plan_of(spec::Framework::Generic, {role("worker", 2)});
  job::View view = view_of(plan);
  view.members.pop_back();
  const Result<EnvironmentMap> made = environment(plan, view, context_of(plan, "worker:1"));
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().blame, Blame::Muster);
}

TEST(Environment, KeepsThePortFromTheChiefWhereTensorBoardRunsBesideIt) {
  job::Plan plan = plan_of(spec::Framework::Tensorflow, {role("worker", 2)});
  plan.spec.tensorboard = spec::Tensorboard{.logdir = "/logs"};
  const Variables set = set_for(plan, view_of(plan), "worker:0");
  EXPECT_FALSE(set.contains("TB_PORT"));
  EXPECT_EQ(set.at("TB_LOG_DIR"), "/logs");
}

TEST(Mxnet, HasWhatItsParameterServerReads) {
  const job::Plan plan = plan_of(spec::Framework::Mxnet, {role("worker", 3), role("server", 2),
                                                          role("scheduler"), role("evaluator")});
  const job::View view = view_of(plan);
  for (const auto& [task, part] :
       {std::pair("worker:1", "worker"), {"server:0", "server"}, {"scheduler:0", "scheduler"}}) {
    const Variables set = set_for(plan, view, task);
    EXPECT_EQ(set.at("DMLC_ROLE"), part);
    EXPECT_EQ(set.at("DMLC_PS_ROOT_URI"), "10.0.0.3");
    EXPECT_EQ(set.at("DMLC_PS_ROOT_PORT"), "4000");
    EXPECT_EQ(set.at("DMLC_LOCAL"), "0");
    EXPECT_EQ(set.at("DMLC_NUM_SERVER"), "2");
    EXPECT_EQ(set.at("DMLC_NUM_WORKER"), "3");
    EXPECT_EQ(set.at("TASK_NUM"), "3");
  }
  EXPECT_FALSE(set_for(plan, view, "evaluator:0").contains("DMLC_ROLE"));
}

TEST(Tensorflow, HasTheClusterInTfConfig) {
  const job::Plan plan = plan_of(
      spec::Framework::Tensorflow,
      {role("chief"), role("worker", 2), role("ps"), role("evaluator"), role("tensorboard")});
  const job::View view = view_of(plan);
  EXPECT_EQ(set_for(plan, view, "worker:1").at("TF_CONFIG"),
            R"({"cluster":{"chief":["10.0.0.1:4000"],"worker":["10.0.0.2:4000","10.0.0.2:4001"],)"
            R"("ps":["10.0.0.3:4000"]},"task":{"type":"worker","index":1}})");
  EXPECT_EQ(set_for(plan, view, "evaluator:0").at("TF_CONFIG"),
            R"({"cluster":{"chief":["10.0.0.1:4000"],"worker":["10.0.0.2:4000","10.0.0.2:4001"],)"
            R"("ps":["10.0.0.3:4000"],"evaluator":["10.0.0.4:4000"]},)"
            R"("task":{"type":"evaluator","index":0}})");
  EXPECT_EQ(set_for(plan, view, "worker:0").at("TASK_NUM"), "3");
  EXPECT_EQ(set_for(plan, view, "tensorboard:0").at("TB_PORT"), "5000");
  EXPECT_FALSE(set_for(plan, view, "chief:0").contains("TB_PORT"));
}

TEST(Tensorflow, KeepsIndicesWhenAPeerHasEnded) {
  const job::Plan plan = plan_of(spec::Framework::Tensorflow, {role("worker", 3), role("ps")});
  job::View view = view_of(plan);
  view.members.erase(view.members.begin() + 1);
  EXPECT_EQ(set_for(plan, view, "worker:2").at("TF_CONFIG"),
            R"({"cluster":{"worker":{"0":"10.0.0.1:4000","2":"10.0.0.1:4002"},)"
            R"("ps":["10.0.0.2:4000"]},"task":{"type":"worker","index":2}})");
  EXPECT_EQ(set_for(plan, view, "worker:2").at("MUSTER_VIEW"),
            R"({"worker":["10.0.0.1:4000",null,"10.0.0.1:4002"],"ps":["10.0.0.2:4000"]})");
}

TEST(Tensorflow, CountsTheMembersOfAGangThatMayBeSmaller) {
  job::Plan plan = plan_of(spec::Framework::Tensorflow, {role("worker", 3)});
  plan.roles[0].tasks_min = 1;
  job::View view = view_of(plan);
  view.members.erase(view.members.begin() + 1);
  EXPECT_EQ(set_for(plan, view, "worker:2").at("TF_CONFIG"),
            R"({"cluster":{"worker":["10.0.0.1:4000","10.0.0.1:4002"]},)"
            R"("task":{"type":"worker","index":1}})");
}

TEST(Tensorflow, KeepsIndicesWhereTasksStartOneByOne) {
  job::Plan plan = plan_of(spec::Framework::Tensorflow, {role("worker", 3)});
  plan.roles[0].tasks_min = 1;
  plan.barrier = spec::Barrier::AsGranted;
  job::View view = view_of(plan);
  view.members.erase(view.members.begin() + 1);
  // worker:1 may still come, and nobody is restarted for it.
  EXPECT_EQ(set_for(plan, view, "worker:2").at("TF_CONFIG"),
            R"({"cluster":{"worker":{"0":"10.0.0.1:4000","2":"10.0.0.1:4002"}},)"
            R"("task":{"type":"worker","index":2}})");
}

TEST(Tensorflow, HasNoClusterBeforeEverybodyJoined) {
  job::Plan plan = plan_of(spec::Framework::Tensorflow, {role("worker", 2)});
  plan.barrier = spec::Barrier::AsGranted;
  job::View view = view_of(plan);
  view.members.pop_back();
  const Variables set = set_for(plan, view, "worker:0");
  EXPECT_FALSE(set.contains("TF_CONFIG"));
  EXPECT_FALSE(set.contains("CLUSTER_SPEC"));
  EXPECT_EQ(set.at("DISTRIBUTED_MODE"), "FCFS");
}

TEST(Pytorch, HasWhatTorchrunSets) {
  spec::Role worker = role("worker", 4);
  worker.tasks_per_container = 2;
  spec::Role chief = role("chief");
  spec::Role logger = role("logger");
  logger.success = spec::Success::Ignored;
  const job::Plan plan = plan_of(spec::Framework::Pytorch, {worker, chief, logger});
  job::View view = view_of(plan);
  view.generation = job::Generation(2);
  const Variables set = set_for(plan, view, "worker:2");
  const Variables expected = {
      {"MASTER_ADDR", "10.0.0.2"},
      {"MASTER_PORT", "4000"},
      {"INIT_METHOD", "tcp://10.0.0.2:4000"},
      {"WORLD_SIZE", "5"},
      {"WORLD", "5"},
      {"RANK", "3"},
      {"LOCAL_RANK", "0"},
      {"LOCAL_WORLD_SIZE", "2"},
      {"GROUP_RANK", "2"},
      {"GROUP_WORLD_SIZE", "3"},
      {"LOCAL_SIZE", "2"},
      {"CROSS_RANK", "2"},
      {"CROSS_SIZE", "3"},
      {"ROLE_NAME", "worker"},
      {"ROLE_RANK", "2"},
      {"ROLE_WORLD_SIZE", "4"},
      {"TORCHELASTIC_RUN_ID", "digits-1"},
      {"TORCHELASTIC_RESTART_COUNT", "1"},
      {"TORCHELASTIC_MAX_RESTARTS", "9"},
      {"TORCHELASTIC_USE_AGENT_STORE", "False"},
  };
  for (const auto& [name, value] : expected) {
    EXPECT_EQ(set.at(name), value) << name;
  }
  EXPECT_EQ(set_for(plan, view, "worker:3").at("LOCAL_RANK"), "1");
  EXPECT_EQ(set_for(plan, view, "chief:0").at("RANK"), "0");
  EXPECT_EQ(set_for(plan, view, "chief:0").at("LOCAL_WORLD_SIZE"), "1");
  EXPECT_FALSE(set_for(plan, view, "logger:0").contains("RANK"));
  EXPECT_EQ(set_for(plan, view, "logger:0").at("WORLD_SIZE"), "5");
}

TEST(Pytorch, MakesATorchrunInsideATaskANodeOfAll) {
  spec::Role worker = role("worker", 2);
  worker.gpus = 4;
  spec::Role logger = role("logger");
  logger.success = spec::Success::Ignored;
  const job::Plan plan = plan_of(spec::Framework::Pytorch, {worker, logger});
  const job::View view = view_of(plan);
  const auto defaults = [&](std::string_view task) {
    return environment(plan, view, context_of(plan, task)).value().defaults;
  };
  EXPECT_EQ(named(defaults("worker:1"), "PET_"), (Variables{{"PET_NNODES", "2"},
                                                            {"PET_NODE_RANK", "1"},
                                                            {"PET_MASTER_ADDR", "10.0.0.1"},
                                                            {"PET_MASTER_PORT", "4000"},
                                                            {"PET_RDZV_ID", "digits-1"},
                                                            {"PET_NPROC_PER_NODE", "4"}}));
  EXPECT_EQ(defaults("worker:1").at("TORCH_NCCL_ASYNC_ERROR_HANDLING"), "1");
  EXPECT_TRUE(named(defaults("logger:0"), "PET_").empty());
  const job::Plan plain = plan_of(spec::Framework::Pytorch, {role("worker")});
  const Variables without =
      environment(plain, view_of(plain), context_of(plain, "worker:0")).value().defaults;
  EXPECT_FALSE(without.contains("PET_NPROC_PER_NODE")) << "torchrun's own default holds";
}

TEST(Pytorch, WritesAnIpv6LiteralAsUrl) {
  const job::Plan plan = plan_of(spec::Framework::Pytorch, {role("worker")});
  job::View view = view_of(plan);
  view.members[0].address.host = "fd00::1";
  const Variables set = set_for(plan, view, "worker:0");
  EXPECT_EQ(set.at("MASTER_ADDR"), "fd00::1");
  EXPECT_EQ(set.at("INIT_METHOD"), "tcp://[fd00::1]:4000");
  EXPECT_EQ(set.at("MUSTER_VIEW"), R"({"worker":["[fd00::1]:4000"]})");
}

TEST(Jax, HasTheCoordinatorAndItsPlace) {
  const job::Plan plan = plan_of(spec::Framework::Jax, {role("worker", 2)});
  const Variables set = set_for(plan, view_of(plan), "worker:1");
  EXPECT_EQ(set.at("JAX_COORDINATOR_ADDRESS"), "10.0.0.1:4000");
  EXPECT_EQ(set.at("JAX_NUM_PROCESSES"), "2");
  EXPECT_EQ(set.at("JAX_PROCESS_ID"), "1");
  EXPECT_EQ(set.at("OMPI_MCA_orte_hnp_uri"), "0.0;tcp://10.0.0.1:4000");
  EXPECT_EQ(set.at("OMPI_COMM_WORLD_SIZE"), "2");
  EXPECT_EQ(set.at("OMPI_COMM_WORLD_RANK"), "1");
  EXPECT_TRUE(set.contains("OMPI_COMM_WORLD_LOCAL_RANK"));
  EXPECT_FALSE(set.contains("JAX_LOCAL_DEVICE_IDS"));
  EXPECT_FALSE(set.contains("TF_CONFIG"));
  EXPECT_FALSE(set.contains("RANK"));
}

TEST(Standalone, KnowsNoPeersBySpecialNames) {
  const job::Plan plan = plan_of(spec::Framework::Standalone, {role("worker", 2)});
  const Variables set = set_for(plan, view_of(plan), "worker:0");
  EXPECT_FALSE(set.contains("CLUSTER_SPEC"));
  EXPECT_FALSE(set.contains("TB_PORT"));
  EXPECT_EQ(set.at("IS_CHIEF"), "true");
}

TEST(Horovod, DealsRanksByContainersAndNamesItsRendezvous) {
  spec::Role worker = role("worker", 5);
  worker.tasks_per_container = 2;
  const job::Plan plan = plan_of(spec::Framework::Horovod, {worker, role("evaluator")});
  const job::View view = view_of(plan);
  TaskContext context = context_of(plan, "worker:3");
  context.interface = "eth0";
  const EnvironmentMap made = environment(plan, view, context).value();
  EXPECT_EQ(named(made.set, "HOROVOD_"), (Variables{{"HOROVOD_RANK", "3"},
                                                    {"HOROVOD_SIZE", "5"},
                                                    {"HOROVOD_LOCAL_RANK", "1"},
                                                    {"HOROVOD_LOCAL_SIZE", "2"},
                                                    {"HOROVOD_CROSS_RANK", "1"},
                                                    {"HOROVOD_CROSS_SIZE", "2"},
                                                    {"HOROVOD_HOSTNAME", "10.0.0.1-1"},
                                                    {"HOROVOD_CONTROLLER", "gloo"},
                                                    {"HOROVOD_CPU_OPERATIONS", "gloo"},
                                                    {"HOROVOD_GLOO_RENDEZVOUS_ADDR", "10.0.0.1"},
                                                    {"HOROVOD_GLOO_RENDEZVOUS_PORT", "5000"},
                                                    {"HOROVOD_GLOO_IFACE", "eth0"}}));
  EXPECT_EQ(made.defaults.at("HOROVOD_GLOO_TIMEOUT_SECONDS"), "300");
  const Variables last = set_for(plan, view, "worker:4");
  EXPECT_EQ(last.at("HOROVOD_LOCAL_SIZE"), "1");
  EXPECT_EQ(last.at("HOROVOD_CROSS_RANK"), "2");
  EXPECT_EQ(last.at("HOROVOD_CROSS_SIZE"), "3");
  EXPECT_TRUE(named(set_for(plan, view, "evaluator:0"), "HOROVOD_").empty());
}

TEST(Horovod, IsServedBesideRankZeroAlone) {
  const job::Plan plan = plan_of(spec::Framework::Horovod, {role("worker", 2), role("chief")});
  const job::View view = view_of(plan);
  const auto serves = [&](std::string_view task) {
    return serves_rendezvous(plan, view, job::parse_task(plan, task).value());
  };
  EXPECT_TRUE(serves("chief:0")) << "the chief is rank 0";
  EXPECT_FALSE(serves("worker:0"));
  const job::Plan other = plan_of(spec::Framework::Pytorch, {role("worker", 2)});
  EXPECT_FALSE(
      serves_rendezvous(other, view_of(other), job::parse_task(other, "worker:0").value()));
}

TEST(ViewVariables, AreFilledInFromTheView) {
  spec::Spec spec;
  spec.name = "digits";
  spec.framework = spec::Framework::Pytorch;
  spec.roles = {role("worker", 3), role("hub")};
  spec.roles[1].ports = {"http"};
  spec.roles[1].success = spec::Success::Ignored;
  spec.roles[1].variables = {{"V_WHO", "hub {index}"}};
  spec.roles[0].env["V_SHADOWED"] = {.source = spec::EnvValue::Source::Literal, .text = "mine"};
  spec.variables = {{"V_HUB", "tcp://{hub.0.address}/{hub.0.ports.http}"},
                    {"V_ALL", "{worker.count}: {worker.addresses} on {worker.hosts}"},
                    {"V_RANKS", "{ranks.1.port} of {ranks.count}"},
                    {"V_SELF", "{role} {index} {host} {port} {address}"},
                    {"V_RANK",
                     "{rank}/{world_size} {local_rank}/{local_size} "
                     "{cross_rank}/{cross_size}"},
                    {"V_JOB", "{{{job} {generation} {program}}}"},
                    {"V_NEEDS", "{worker.min} on {interface}"},
                    {"V_WHO", "nobody"},
                    {"V_SHADOWED", "{rank}"}};
  const job::Plan plan = framework::plan(spec, {.job = job::JobId("digits-1")}).value();
  const job::View view = view_of(plan);
  TaskContext context = context_of(plan, "worker:2");
  context.program = "/opt/muster";
  context.interface = "eth0";
  EXPECT_EQ(named(environment(plan, view, context).value().set, "V_"),
            (Variables{{"V_HUB", "tcp://10.0.0.2:4000/5000"},
                       {"V_ALL",
                        "3: 10.0.0.1:4000,10.0.0.1:4001,10.0.0.1:4002 on "
                        "10.0.0.1,10.0.0.1,10.0.0.1"},
                       {"V_RANKS", "4001 of 3"},
                       {"V_SELF", "worker 2 10.0.0.1 4002 10.0.0.1:4002"},
                       {"V_RANK", "2/3 0/1 2/3"},
                       {"V_JOB", "{digits-1 1 /opt/muster}"},
                       {"V_NEEDS", "3 on eth0"},
                       {"V_WHO", "nobody"}}));
  const Variables hub = named(set_for(plan, view, "hub:0"), "V_");
  EXPECT_EQ(hub.at("V_WHO"), "hub 0") << "the role's own wins";
  EXPECT_FALSE(hub.contains("V_RANK")) << "it has no rank";
  EXPECT_FALSE(hub.contains("V_SHADOWED"));
}

TEST(ViewVariables, NameNobodyWhoIsAway) {
  spec::Spec spec;
  spec.name = "digits";
  spec.roles = {role("worker", 2)};
  spec.variables = {{"V_OTHER", "{worker.1.host}"}, {"V_COUNT", "{worker.count}"}};
  const job::Plan plan = framework::plan(spec, {.job = job::JobId("digits-1")}).value();
  job::View view = view_of(plan);
  view.members.pop_back();
  EXPECT_EQ(named(set_for(plan, view, "worker:0"), "V_"), (Variables{{"V_COUNT", "1"}}));
}

TEST(PythonModule, IsWhatProgramsImport) {
  const auto of = [](spec::Framework framework, std::string module = "") {
    spec::Spec spec;
    spec.framework = framework;
    spec.runtime.module = std::move(module);
    return std::string(python_module(spec));
  };
  EXPECT_EQ(of(spec::Framework::Tensorflow), "tensorflow");
  EXPECT_EQ(of(spec::Framework::Pytorch), "torch");
  EXPECT_EQ(of(spec::Framework::Horovod), "horovod");
  EXPECT_EQ(of(spec::Framework::Generic), "");
  EXPECT_EQ(of(spec::Framework::Generic, "ray"), "ray");
}

}  // namespace
}  // namespace muster::framework
