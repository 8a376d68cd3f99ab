#include "client/submit/tracking_variables.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::client {
namespace {

using spec::EnvValue;

spec::Environment brought(std::map<std::string, std::string, std::less<>> environment,
                          spec::Environment own = {}) {
  spec::Spec spec;
  spec.env = std::move(own);
  bring_tracking_variables(spec, {.environment = std::move(environment)});
  return spec.env;
}

TEST(TrackingVariables, GoWithTheJob) {
  const spec::Environment env = brought({{"MLFLOW_TRACKING_URI", "http://mlflow:5000"},
                                         {"MLFLOW_EXPERIMENT_NAME", "digits"},
                                         {"MLFLOW_TRACKING_TOKEN", "hush"},
                                         {"OTHER", "x"}});
  EXPECT_EQ(env,
            (spec::Environment{
                {"MLFLOW_TRACKING_URI", {EnvValue::Source::Literal, "http://mlflow:5000"}},
                {"MLFLOW_EXPERIMENT_NAME", {EnvValue::Source::Literal, "digits"}},
                {"MLFLOW_TRACKING_TOKEN", {EnvValue::Source::FromEnv, "MLFLOW_TRACKING_TOKEN"}}}));
}

TEST(TrackingVariables, AnAddressWithALoginIsASecret) {
  const spec::Environment env = brought({{"MLFLOW_TRACKING_URI", "https://ada:pw@mlflow/"}});
  EXPECT_EQ(env.at("MLFLOW_TRACKING_URI").source, EnvValue::Source::FromEnv);
}

TEST(TrackingVariables, WhatTheJobSaysWinsAndOnlyServersCount) {
  const spec::Environment own = {{"MLFLOW_TRACKING_URI", {EnvValue::Source::Literal, ""}}};
  EXPECT_EQ(brought({{"MLFLOW_TRACKING_URI", "http://a"}, {"MLFLOW_EXPERIMENT_NAME", "b"}}, own),
            own);
  EXPECT_TRUE(brought({{"MLFLOW_TRACKING_URI", "sqlite:///x.db"}}).empty());
  EXPECT_TRUE(brought({{"MLFLOW_EXPERIMENT_NAME", "b"}}).empty());
}

}  // namespace
}  // namespace muster::client
