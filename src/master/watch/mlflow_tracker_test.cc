// Which server a job's variables name. test/local/test_mlflow.py tests the calls to one.
#include "master/watch/mlflow_tracker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

namespace muster::master {
namespace {

using ::testing::StartsWith;
using Variables = std::map<std::string, std::string>;

MlflowSettings settings_of(const Variables& variables) {
  const auto read = mlflow_settings(variables);
  EXPECT_TRUE(read.has_value() && read->has_value());
  return read.has_value() && read->has_value() ? **read : MlflowSettings{};
}

TEST(MlflowSettings, AreNoneWithoutAnAddress) {
  EXPECT_EQ(*mlflow_settings({}), std::nullopt);
  EXPECT_EQ(*mlflow_settings({{"MLFLOW_TRACKING_URI", "  "}}), std::nullopt);
  EXPECT_EQ(*mlflow_settings({{"MLFLOW_EXPERIMENT_NAME", "a"}}), std::nullopt);
}

TEST(MlflowSettings, AreReadWithoutTheBlanksAroundThem) {
  const MlflowSettings settings =
      settings_of({{"MLFLOW_TRACKING_URI", " http://tracker:5000/ml// "},
                   {"MLFLOW_EXPERIMENT_NAME", " a b "},
                   {"MLFLOW_EXPERIMENT_ID", "7 "},
                   {"SSL_CERT_FILE", "/etc/authorities"}});

  EXPECT_EQ(settings.server.host, "tracker:5000");
  EXPECT_EQ(settings.server.target, "/ml");
  EXPECT_EQ(settings.experiment, "a b");
  EXPECT_EQ(settings.experiment_id, "7");
  EXPECT_EQ(settings.authorities, "/etc/authorities");
  EXPECT_EQ(settings.authorization, "");
}

TEST(MlflowSettings, RefuseWhatIsNoAddress) {
  const auto read = mlflow_settings({{"MLFLOW_TRACKING_URI", "file:///tmp/mlruns"}});

  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().blame, Blame::User);
  EXPECT_THAT(read.error().message, StartsWith("MLFLOW_TRACKING_URI"));
}

TEST(MlflowSettings, TakeTheLoginOutOfTheAddress) {
  const MlflowSettings settings =
      settings_of({{"MLFLOW_TRACKING_URI", "http://al:pw@tracker:5000/x"}});

  EXPECT_EQ(settings.server.host, "tracker:5000");
  EXPECT_EQ(settings.server.target, "/x");
  EXPECT_EQ(settings.authorization, "Basic YWw6cHc=");  // al:pw
}

TEST(MlflowSettings, LeaveAnAtSignOfThePathAlone) {
  const MlflowSettings settings =
      settings_of({{"MLFLOW_TRACKING_URI", "http://tracker:5000/al@home"}});

  EXPECT_EQ(settings.server.host, "tracker:5000");
  EXPECT_EQ(settings.server.target, "/al@home");
  EXPECT_EQ(settings.authorization, "");
}

TEST(MlflowSettings, PreferTheUserOfTheVariablesAndBeforeThatTheToken) {
  Variables variables = {{"MLFLOW_TRACKING_URI", "http://al:pw@tracker:5000"},
                         {"MLFLOW_TRACKING_USERNAME", "eve"},
                         {"MLFLOW_TRACKING_PASSWORD", "no"}};
  EXPECT_EQ(settings_of(variables).authorization, "Basic ZXZlOm5v");  // eve:no
  variables["MLFLOW_TRACKING_TOKEN"] = "t0k";
  EXPECT_EQ(settings_of(variables).authorization, "Bearer t0k");
}

}  // namespace
}  // namespace muster::master
