#include "agent/attempt/task_environment.h"

#include "control/keys.h"
#include "framework/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace muster::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class MakeEnvironment : public ::testing::Test {
 protected:
  MakeEnvironment() {
    spec::Role role;
    role.name = "worker";
    role.command = "true";
    spec_.name = "digits";
    spec_.roles = {role};
    view_.generation = job::Generation(1);
    view_.members.push_back({.task = {job::RoleIndex{0}, 0}, .attempt = 1});
    view_.members.back().address = {.host = "10.0.0.1", .port = 4000, .named_ports = {}};
    sources_.order.attempt = {{job::RoleIndex{0}, 0}, 1};
    sources_.order.restarts = 2;
    sources_.work_folder = "/job/attempts/worker-0.1";
    sources_.checkpoint_folder = "/job/ckpt";
    sources_.view_file = "/job/view.json";
  }

  Result<TaskEnvironment> make() {
    plan_ = framework::plan(spec_, {.job = job::JobId("digits-1")}).value();
    sources_.plan = &plan_;
    sources_.view = &view_;
    sources_.inherited = &inherited_;
    sources_.secrets = &secrets_;
    return make_environment(sources_);
  }
  Variables variables() {
    const auto made = make();
    EXPECT_TRUE(made.has_value());
    return made.has_value() ? made->variables : Variables{};
  }

  spec::Spec spec_;
  job::Plan plan_;
  job::View view_;
  Variables inherited_{{"PATH", "/usr/bin"}};
  Variables secrets_;
  EnvironmentSources sources_;
};

TEST_F(MakeEnvironment, TellsATaskWhereItIs) {
  const Variables made = variables();
  EXPECT_EQ(made.at("PWD"), "/job/attempts/worker-0.1");
  EXPECT_EQ(made.at("MUSTER_CHECKPOINT_DIR"), "/job/ckpt");
  EXPECT_THAT(made.at("MUSTER_VIEW"), HasSubstr("10.0.0.1:4000"));
  EXPECT_EQ(made.at("MUSTER_RESTARTS"), "2");
  EXPECT_EQ(made.at("PATH"), "/usr/bin");
  EXPECT_FALSE(made.contains("MUSTER_COMMIT_DIR"));
  EXPECT_FALSE(made.contains("MUSTER_TASK_KEY"));
  EXPECT_FALSE(made.contains("CLASSPATH"));
  EXPECT_THAT(make()->view_text, HasSubstr("10.0.0.1"));
}

TEST_F(MakeEnvironment, HidesTheNamesOfAnOuterJob) {
  inherited_["MUSTER_JOB_ID"] = "outer-1";
  inherited_["MUSTER_SOMETHING"] = "x";
  inherited_["MUSTER_HOME"] = "/home/alice/.muster";
  inherited_["HTTP_PROXY"] = "proxy";
  inherited_["JOB_NAME"] = "ps";
  const Variables made = variables();
  EXPECT_EQ(made.at("MUSTER_JOB_ID"), "digits-1");
  EXPECT_FALSE(made.contains("MUSTER_SOMETHING"));
  EXPECT_EQ(made.at("MUSTER_HOME"), "/home/alice/.muster");
  EXPECT_EQ(made.at("HTTP_PROXY"), "proxy");
  EXPECT_EQ(made.at("JOB_NAME"), "worker");
}

TEST_F(MakeEnvironment, LeavesATaskThatIsAloneWhatItsClientHad) {
  inherited_["JOB_NAME"] = "nightly";  // Set by Jenkins.
  EXPECT_EQ(variables().at("JOB_NAME"), "nightly");
  EXPECT_EQ(variables().at("TASK_INDEX"), "0");
  spec_.roles[0].tasks = 2;
  view_.members.push_back({.task = {job::RoleIndex{0}, 1}, .attempt = 1});
  EXPECT_EQ(variables().at("JOB_NAME"), "worker") << "they must know who is who";
}

TEST_F(MakeEnvironment, TakesHadoopsOwnSettingAwayOnYarnAlone) {
  inherited_["MALLOC_ARENA_MAX"] = "4";
  EXPECT_TRUE(variables().contains("MALLOC_ARENA_MAX"));
  inherited_[kApplicationId] = "application_1_0001";
  EXPECT_FALSE(variables().contains("MALLOC_ARENA_MAX"));
}

TEST_F(MakeEnvironment, PutsPythonFirstAndTheProgramLast) {
  sources_.python_folder = "/env/bin";
  sources_.program_folder = "/muster/bin";
  sources_.commit_folder = "/job/requests";
  sources_.class_path = "/hadoop/*";
  const Variables made = variables();
  EXPECT_EQ(made.at("PATH"), "/env/bin:/usr/bin:/muster/bin");
  EXPECT_EQ(made.at("MUSTER_COMMIT_DIR"), "/job/requests");
  EXPECT_EQ(made.at("CLASSPATH"), "/hadoop/*");
  inherited_.clear();
  EXPECT_EQ(variables().at("PATH"), "/env/bin:/muster/bin");
}

TEST_F(MakeEnvironment, LetsTheUserOverrideAllButMustersOwnNames) {
  inherited_["LANG"] = "C";
  spec_.env["LANG"] = {.source = spec::EnvValue::Source::Literal, .text = "de"};
  spec_.env["MUSTER_ROLE"] = {.source = spec::EnvValue::Source::Literal, .text = "boss"};
  spec_.roles[0].env["OWN"] = {.source = spec::EnvValue::Source::Literal, .text = "1"};
  const Variables made = variables();
  EXPECT_EQ(made.at("LANG"), "de");
  EXPECT_EQ(made.at("MUSTER_ROLE"), "worker");
  EXPECT_EQ(made.at("OWN"), "1");
}

TEST_F(MakeEnvironment, TakesSecretsFromWhereTheyWereSet) {
  spec_.env["TOP"] = {.source = spec::EnvValue::Source::FromEnv, .text = "TOP"};
  spec_.roles[0].env["OWN"] = {.source = spec::EnvValue::Source::FromEnv, .text = "OWN"};
  secrets_["env.TOP"] = "a";
  const auto incomplete = make();
  ASSERT_FALSE(incomplete.has_value());
  EXPECT_THAT(incomplete.error().message, HasSubstr("OWN"));
  secrets_["roles.worker.env.OWN"] = "b";
  secrets_[std::string(control::kTaskKeySecret)] = "key";
  const Variables made = variables();
  EXPECT_EQ(made.at("TOP"), "a");
  EXPECT_EQ(made.at("OWN"), "b");
  EXPECT_EQ(made.at("MUSTER_TASK_KEY"), "key");
}

TEST(GpusOfSlot, AreTheContainersInTurn) {
  const std::vector<uint32_t> all{4, 5, 6, 7};
  EXPECT_THAT(gpus_of_slot(all, 0, 2), ElementsAre(4, 5));
  EXPECT_THAT(gpus_of_slot(all, 1, 2), ElementsAre(6, 7));
  EXPECT_THAT(gpus_of_slot(all, 1, 3), ElementsAre(7)) << "there are no more";
  EXPECT_THAT(gpus_of_slot(all, 2, 2), IsEmpty());
  EXPECT_THAT(gpus_of_slot(all, 1, 0), IsEmpty());
}

}  // namespace
}  // namespace muster::agent
